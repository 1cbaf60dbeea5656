// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes of a recording: all with its number in their environment, or one that ran before.
public struct RecordedProcesses: Hashable, Sendable {
  let variable: String
  let process: pid_t?

  /// The processes that run now; processes of other users cannot be found unless by root.
  public var ids: [Int32] {
    if let process { return SessionDaemon.isRunning(process) ? [process] : [] }
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var ids: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let id = Int32(name), id != getpid(), isRecorded(id) else { continue }
      ids.append(id)
    }
    return ids
  }

  /// The processes that have opened a database or a store, and did not end soon after their parent.
  ///
  /// - Parameter hasEvents: whether a process has opened one.
  func namesLeftRunning(_ hasEvents: (pid_t) -> Bool = Self.isTraced) -> [String] {
    var left = ids.filter(hasEvents)
    // 1 s is arbitrary: a child that ends after its parent needs a moment.
    for _ in 1...20 where !left.isEmpty {
      usleep(50_000)
      left = left.filter { SessionDaemon.isRunning($0) }
    }
    return left.sorted().map { id in
      let name = RuntimeDirectory.text(ofFile: "/proc/\(id)/comm", limit: 64)?
        .split(separator: "\n").first
      return "\(name ?? "?")[\(id)]"
    }
  }

  /// Whether LTTng's library is loaded: the probe loads it with the first connection.
  static func isTraced(_ id: pid_t) -> Bool {
    // By lines: the kernel returns about a page at a time.
    guard let file = fopen("/proc/\(id)/maps", "re") else { return false }
    defer { fclose(file) }
    let size = 8192
    var line = [CChar](repeating: 0, count: size)
    while fgets(&line, Int32(size), file) != nil {
      if strstr(line, "liblttng-ust.so") != nil { return true }
    }
    return false
  }

  private func isRecorded(_ id: Int32) -> Bool {
    RuntimeDirectory.text(ofFile: "/proc/\(id)/environ", limit: 1 << 18)?
      .split(separator: "\0").contains { $0 == variable } ?? false
  }
}
