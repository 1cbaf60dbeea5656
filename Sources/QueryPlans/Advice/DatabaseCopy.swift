// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SQLiteDriver

/// A copy of a database in a private folder, which goes when the copy does.
///
/// Indexes are tried on it; the database itself is only read.
final class DatabaseCopy {
  let connection: Connection
  private let folder: URL

  /// - Throws: ``AdviceError/noSpace(needed:free:folder:)``, ``SQLiteError``, or what the file
  ///   system says.
  init(of source: Connection, progress: (Int, Int) -> Void) throws {
    let temporary = FileManager.default.temporaryDirectory
    try Self.checkSpace(for: source, in: temporary.path)
    folder = temporary.appending(
      path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      connection = try Connection(path: folder.appending(path: "copy.sqlite").path)
      try source.copy(to: connection, progress: progress)
      // A crash may spoil the copy: nobody needs it then.
      try connection.execute(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000")
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Twice the file's size: indexes on trial take room, and so does the journal.
  private static func checkSpace(for source: Connection, in folder: String) throws {
    func number(_ sql: String) throws -> UInt64 {
      let statement = try source.prepare(sql)
      return try statement.step() ? UInt64(clamping: statement.int64(0)) : 0
    }
    let needed = 2 * (try number("PRAGMA page_count")) * (try number("PRAGMA page_size"))
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free > needed else {
      throw AdviceError.noSpace(needed: needed, free: free, folder: folder)
    }
  }
}
