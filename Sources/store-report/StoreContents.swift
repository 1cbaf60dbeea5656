// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// Counts of a store's rows, from one state of the file.
struct StoreContents {
  let reader: StoreReader
  let model: ManagedObjectModel
  let path: String

  func lines() throws -> [String] {
    try entities() + constraints() + dangling() + external() + history()
  }

  private func rows(_ sql: String) throws -> [[String]] {
    try reader.rows(sql).map { $0.map(Self.text) }
  }

  private static func text(_ value: StoreValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .data(let data): String(decoding: data, as: UTF8.self)
    default: "\(value)"
    }
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", title] + lines.map { "  " + $0 }
  }

  private func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private func entities() throws -> [String] {
    let counted = try model.entities.filter { !$0.isAbstract }.map { entity in
      let count = try rows(
        "SELECT count(*) FROM \(quoted(entity.table)) WHERE Z_ENT = \(entity.entityID)")
      return "\(entity.name): \(count.first?.first ?? "0")"
    }
    return section("Rows of each entity", counted)
  }

  private func constraints() throws -> [String] {
    let tables = Set(model.entities.map(\.table)).sorted()
    let lines = try tables.flatMap { table in
      try rows(
        "SELECT l.name, group_concat(i.name, ', ') FROM pragma_index_list('\(table.replacing("'", with: "''"))') l, "
          + "pragma_index_info(l.name) i WHERE l.\"unique\" AND l.origin IN ('c', 'u') "
          + "GROUP BY l.name ORDER BY l.name"
      ).map { "\(table) (\($0[1])): \($0[0])" }
    }
    return section("Uniqueness constraints", lines)
  }

  private func dangling() throws -> [String] {
    var lines: [String] = []
    for entity in model.entities where !entity.isAbstract {
      for relationship in entity.relationships {
        let references: (table: String, column: String, condition: String)? =
          switch relationship.storage {
          case .column(let column): (entity.table, column, "Z_ENT = \(entity.entityID)")
          case .joinTable(let table, _, let destination, _): (table, destination, "TRUE")
          case .inverseColumn: nil
          }
        guard let (table, column, condition) = references else { continue }
        let count = try rows(
          "SELECT count(*) FROM \(quoted(table)) WHERE \(condition) "
            + "AND \(quoted(column)) IS NOT NULL AND \(quoted(column)) NOT IN "
            + "(SELECT Z_PK FROM \(quoted(relationship.destination.table)))")
        guard let count = count.first?.first, count != "0" else { continue }
        lines.append("\(entity.name).\(relationship.name): \(count)")
      }
    }
    return section("References to rows that are gone", lines)
  }

  /// A value in a file beside the store: 2, the file's name, 0.
  private func external() throws -> [String] {
    let folder = Self.externalFolder(of: path)
    var lines: [String] = []
    for table in Set(model.entities.map(\.table)).sorted() {
      let columns = try rows(
        "SELECT name FROM pragma_table_info('\(table.replacing("'", with: "''"))') WHERE type = 'BLOB'"
      )
      for column in columns.compactMap(\.first) {
        let names = try rows(
          "SELECT CAST(substr(\(quoted(column)), 2, 36) AS TEXT) FROM \(quoted(table)) WHERE "
            + "length(\(quoted(column))) = 38 AND hex(substr(\(quoted(column)), 1, 1)) = '02'")
        let missing = names.compactMap(\.first).filter {
          UUID(uuidString: $0) != nil
            && !FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
        if !missing.isEmpty {
          lines.append("\(table).\(column): \(missing.count) of \(names.count)")
        }
      }
    }
    return section("External files that are missing from \(folder.path)", lines)
  }

  private static func externalFolder(of path: String) -> URL {
    let file = URL(filePath: path).resolvingSymlinksInPath()
    let name = file.deletingPathExtension().lastPathComponent
    return file.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
  }

  private func history() throws -> [String] {
    guard try !rows("SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'").isEmpty else {
      return []
    }
    let hasNames = try !rows(
      "SELECT 1 FROM pragma_table_info('ATRANSACTION') WHERE name = 'ZAUTHOR'"
    ).isEmpty
    let author = hasNames ? "ifnull(s.ZNAME, t.ZAUTHOR)" : "s.ZNAME"
    let found = try rows(
      "SELECT ifnull(\(author), 'no author'), count(DISTINCT t.Z_PK), sum(c.ZCHANGETYPE = 0), "
        + "sum(c.ZCHANGETYPE = 1), sum(c.ZCHANGETYPE = 2) FROM ATRANSACTION t "
        + "LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS "
        + "LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK GROUP BY 1 ORDER BY 2 DESC, 1")
    return section(
      "History by author",
      found.map { "\($0[0]): saves \($0[1]), inserts \($0[2]), updates \($0[3]), deletes \($0[4])" }
    )
  }
}
