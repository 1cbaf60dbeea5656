// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Refuses values that another type of the same column held, and that the model's cannot: they would be read
/// as others, or as none.
extension StorePlan {
  mutating func checkValues(
    _ properties: [StoredProperty], of root: EntityDescription
  ) throws {
    for (table, found) in (sources[root.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let number = fileRoot(of: table)
      for (slot, property) in properties.enumerated() {
        guard let attribute = property.attribute else { continue }
        for column in Set(found.columns[slot].values).sorted() {
          let key = StoreMetadata.key(number, column)
          guard record?.types.contains("\(key) \(attribute.type)") != true else { continue }
          let label = "\(currentNames[table] ?? table).\(column)"
          if destinations[key] != nil, attribute.type.columnType == "INTEGER" {
            guard try hasValue(column, of: table) else { continue }
            note("\(label) has the keys of a relationship, the model wants \(attribute.type)")
          } else if try hasMisfit(attribute.type, column, of: table) {
            note("\(label) has values that are none of \(attribute.type)")
          }
        }
      }
    }
  }

  private func hasValue(_ column: String, of table: String) throws -> Bool {
    try hasRow("SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IS NOT NULL")
  }

  private func hasMisfit(_ type: AttributeType, _ column: String, of table: String) throws -> Bool {
    if type == .uuid, metadata.hasExternalData(table, column) {
      return try hasValue(column, of: table)
    }
    if let misfit = type.misfit,
      try hasRow(
        "SELECT 1 FROM \(quoted(table)) WHERE "
          + misfit.replacing("?", with: quoted(column)))
    {
      return true
    }
    // Core Data keeps numbers of a Float attribute as the program set them.
    guard let fits = type.fits, type == .url || metadata.validHashes != nil else { return false }
    let name = quoted(column)
    let rows = try connection.prepare(
      "SELECT \(name) FROM \(quoted(table)) WHERE \(name) IS NOT NULL")
    while try rows.step() {
      if !fits(rows) { return true }
    }
    return false
  }
}

extension AttributeType {
  /// Whether its column may have values that are none of it.
  var isNarrow: Bool { misfit != nil || fits != nil }

  /// The SQL of a value in its column that is none of its own; nil where all are.
  fileprivate var misfit: String? {
    switch self {
    case .int16: "typeof(?) = 'integer' AND ? NOT BETWEEN -32768 AND 32767"
    case .int32: "typeof(?) = 'integer' AND ? NOT BETWEEN -2147483648 AND 2147483647"
    case .bool: "typeof(?) = 'integer' AND ? NOT IN (0, 1)"
    case .uuid: "typeof(?) = 'blob' AND length(?) <> 16"
    // It would be read as infinite.
    case .float:
      "typeof(?) = 'real' AND abs(?) BETWEEN 3.4028235677973366e38 AND 1.7976931348623157e308"
    case .int64, .double, .decimal, .string, .url, .date, .data: nil
    }
  }

  /// Whether the first column has a value of it; nil where SQL shows that.
  fileprivate var fits: ((Statement) -> Bool)? {
    switch self {
    case .url: { row in URL(string: row.string(0))?.absoluteString == row.string(0) }
    case .float: { row in row.double(0).isNaN || Double(Float(row.double(0))) == row.double(0) }
    default: nil
    }
  }
}
