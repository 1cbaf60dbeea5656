// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver

/// A statement that writes most of a table, and the same in parts.
public struct BatchedWrite: Hashable, Sendable {
  public var sql: String
  public var line: Int
  public var table: String
  /// The rows of the table and of a part.
  public var rows: UInt64
  public var batch: UInt64
  /// With parameters for the first and the last rowid of a part.
  public var batched: String

  // Arbitrary: fewer rows are written in some hundredths of a second.
  private static let minRows: UInt64 = 10_000
  // SQLite checkpoints a log of this size.
  private static let pagesOfBatch: UInt64 = 1000

  /// - Parameters:
  ///   - rows: those of the copy on which the statements ran.
  ///   - allRows: those of the database.
  static func all(
    of statements: [Rehearsal.Statement], rows: [String: UInt64], pages: UInt64,
    allRows: [String: UInt64], schemaOf database: String
  ) -> [Self] {
    guard let file = try? InspectedDatabase(path: database) else { return [] }
    return statements.compactMap { statement in
      guard let write = WrittenTable(sql: statement.sql), write.kind != .insert,
        let copied = rows[write.table.lowercased()], statement.changes * 2 > copied,
        let all = allRows[write.table.lowercased()], all >= minRows,
        let batched = write.batched(statement.sql),
        // It is printed only if SQLite finds its rows by their keys.
        let plan = try? file.connection.plan(batched),
        plan.contains(where: {
          $0.detail.contains("USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
        })
      else { return nil }
      return Self(
        sql: statement.sql, line: statement.line, table: write.table, rows: all,
        batch: rounded(all * pagesOfBatch / max(pages, 1)), batched: batched)
    }
  }

  /// Down to 1, 2 or 5 with zeros.
  private static func rounded(_ number: UInt64) -> UInt64 {
    var unit: UInt64 = 100
    while unit * 10 <= number { unit *= 10 }
    return [5, 2, 1].map { $0 * unit }.first { $0 <= number } ?? unit
  }
}
