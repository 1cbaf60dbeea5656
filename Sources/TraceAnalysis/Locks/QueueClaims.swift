// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Finds the claims of a queue's workers: transactions that write to the table from which a statement read the next row,
/// with the same values each time.
///
///     SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1
///     UPDATE job SET state = 'running' WHERE id = ?
struct QueueClaims {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxConnections = 4096
  private static let maxSites = 1000

  private struct Read: Equatable {
    var statement: StatementID
    var bindHash: UInt64
    var sql: String?
  }

  /// By connection: its last run that returned one row.
  private var rows: [Key: Read] = [:]
  /// By the line that writes: the row's run, and whether it reads the next row of the written table.
  private var reads: [LockSite.Key: (read: Read, isNext: Bool)] = [:]

  mutating func add(_ run: StatementRun, _ sql: String?, on connection: Key) {
    if rows.count >= Self.maxConnections { rows.removeAll() }
    rows[connection] = Read(statement: run.statementID, bindHash: run.bindHash, sql: sql)
  }

  /// Whether a transaction writes a row that was read with the same values as the one before.
  mutating func isClaim(_ writer: LockSite, at line: LockSite.Key, on connection: Key) -> Bool {
    guard let read = rows.removeValue(forKey: connection) else { return false }
    let last = reads[line]
    let isSame = last?.read.statement == read.statement
    let isNext = isSame ? last?.isNext == true : Self.isNextRow(read.sql, of: writer.sql)
    if reads.count < Self.maxSites || last != nil { reads[line] = (read, isNext) }
    return isNext && isSame && last?.read.bindHash == read.bindHash
  }

  private static func isNextRow(_ read: String?, of write: String?) -> Bool {
    guard let read, let write, ["UPDATE", "DELETE"].contains(StatementCommand.name(of: write)),
      let table = WrittenTable(sql: write)?.table.lowercased()
    else { return false }
    return StatementTables.all(in: read).contains { $0.lowercased() == table }
      && SQLTokenizer.tokens(of: read).contains { $0.isWord("LIMIT") }
  }
}
