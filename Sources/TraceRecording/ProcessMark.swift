// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process by its id and its start time: the id alone may belong to another process by now.
struct ProcessMark: Hashable {
  let id: pid_t
  /// In clock ticks after the machine's start.
  let start: UInt64

  /// - Returns: nil if no such process runs.
  init?(_ id: pid_t) {
    // `17631 (lttng-consumerd) S 17587 …`: the name may contain spaces and parentheses.
    guard let status = RuntimeDirectory.text(ofFile: "/proc/\(id)/stat", limit: 1024),
      let end = status.lastIndex(of: ")")
    else { return nil }
    let fields = status[end...].split(separator: " ")
    guard fields.count > 20, fields[1] != "Z", let start = UInt64(fields[20]) else { return nil }
    (self.id, self.start) = (id, start)
  }

  var isRunning: Bool { Self(id) == self }

  /// Sends a signal to this process, never to another one of its id.
  func send(_ signal: Int32) { if isRunning { kill(id, signal) } }

  /// Waits until it has ended; false if it still runs then.
  func hasEnded(within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while isRunning, .now < end { usleep(10_000) }
    return !isRunning
  }
}

extension ProcessMark {
  /// Reads a file `ID START`; nil if the process has ended.
  init?(file: String) {
    let words = RuntimeDirectory.text(ofFile: file, limit: 64)?.split(
      whereSeparator: \.isWhitespace)
    guard let words, words.count == 2, let id = pid_t(words[0]), let mark = Self(id),
      words[1] == "\(mark.start)"
    else { return nil }
    self = mark
  }

  func write(toFile path: String) throws(RecordingError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .runtimeDirectoryUnusable(path, code: errno) }
    defer { close(file) }
    let text = "\(id) \(start)\n"
    _ = text.withCString { Glibc.write(file, $0, text.utf8.count) }
  }

  /// The processes of a name that this one started.
  func children(named name: String) -> [ProcessMark] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var children: [ProcessMark] = []
    while let entry = readdir(folder) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { pid_t(String(cString: $0)) }
      }
      guard let number,
        let status = RuntimeDirectory.text(ofFile: "/proc/\(number)/stat", limit: 512),
        status.contains("(\(name)) "), let end = status.lastIndex(of: ")")
      else { continue }
      let fields = status[end...].split(separator: " ")
      if fields.count > 2, pid_t(fields[2]) == id, let child = ProcessMark(number) {
        children.append(child)
      }
    }
    return children
  }
}
