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

  private struct Read {
    var statement: StatementID
    var bindHash: UInt64
    var sql: String?
  }

  /// By connection: its last run that returned one row.
  private var rows: [Key: Read] = [:]
  /// By the line that writes: the row's run, and the table whose next row it reads.
  private var reads: [LockSite.Key: (read: Read, table: String?)] = [:]

  mutating func add(_ run: StatementRun, _ sql: String?, on connection: Key) {
    if rows.count >= Self.maxConnections { rows.removeAll() }
    rows[connection] = Read(statement: run.statementID, bindHash: run.bindHash, sql: sql)
  }

  /// The table of a transaction that writes a row, which was read with the same values as the one before.
  mutating func table(
    of steps: [LockSite], at line: LockSite.Key, on connection: Key
  ) -> String? {
    guard let read = rows.removeValue(forKey: connection) else { return nil }
    let last = reads[line]
    let isSame = last?.read.statement == read.statement
    let table = isSame ? last?.table : Self.table(of: steps, nextRow: read.sql)
    if reads.count < Self.maxSites || last != nil { reads[line] = (read, table) }
    return isSame && last?.read.bindHash == read.bindHash ? table : nil
  }

  private static func table(of steps: [LockSite], nextRow read: String?) -> String? {
    guard let read, SQLTokenizer.tokens(of: read).contains(where: { $0.isWord("LIMIT") }) else {
      return nil
    }
    let tables = StatementTables.all(in: read).map { $0.lowercased() }
    return steps.lazy.compactMap(\.sql)
      .filter { ["UPDATE", "DELETE"].contains(StatementCommand.name(of: $0)) }
      .compactMap { WrittenTable(sql: $0)?.table.lowercased() }.first(where: tables.contains)
  }
}
