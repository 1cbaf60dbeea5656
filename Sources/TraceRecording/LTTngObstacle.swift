// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why LTTng cannot work here, as far as that is seen without starting anything.
public enum LTTngObstacle {
  /// The library that programs with tracepoints need.
  private static let library = "liblttng-ust.so.1"

  /// Checks that programs that are linked with LTTng's library can start.
  public static func checkLibrary() throws(RecordingError) {
    guard hasLibrary(library) else { throw .toolMissing(library) }
  }

  /// Finds the missing requirements of a recording; nil if there are none.
  static func find(_ options: RecordingOptions) -> RecordingError? {
    for tool in ["lttng", "lttng-sessiond"] where ProgramPath.find(tool) == nil {
      return .toolMissing(tool)
    }
    if let probe = options.probe {
      guard ProbeLibrary.hasTracepoints(probe) else { return .tracepointsMissing }
      guard hasLibrary(library) else { return .toolMissing(library) }
    }
    if let limit { return limit }
    do throws(RecordingError) {
      _ = try RuntimeDirectory()
      _ = try ChannelBuffers.forThisMachine()
      return nil
    } catch {
      return error
    }
  }

  // The probe's own limits, and the descriptors that an interpreter opens before its first
  // database.
  private static let descriptors = 64 + UInt(12 * ChannelBuffers.processors)
  private static let addresses: UInt = 2 << 30

  // Of LTTng's daemons, and some of the program's own.
  private static let threads: UInt = 64

  /// A limit of ours, which the daemons and the program inherit.
  private static var limit: RecordingError? {
    if let files = limit(RLIMIT_NOFILE), files < descriptors {
      return .limitTooLow("ulimit -n", files)
    }
    if let memory = limit(RLIMIT_AS), memory < addresses {
      return .limitTooLow("ulimit -v", memory >> 10)
    }
    if geteuid() != 0, let processes = limit(__RLIMIT_NPROC), processes < threads {
      return .limitTooLow("ulimit -u", processes)
    }
    // A container's, by both versions of control groups.
    for path in ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"] {
      guard let text = RuntimeDirectory.text(ofFile: path, limit: 32),
        let processes = UInt(text.prefix { $0.isNumber }), processes < threads
      else { continue }
      return .limitTooLow("pids.max", processes)
    }
    // A daemon that writes more is ended by a signal.
    if let size = limit(RLIMIT_FSIZE) { return .limitTooLow("ulimit -f", size >> 10) }
    return nil
  }

  /// Returns a limit; nil if there is none.
  private static func limit(_ resource: __rlimit_resource) -> UInt? {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0,
      limits.rlim_cur != rlim_t.max
    else { return nil }
    return UInt(limits.rlim_cur)
  }

  /// Whether the loader would find a library: by the names in its cache, or by the variable.
  private static func hasLibrary(_ name: String) -> Bool {
    let folders = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    if folders.split(separator: ":").contains(where: { access("\($0)/\(name)", R_OK) == 0 }) {
      return true
    }
    let file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC)
    // Without a cache, as on Alpine, the loader searches its folders: its own reader decides.
    guard file >= 0 else { return true }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0,
      let bytes = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, file, 0),
      bytes != MAP_FAILED
    else { return true }
    defer { munmap(bytes, Int(status.st_size)) }
    let cache = UnsafeRawBufferPointer(start: bytes, count: Int(status.st_size))
    return cache.contains(Array("/\(name)\0".utf8))
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(_ pattern: [UInt8]) -> Bool {
    guard let first = pattern.first, var at = baseAddress else { return false }
    let end = at + count
    while at < end, let found = memchr(at, CInt(first), end - at) {
      let candidate = UnsafeRawPointer(found)
      guard end - candidate >= pattern.count else { return false }
      if memcmp(candidate, pattern, pattern.count) == 0 { return true }
      at = candidate + 1
    }
    return false
  }
}

/// Where programs are, by `PATH`.
enum ProgramPath {
  /// Returns the path of a program that can be run; nil if there is none.
  static func find(_ program: String) -> String? {
    if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { "\($0)/\(program)" }
      .first { access($0, X_OK) == 0 }
  }
}
