// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The log of a program that runs, and which is read meanwhile.
///
/// It is in a private folder, `/tmp/trace-report-1000/live-2367/` of the recorder with that process id.
struct LiveLog {
  let folder: String
  var path: String { "\(folder)/debug.log" }
  private let guardian: RecordingGuardian?

  /// Makes the log.
  ///
  /// - Parameter guardian: as ``RecordingOptions/guardian``.
  init(guardian: [String]) throws(RecordingError) {
    let directory = try RuntimeDirectory()
    Self.removeAbandoned(in: directory)
    folder = "\(directory.path)/\(Self.prefix)\(getpid())"
    try? FileManager.default.removeItem(atPath: folder)
    guard mkdir(folder, 0o700) == 0 else { throw .directoryUnusable(folder, code: errno) }
    let file = open("\(folder)/debug.log", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .directoryUnusable(folder, code: errno) }
    close(file)
    self.guardian = try RecordingGuardian(guardian)
  }

  /// Removes the folder.
  func end() {
    try? FileManager.default.removeItem(atPath: folder)
    guardian?.dismiss()
  }

  /// Removes the logs of recorders that were killed.
  static func removeAbandoned(in directory: RuntimeDirectory) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let recorder = pid_t(name.dropFirst(prefix.count)), !SessionDaemon.isRunning(recorder)
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
    }
  }

  private static let prefix = "live-"
}
