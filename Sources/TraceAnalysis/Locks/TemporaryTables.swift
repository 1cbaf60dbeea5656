// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The temporary tables of each connection: what is written to them alone needs no lock and no commit.
struct TemporaryTables {
  // Both are arbitrary, as in `Bounds`.
  private static let maxConnections = 4096
  private static let maxTables = 256

  private var tables: [ProfileBuilder.Key: Set<String>] = [:]

  /// Keeps the table that a run created, or releases the one that it dropped.
  mutating func add(_ run: StatementRun, _ sql: String?, on connection: ProfileBuilder.Key) {
    guard run.isReadOnly == 0, run.changes == 0, let sql else { return }
    if let table = TemporaryTable.created(by: sql) {
      guard tables.count < Self.maxConnections || tables[connection] != nil,
        tables[connection]?.count ?? 0 < Self.maxTables
      else { return }
      tables[connection, default: []].insert(table)
    } else if tables[connection] != nil, let table = TemporaryTable.dropped(by: sql) {
      tables[connection]?.remove(table)
    }
  }

  /// Whether a statement writes one of them.
  func isWritten(by sql: String?, on connection: ProfileBuilder.Key) -> Bool {
    guard let sql else { return false }
    return TemporaryTable.isWritten(by: sql, of: tables[connection] ?? [])
  }
}
