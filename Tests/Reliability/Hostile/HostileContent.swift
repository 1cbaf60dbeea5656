// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// The rows of a file as SQL shows them, by table, by rowid, by column.
struct HostileContent {
  private(set) var tables: [String: [String: [String: String]]] = [:]

  /// Nil if SQLite cannot read all of it.
  init?(_ url: URL) {
    do {
      let connection = try Connection(path: url.path, mode: .readWrite)
      guard try connection.column("PRAGMA integrity_check(1)") == ["ok"] else { return nil }
      for table in try connection.column(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      {
        let columns = try connection.column("SELECT name FROM pragma_table_info('\(table)')")
        let values = columns.map { "quote(\"\($0)\")" }
        let rows = try connection.rows(
          "SELECT rowid, \(values.joined(separator: ", ")) FROM \"\(table)\"")
        tables[table] = Dictionary(
          rows.map {
            ($0[0], Dictionary(zip(columns, $0.dropFirst()), uniquingKeysWith: { a, _ in a }))
          },
          uniquingKeysWith: { a, _ in a })
      }
    } catch {
      return nil
    }
  }

  /// The losses and differences of another state, beyond the allowed changes.
  ///
  /// - Parameter mayChange: by table and column; a row that is gone or new has the column "".
  func changes(
    in other: HostileContent, mayChange: (_ table: String, _ row: String, _ column: String) -> Bool
  ) -> [String] {
    var changes: [String] = []
    for (table, rows) in tables {
      guard let others = other.tables[table] else {
        changes.append("\(table) is gone")
        continue
      }
      for (key, row) in rows {
        guard let new = others[key] else {
          if !mayChange(table, key, "") { changes.append("row \(key) of \(table) is gone") }
          continue
        }
        for (column, value) in row where new[column] != value {
          if !mayChange(table, key, column) {
            changes.append(
              "\(table).\(column) of row \(key) was \(value.prefix(60)), is "
                + "\((new[column] ?? "missing").prefix(60))")
          }
        }
      }
      for key in others.keys where rows[key] == nil && !mayChange(table, key, "") {
        changes.append("row \(key) of \(table) is new")
      }
    }
    return changes.sorted()
  }
}
