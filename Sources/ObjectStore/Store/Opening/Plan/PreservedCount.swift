// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Counts that must not fall while a file is adapted: of rows first, then of values.
struct PreservedCount {
  let label: String
  let before: String
  let after: String
  /// Whether all rows are compared in their order, if they are as many.
  var isOrder = false

  init(label: String, before: String, after: String) {
    (self.label, self.before, self.after) = (label, before, after)
  }

  init(orderOf label: String, before: String, after: String) {
    self.init(label: label, before: before, after: after)
    isOrder = true
  }

  func measure(_ sql: String, _ connection: Connection) throws(SQLiteError) -> [Int64] {
    guard isOrder else { return try Self.counts(sql, connection) }
    var (count, hasher) = (0 as Int64, Hasher())
    let rows = try connection.prepare(sql)
    while try rows.step() {
      count += 1
      for column in 0..<rows.columnCount { hasher.combine(rows.int64(column)) }
    }
    return [count, Int64(hasher.finalize())]
  }

  /// Counts, in the order of the columns.
  static func counts(_ sql: String, _ connection: Connection) throws(SQLiteError) -> [Int64] {
    let rows = try connection.prepare(sql)
    guard try rows.step() else { return [] }
    return (0..<rows.columnCount).map { rows.int64($0) }
  }

  /// Describes the loss; nil if nothing was lost.
  func loss(from old: [Int64], to new: [Int64]) -> String? {
    guard let rowsBefore = old.first, let rowsAfter = new.first, old.count == new.count else {
      return "\(label) cannot be counted"
    }
    if isOrder {
      return rowsBefore == rowsAfter && old != new ? "the order of \(label) is lost" : nil
    }
    if rowsBefore != rowsAfter { return "\(label): \(rowsBefore) before, \(rowsAfter) after" }
    let lost = zip(old, new).map { $0 - $1 }.filter { $0 > 0 }.reduce(0, +)
    return lost > 0 ? "\(label): \(lost) values are lost" : nil
  }
}

extension StorePlan {
  /// Counts the rows of each entity of a table, and the values of each of its properties.
  mutating func preservedCount(
    of root: EntityDescription, _ home: FileStructure.Table, _ properties: [StoredProperty],
    _ found: ColumnSources, _ targets: [String]
  ) {
    for kind in root.kinds where sourceTable(of: kind) == home.name {
      let columns = properties.indices.compactMap { slot in
        found.columns[slot][kind.entityID].map { (before: $0, after: targets[slot]) }
      }
      let (name, number, from, to) = (kind.name, kind.entityID, home.name, root.table)
      preservedCounts.append { PreservedCount(rowsOf: name, number, columns, from: from, to: to) }
    }
  }
}

extension PreservedCount {
  /// Counts the rows with an entity's number, and the values of their columns.
  init(
    rowsOf name: String, _ number: Int64, _ columns: [(before: String, after: String)],
    from: String, to: String
  ) {
    func select(_ columns: [String], _ table: String) -> String {
      let counts = columns.map { ", count(\(SchemaComparison.quoted($0)))" }.joined()
      return "SELECT count(*)\(counts) FROM \(SchemaComparison.quoted(table)) "
        + "WHERE Z_ENT = \(number)"
    }
    self.init(
      label: "rows of \(name)", before: select(columns.map(\.before), from),
      after: select(columns.map(\.after), to))
  }
}

/// The number of entities and properties that a model and a file share.
struct ModelOverlap {
  var sharedProperties = 0
  var addedProperties = 0
  var goneProperties = 0

  /// Whether the model looks like one of another application: a few names in common by chance, and
  /// more on either side that the other lacks.
  var isForeign: Bool {
    let fewer = min(addedProperties, goneProperties)
    if sharedProperties == 0 { return fewer >= 1 && addedProperties + goneProperties >= 3 }
    return fewer >= 2 && sharedProperties < fewer
  }
}

extension StorePlan {
  mutating func count(_ properties: [StoredProperty], of root: EntityDescription) {
    guard let found = sources[root.name], !found.isEmpty else { return }
    for slot in properties.indices where !(properties[slot].toOne?.isHidden ?? false) {
      if found.values.contains(where: { $0.bases[slot] != nil }) {
        overlap.sharedProperties += 1
      } else {
        overlap.addedProperties += 1
      }
    }
  }

  /// Refuses a model of another application.
  ///
  /// A file that was adapted to a model with an entity of the same hash is related to this one.
  mutating func checkOverlap() throws {
    overlap.goneProperties =
      leftovers.columns.values.joined().filter {
        !$0.hasPrefix("Z_") && !Self.isCompanion($0)
      }.count + leftovers.pairTables.count
    let shared = match.inFile.count
    let added = model.entities.count - shared
    let isForeign = overlap.isForeign || (added > shared && match.gone.count > shared)
    guard isForeign, !metadata.hasEntity(of: model),
      try match.inFile.values.contains(where: { entity in
        let table = file.tableName(of: entity)
        return try file.tables[table] != nil && hasRow("SELECT 1 FROM \(quoted(table))")
      })
    else { return }
    note(
      "the model may belong to another application: \(shared) entities and "
        + "\(overlap.sharedProperties) properties are in both, \(added) and "
        + "\(overlap.addedProperties) in the model only, \(match.gone.count) and "
        + "\(overlap.goneProperties) in the file only")
  }

  /// Whether a column is a reference of a hierarchy, such as `Z10_QUOTE`.
  private static func isCompanion(_ column: String) -> Bool {
    let rest = column.dropFirst()
    let digits = rest.prefix { "0"..."9" ~= $0 }
    return !digits.isEmpty && rest.dropFirst(digits.count).first == "_"
  }
}
