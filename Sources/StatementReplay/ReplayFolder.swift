// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SQLiteDriver
import TraceReading

/// A private folder with the copies on which a trace is replayed.
final class ReplayFolder {
  let path: String
  private var count = 0
  private let guardian: FolderGuard

  init() throws(ReplayError) {
    let parent = FileManager.default.temporaryDirectory.path
    path = "\(parent)/storescope-\(UUID().uuidString)"
    guard mkdir(path, 0o700) == 0 else {
      throw .database(parent, reason: String(cString: strerror(errno)))
    }
    guardian = FolderGuard(of: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    guardian.end()
  }

  /// Waits until the changes of its directory are on the disk: the disk's log has them in their order.
  func flush() {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// Whether a file that a statement attaches is a copy, in memory or temporary.
  func allows(_ path: String) -> Bool {
    path.isEmpty || path == ":memory:" || path.hasPrefix(self.path + "/") && !path.contains("/../")
  }

  /// Copies a database as it is now, by SQLite's online backup; an empty one without a source.
  func copy(_ source: String?) throws(ReplayError) -> String {
    count += 1
    let copy = "\(path)/\(count).sqlite"
    if let source { try Self.copy(source, to: copy) }
    return copy
  }

  /// Copies a database into a folder that is private.
  static func copy(
    _ source: String, to copy: String, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(ReplayError) {
    do {
      let inspected = try InspectedDatabase(path: source)
      try checkRoom(for: inspected.path, of: copy)
      let connection = try Connection(path: copy)
      try inspected.connection.copy(
        to: connection, isCancelled: { ReadingInterruption.isRequested }, progress: progress)
      // The backup leaves it behind, and the program relies on it.
      if try inspected.connection.hasLog {
        try connection.execute("PRAGMA journal_mode=WAL")
      }
    } catch let error as ReplayError {
      throw error
    } catch {
      if ReadingInterruption.isRequested { throw .interrupted }
      throw .database(source, reason: "\(error)")
    }
  }

  private static func checkRoom(for source: String, of copy: String) throws(ReplayError) {
    var status = stat()
    var system = statvfs()
    let folder = URL(filePath: copy).deletingLastPathComponent().path
    guard stat(source, &status) == 0, statvfs(folder, &system) == 0 else { return }
    let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
    // The copy, and as much again for its log and an index.
    let needed = UInt64(clamping: status.st_size) * 2
    guard free > needed else {
      throw .database(
        source,
        reason:
          "\(needed >> 20) MiB are needed in '\(folder)', and \(free >> 20) MiB are free; set TMPDIR"
      )
    }
  }
}
