// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file in which the probe of each process that LTTng does not fit into writes a line.
///
///     shop[4711]: the limit of open files (ulimit -n) leaves no room for LTTng
struct UntracedProcesses {
  private let path: String

  /// Makes the file, within the folder of a recording.
  init(in folder: String) throws(RecordingError) {
    path = "\(folder)/.untraced"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .outputUnusable(path, code: errno) }
    close(file)
  }

  var variable: (String, String) { ("STORE_TRACE_NOTES", path) }

  // 20 is arbitrary: a program may start any number of such processes.
  private static let maxNames = 20

  /// Reads the lines, and removes the file.
  func drain() -> [String] {
    let text = RuntimeDirectory.text(ofFile: path, limit: 1 << 16) ?? ""
    unlink(path)
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count > Self.maxNames else { return lines }
    return lines.prefix(Self.maxNames) + ["\(lines.count - Self.maxNames) more processes"]
  }
}
