// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The library that observes the SQLite of a program, and how a program gets it.
public enum ProbeLibrary {
  public static let fileName = "libstorescope-probe.so"

  /// Finds the library: at the path in `STORESCOPE_PROBE`, or in that folder, beside the executable, in `../lib` of
  /// it, or where `make probe` puts it.
  ///
  /// - Returns: an absolute path, since a relative one fails in a child of another folder; nil if
  ///   the library is not installed.
  public static func path() -> String? {
    if let path = getenv("STORESCOPE_PROBE").map({ String(cString: $0) }) {
      return absolute("\(path)/\(fileName)") ?? absolute(path)
    }
    return path(of: fileName)
  }

  /// Whether LTTng's tracepoints, a library of their own, are beside the probe.
  static func hasTracepoints(_ probe: String) -> Bool {
    guard let file = absolute(probe) else { return false }
    let folder = file.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return access("\(folder)/libstorescope-probe-lttng.so", R_OK) == 0
  }

  /// Finds a file of the installation that belongs to the executable.
  public static func path(of name: String) -> String? {
    guard let executable = absolute("/proc/self/exe") else { return nil }
    let folder = executable.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return ["", "/../lib/storescope", "/../lib", "/../probe", "/../../probe"].lazy
      .compactMap { absolute("\(folder)\($0)/\(name)") }.first
  }

  /// The variables that a program's environment needs to be observed: the library first, then the
  /// libraries that the user's environment preloads.
  static func variables(_ path: String) -> [(String, String)] {
    // AddressSanitizer's library refuses to be loaded after another one, which replaces nothing of it.
    [
      ("LD_PRELOAD", join(path, inherited("LD_PRELOAD"))),
      ("ASAN_OPTIONS", join(inherited("ASAN_OPTIONS"), "verify_asan_link_order=0")),
    ]
  }

  /// The libraries to preload into LTTng's programs, whose polls the first one shortens; nil where it is not
  /// installed.
  static let preloadOfDaemons = path(of: "libstorescope-daemons.so").map {
    join($0, inherited("LD_PRELOAD"))
  }

  private static func inherited(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  private static func join(_ first: String, _ second: String) -> String {
    [first, second].filter { !$0.isEmpty }.joined(separator: ":")
  }

  private static func absolute(_ path: String) -> String? {
    guard let absolute = realpath(path, nil) else { return nil }
    defer { free(absolute) }
    let text = String(cString: absolute)
    // The loader splits LD_PRELOAD at both.
    return text.contains(where: { $0 == ":" || $0 == " " }) ? link(to: text) : text
  }

  /// A link to a file, at a path that the loader accepts: `/tmp/trace-report-1000/probe-51-9571/…`.
  private static func link(to file: String) -> String? {
    var status = stat()
    guard let directory = try? RuntimeDirectory(), stat(file, &status) == 0 else { return nil }
    let folder = "\(directory.path)/probe-\(status.st_dev)-\(status.st_ino)"
    let link = "\(folder)/\(fileName)"
    mkdir(folder, 0o700)
    // The number may have belonged to another file.
    if !isSame(link, status) { unlink(link) }
    guard symlink(file, link) == 0 || errno == EEXIST else { return nil }
    return link
  }

  private static func isSame(_ path: String, _ other: stat) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_dev == other.st_dev
      && status.st_ino == other.st_ino
  }
}
