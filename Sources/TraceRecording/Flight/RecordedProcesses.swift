// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes of a recording: those whose environment holds its number, or one that ran before.
public struct RecordedProcesses: Hashable, Sendable {
  let variable: String
  let process: pid_t?

  /// The processes that run now; those of other users cannot be found unless by root.
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

  private func isRecorded(_ id: Int32) -> Bool {
    RuntimeDirectory.text(ofFile: "/proc/\(id)/environ", limit: 1 << 18)?
      .split(separator: "\0").contains { $0 == variable } ?? false
  }
}
