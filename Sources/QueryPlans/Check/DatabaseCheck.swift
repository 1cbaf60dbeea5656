// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// SQLite's own checks of a database, run on a private copy.
///
///     PRAGMA integrity_check(100)
///     PRAGMA foreign_key_check
public struct DatabaseCheck: Hashable, Sendable {
  /// The damage, as SQLite describes it; empty for a sound file.
  public var damage: [String] = []
  /// The rows that refer to a row that does not exist.
  public var foreignKeys: [MissingParents] = []

  /// Rows of a table without the row of another table that they refer to.
  public struct MissingParents: Hashable, Sendable {
    public var table: String
    public var parent: String
    public var rows: UInt64
  }

  // 100 is SQLite's own limit.
  private static let maxLines = 100

  /// Copies a database with SQLite's online backup, and checks the copy.
  ///
  /// - Parameters:
  ///   - path: the database, which is neither changed nor locked for longer than a part of the copy takes.
  ///   - progress: called with the pages copied and all pages.
  /// - Throws: ``InspectionError`` if the file cannot be opened, ``AdviceError`` if there is no room for
  ///   the copy, or ``SQLiteError``.
  public init(path: String, progress: (Int, Int) -> Void = { _, _ in }) throws {
    do {
      let original = try InspectedDatabase(path: path)
      let copy = try DatabaseCopy(of: original.connection, roomFactor: 1, progress: progress)
      try check(copy.connection)
    } catch {
      // A file that is too damaged to be opened, copied or checked.
      guard case .corrupt(_, let reason) = InspectionError(error, path: path) else { throw error }
      damage.append(reason)
    }
  }

  private mutating func check(_ copy: Connection) throws {
    try read("PRAGMA integrity_check(\(Self.maxLines))", copy) { row in
      if row.string(0) != "ok" { damage.append(row.string(0)) }
    }
    // A damaged schema has no foreign keys to check.
    guard damage.isEmpty else { return }
    var rows: [[String]: UInt64] = [:]
    try read("PRAGMA foreign_key_check", copy) { row in
      rows[[row.string(0), row.string(2)], default: 0] += 1
    }
    foreignKeys = rows.map { MissingParents(table: $0.key[0], parent: $0.key[1], rows: $0.value) }
      .sorted { ($0.table, $0.parent) < ($1.table, $1.parent) }
  }

  private func read(
    _ sql: String, _ connection: Connection, _ body: (Statement) -> Void
  ) throws(SQLiteError) {
    let statement = try connection.prepare(sql)
    while try statement.step() { body(statement) }
  }
}
