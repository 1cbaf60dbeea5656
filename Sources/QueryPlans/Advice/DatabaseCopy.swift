// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SQLiteDriver

/// A copy of a database in an unlinked file, which is removed however the process ends.
final class DatabaseCopy {
  let connection: Connection

  /// - Parameter roomFactor: the room to have, in sizes of the file: indexes on trial take room, and so does
  ///   the journal.
  init(
    of source: Connection, roomFactor: UInt64 = 2, isCancelled: () -> Bool = { false },
    progress: (Int, Int) -> Void
  ) throws {
    let temporary = FileManager.default.temporaryDirectory
    try Self.checkSpace(for: source, roomFactor, in: temporary.path)
    let folder = temporary.appending(
      path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    connection = try Connection(path: folder.appending(path: "copy.sqlite").path)
    // First: once a collation was missing, SQLite does not use its indexes.
    try StoreNames.define(on: connection)
    connection.copyLikeSetting(of: source)
    try source.copy(to: connection, isCancelled: isCancelled, progress: progress)
    // A crash may spoil the copy: it is not needed then. With its journal in memory SQLite opens no
    // other file by a name.
    try connection.execute(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000")
  }

  /// Rebuilds the indexes of a store's collations: another language may have ordered them.
  func reorder() throws(SQLiteError) {
    for name in StoreNames.collations {
      do throws(SQLiteError) {
        try connection.execute("REINDEX \(name)")
      } catch {
        // An index with texts that are no longer unique stays unchanged, and only costs more to
        // maintain.
        if error.isInterruption { throw error }
      }
    }
  }

  private static func checkSpace(
    for source: Connection, _ factor: UInt64, in folder: String
  ) throws {
    func number(_ sql: String) throws -> UInt64 {
      let statement = try source.prepare(sql)
      return try statement.step() ? UInt64(clamping: statement.int64(0)) : 0
    }
    let needed = factor * (try number("PRAGMA page_count")) * (try number("PRAGMA page_size"))
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free > needed else {
      throw AdviceError.noSpace(needed: needed, free: free, folder: folder)
    }
  }
}
