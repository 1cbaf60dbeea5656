// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Checks of the numbers that the store keeps in its rows: another program, or a damaged disk, may
/// have written any value there.
extension SaveWriter {
  func damage(_ table: String, _ key: Int64, _ column: String, _ value: String) -> StoreError {
    .damagedRow(path: store.path, table: table, key: key, column: column, value: value)
  }

  /// `Z_OPT` of a row that is written.
  func version(after version: Int64, of row: SavePlan.Row) throws -> Int64 {
    guard version < .max else {
      throw damage(row.entity.table, row.key, "Z_OPT", "\(version)")
    }
    return version + 1
  }

  /// Rows that were not found by their version: another connection has changed them, or the version
  /// is not an integer.
  mutating func checkVersions(of rows: [SavePlan.Row]) throws {
    for row in rows {
      let table = row.entity.table
      var found: String?
      try run("SELECT Z_OPT FROM \(table) WHERE Z_PK = ?", [.integer(row.key)]) {
        if $0.columnType(0) != .integer { found = $0.literal(0) }
      }
      if let found { throw damage(table, row.key, "Z_OPT", found) }
    }
  }

  /// Refuses a batch that would increment a version that is not an integer, or is the largest
  /// integer: in SQL the next value would be a real, and NULL would stay NULL.
  ///
  /// - Parameter condition: which rows are to be written.
  func checkVersions(_ table: String, _ condition: String, _ values: [StoreValue]) throws {
    // Not reported: the log shows the text and number of the batch's statement, and this is another
    // one.
    let statement = try connection.cachedStatement(
      "SELECT Z_PK, Z_OPT FROM \(table) WHERE (typeof(Z_OPT) <> 'integer' "
        + "OR Z_OPT = 9223372036854775807)\(condition) LIMIT 1")
    defer { connection.recycle(statement) }
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    guard try statement.step() else { return }
    throw damage(table, statement.int64(0), "Z_OPT", statement.literal(1))
  }

  /// The row of `Z_PRIMARYKEY` that has no number left.
  func numberDamage(_ entityID: Int64) throws -> StoreError {
    let statement = try connection.prepare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    statement.bind(entityID, at: 1)
    let value = try statement.step() ? statement.literal(0) : "missing"
    return damage("Z_PRIMARYKEY", entityID, "Z_MAX", value)
  }

  /// A save of an object with a preassigned id would overwrite a row with that id.
  mutating func checkUnused(_ entity: EntityDescription, from key: Int64) throws {
    var isUsed = false
    try run("SELECT 1 FROM \(entity.table) WHERE Z_PK >= ? LIMIT 1", [.integer(key)]) { _ in
      isUsed = true
    }
    if isUsed { throw damage("Z_PRIMARYKEY", entity.root.entityID, "Z_MAX", "\(key - 1)") }
  }

  /// The same for one of the entities of the history.
  func numberDamage(history name: String) throws -> StoreError {
    let find = try connection.prepare(
      "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ? AND Z_ENT > \(HistorySchema.firstEntity)")
    find.bind(name, at: 1)
    return try numberDamage(try find.step() ? find.int64(0) : HistorySchema.firstEntity)
  }
}

extension Statement {
  /// A column as SQL writes it, cut short: for messages.
  func literal(_ column: Int32) -> String {
    switch columnType(column) {
    case .null: "NULL"
    case .integer: "\(int64(column))"
    case .float: "\(double(column))"
    case .text: "'" + String(decoding: utf8(column).prefix(40), as: UTF8.self) + "'"
    case .blob:
      "X'" + blob(column).prefix(20).map { Self.hexadecimal($0) }.joined() + "'"
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
