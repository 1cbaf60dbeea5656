// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SQLiteDriver

/// The file itself, without the store.
extension LedgerCheck {
  /// Returns the version that the file was last opened with; nil if there is no file yet.
  func inspect() throws -> LedgerVersion? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    let connection = try Connection(path: url.path, mode: .readWrite)
    // A file that another program had open is brought up to date by the first read.
    let problems = try connection.column("PRAGMA integrity_check")
    guard problems == ["ok"] else { throw LedgerError("damaged: \(problems)") }
    let tables = try connection.column("SELECT name FROM sqlite_master WHERE type = 'table'")
    guard !tables.isEmpty else { return nil }
    try checkKeys(connection, tables)
    try checkReferences(connection, tables)
    return try version(connection)
  }

  /// A migration has taken place as a whole, or not at all.
  private func version(_ connection: Connection) throws -> LedgerVersion {
    let columns = Set(try connection.column("SELECT name FROM pragma_table_info('ZSHELF')"))
      .subtracting(["Z_PK", "Z_ENT", "Z_OPT"])
    guard let version = LedgerVersion.allCases.first(where: { $0.shelfColumns == columns }) else {
      throw LedgerError("half a migration: \(columns.sorted())")
    }
    let unique = try connection.column(
      "SELECT name FROM pragma_index_list('ZSHELF') WHERE \"unique\" AND origin <> 'pk'")
    guard unique.isEmpty == (version == .first) else {
      throw LedgerError("half a migration: \(version), but with constraints \(unique)")
    }
    return version
  }

  /// No key is above the one that was given last.
  private func checkKeys(_ connection: Connection, _ tables: [String]) throws {
    let entities = try connection.rows("SELECT Z_NAME, Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    for entity in entities {
      let prefix = (Int64(entity[1]) ?? 0) > 16_000 ? "A" : "Z"
      let table = prefix + entity[0].uppercased()
      guard tables.contains(table) else { throw LedgerError("no table \(table)") }
      let last = try connection.column("SELECT IFNULL(MAX(Z_PK), 0) FROM \(table)").first ?? ""
      guard (Int64(last) ?? .max) <= (Int64(entity[2]) ?? 0) else {
        throw LedgerError("\(table) has key \(last), Z_PRIMARYKEY \(entity[2])")
      }
    }
  }

  /// Core Data's layout declares no foreign keys, so each is looked up.
  private func checkReferences(_ connection: Connection, _ tables: [String]) throws {
    let numbers = Dictionary(
      try connection.rows("SELECT Z_ENT, 'Z' || upper(Z_NAME) FROM Z_PRIMARYKEY")
        .map { ($0[0], $0[1]) }, uniquingKeysWith: { a, _ in a })
    var references = [
      ("ZENTRY", "ZSTEP", "ZSTEP", false), ("ACHANGE", "ZTRANSACTIONID", "ATRANSACTION", false),
      ("ATRANSACTION", "ZAUTHORTS", "ATRANSACTIONSTRING", true),
    ]
    for table in tables where table.hasPrefix("Z_") && table.dropFirst(2).first?.isNumber == true {
      for column in try connection.column("SELECT name FROM pragma_table_info('\(table)')")
      where !column.hasPrefix("Z_FOK_") {
        let number = String(column.dropFirst(2).prefix(while: \.isNumber))
        guard let target = numbers[number] else { throw LedgerError("\(table).\(column)?") }
        references.append((table, column, target, false))
      }
    }
    // The pairs of steps and labels, at both ends.
    guard references.count == 5 else { throw LedgerError("unexpected tables: \(references)") }
    for (table, column, target, isOptional) in references where tables.contains(table) {
      let lost = try connection.column(
        "SELECT COUNT(*) FROM \(table) a LEFT JOIN \(target) b ON b.Z_PK = a.\(column) "
          + "WHERE b.Z_PK IS NULL\(isOptional ? " AND a.\(column) IS NOT NULL" : "")")
      guard lost == ["0"] else {
        throw LedgerError("\(lost) rows of \(table) refer to no \(target) by \(column)")
      }
    }
  }
}

extension Connection {
  package func rows(_ sql: String) throws -> [[String]] {
    let statement = try prepare(sql)
    var rows: [[String]] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "NULL" : statement.string($0) })
    }
    return rows
  }

  package func column(_ sql: String) throws -> [String] { try rows(sql).map { $0[0] } }
}
