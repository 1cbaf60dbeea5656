// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// Copies all pages of the database into another one, whose content is lost.
  ///
  /// What other connections write meanwhile is in the copy as a whole or not at all.
  ///
  /// - Parameters:
  ///   - isCancelled: called after some pages; the copy ends once it returns true.
  ///   - progress: called after some pages, with those copied and all of them.
  /// - Throws: ``SQLiteError``, such as for a disk that is full, or ``SQLiteError/interruption``.
  public func copy(
    to destination: Connection, isCancelled: () -> Bool = { false },
    progress: (_ copied: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(SQLiteError) {
    // A backup begins again where the database changed between two steps; of one with a log, a transaction reads what was
    // there first. Without a log the writers would wait for it.
    let isHeld = isInTransaction ? false : try hasLog
    if isHeld { try execute("BEGIN; SELECT count(*) FROM sqlite_schema") }
    defer { if isHeld { try? execute("COMMIT") } }
    guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
      throw SQLiteError(connection: destination.handle, code: sqlite3_errcode(destination.handle))
    }
    var code = SQLITE_OK
    while code == SQLITE_OK, !isCancelled() {
      // 4,096 pages are 16 MB of the usual size: often enough for a progress line.
      code = sqlite3_backup_step(backup, 4096)
      let all = Int(sqlite3_backup_pagecount(backup))
      progress(all - Int(sqlite3_backup_remaining(backup)), all)
    }
    let end = sqlite3_backup_finish(backup)
    if code == SQLITE_OK { throw .interruption }
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw SQLiteError(
        connection: destination.handle, code: end == SQLITE_OK ? code : end)
    }
  }

  /// Whether the journal mode of the database is `WAL`.
  public var hasLog: Bool {
    get throws(SQLiteError) {
      let mode = try prepare("PRAGMA main.journal_mode")
      guard try mode.step() else { return false }
      return mode.string(0) == "wal"
    }
  }
}
