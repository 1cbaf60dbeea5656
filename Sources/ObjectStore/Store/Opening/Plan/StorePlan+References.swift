// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The columns beside that of a to-one relationship, and relationships that changed their kind.
extension StorePlan {
  /// Finds the column with the keys of an ordered inverse, and that with the entity of the
  /// destination.
  ///
  /// - Parameter leaving: the columns of properties that are renamed.
  /// - Returns: the columns that are renamed along with the relationship's own.
  func mapCompanions(
    of toOne: RelationshipDescription, from old: String, to new: String,
    in table: FileStructure.Table, leaving: Set<String>
  ) -> [(from: String, to: String)] {
    var renames: [(from: String, to: String)] = []
    if toOne.inverse.isToMany {
      let order = "Z_FOK_" + new.dropFirst()
      toOne.inverse.storage = .inverseColumn(new, order: toOne.inverse.isOrdered ? order : nil)
      let former = "Z_FOK_" + old.dropFirst()
      if former != order, toOne.inverse.isOrdered, table.has(former) {
        renames.append((former, order))
      }
    }
    guard toOne.entityColumn != nil else { return renames }
    let wanted = "Z\(toOne.destination.root.entityID)_\(new.dropFirst())"
    toOne.entityColumn = wanted
    guard !table.has(wanted) || old != new && leaving.contains(new),
      let found = table.columns.first(where: { Self.isEntityColumn($0.name, of: old) })
    else { return renames }
    if old == new {
      toOne.entityColumn = found.name
    } else {
      renames.append((found.name, wanted))
    }
    return renames
  }

  /// Whether a column is named `Z10_QUOTE`, for `ZQUOTE` and any number.
  static func isEntityColumn(_ name: String, of column: String) -> Bool {
    let rest = name.dropFirst()
    let digits = rest.prefix { "0"..."9" ~= $0 }
    return name.hasPrefix("Z") && !digits.isEmpty
      && rest.dropFirst(digits.count) == "_" + column.dropFirst()
  }

  mutating func planCompanions(
    of toOne: RelationshipDescription, in table: inout FileStructure.Table,
    of root: EntityDescription
  ) {
    for name in [toOne.orderColumn, toOne.entityColumn].compactMap(\.self)
    where !table.has(name) {
      add(
        "no column \(root.table).\(name)",
        "ALTER TABLE \(root.table) ADD COLUMN \(name) INTEGER", "added \(root.table).\(name)")
      table.columns.append(.init(name: name, type: "INTEGER"))
      if name == toOne.entityColumn { fillEntityColumn(of: toOne) }
    }
  }

  /// Writes the entity of each destination beside its key, once all rows are where they belong.
  mutating func fillEntityColumn(of toOne: RelationshipDescription) {
    guard let column = toOne.column, let entityColumn = toOne.entityColumn else { return }
    let (table, destination) = (toOne.entity.table, toOne.destination.table)
    let sql =
      "UPDATE \(table) SET \(entityColumn) = (SELECT d.Z_ENT FROM \(destination) d "
      + "WHERE d.Z_PK = \(table).\(column)) WHERE \(column) IS NOT NULL AND \(entityColumn) IS NULL"
    lateSteps.append(Step(differences: []) { try $0.connection.execute(sql) })
  }

  /// Whether rows that a table of pairs holds under a number may be objects of an entity: of
  /// itself, or of another one of its hierarchy.
  func number(of entity: EntityDescription, fits number: Int64) -> Bool {
    guard entity.entityID != number else { return true }
    guard let other = file.entity(numbered: number) else { return false }
    return entity.kinds.contains {
      match.inFile[$0.name].map { file.root(of: $0) == file.root(of: other) } ?? false
    }
  }
}

extension RelationshipDescription {
  /// Its upper-cased name, and the one that it had in an earlier model.
  var namesInFile: [String] {
    [name.uppercased()] + (renamingIdentifier.map { [$0.uppercased()] } ?? [])
  }
}
