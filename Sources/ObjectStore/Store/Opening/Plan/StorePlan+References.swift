// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The columns beside that of a to-one relationship, and relationships that changed their kind.
extension StorePlan {
  /// Finds the column with the place in an ordered inverse, and that with the entity of the
  /// destination.
  ///
  /// - Parameter leaving: the columns of properties that are renamed.
  /// - Returns: those that are renamed along with the relationship's own.
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

  /// Searches for the earlier form of a to-one relationship without a column.
  mutating func planNewToOne(_ toOne: RelationshipDescription) throws {
    guard let inverse = toOne.inverse else { return }
    for (name, table) in file.tables.sorted(by: { $0.key < $1.key }) {
      guard let (a, b) = table.pairColumns,
        joins(a, b, toOne) || joins(b, a, toOne), try hasRow("SELECT 1 FROM \(quoted(name))")
      else { continue }
      note("\(toOne.entity.name).\(toOne.name) may be kept in the table \(name)")
    }
    if !toOne.isOptional, try hasRows(toOne.entity) {
      note("\(toOne.entity.name).\(toOne.name) is not optional, and the rows there lack it")
    }
    if !inverse.isToMany { try fill(toOne, from: inverse) }
  }

  /// Whether one of the columns of a table of pairs has the name of one end of a relationship.
  private func joins(
    _ a: PairColumn, _ b: PairColumn, _ relationship: RelationshipDescription
  ) -> Bool {
    guard let inverse = relationship.inverse, number(of: relationship.destination, fits: a.number),
      number(of: relationship.entity, fits: b.number)
    else { return false }
    return relationship.namesInFile.contains(a.relationship)
      || inverse.namesInFile.contains(b.relationship)
  }

  /// Whether rows that a table of pairs holds under a number may be objects of an entity: of
  /// itself, or of another one of its hierarchy.
  func number(of entity: EntityDescription, fits number: Int64) -> Bool {
    guard entity.entityID != number else { return true }
    guard let known = match.inFile[entity.name], let other = file.entity(numbered: number) else {
      return false
    }
    return file.root(of: known) == file.root(of: other)
  }

  /// A to-many became a to-one, whose other end has the pairs.
  private mutating func fill(
    _ toOne: RelationshipDescription, from inverse: RelationshipDescription
  ) throws {
    guard let source = sourceTable(of: inverse.entity), let known = file.tables[source] else {
      return
    }
    let columns = inverse.namesInFile.map { "Z" + $0 }.filter { known.type(of: $0) == "INTEGER" }
    guard let column = columns.first else { return }
    let name = quoted(column)
    if try hasRow(
      "SELECT 1 FROM \(quoted(source)) WHERE \(name) IS NOT NULL GROUP BY \(name) "
        + "HAVING count(*) > 1")
    {
      note(
        "\(toOne.entity.name).\(toOne.name) leads to one object, and rows of \(source) have several"
      )
    }
    lateSteps.append(
      Step(differences: []) { migration in
        guard let near = toOne.column, let far = inverse.column else { return }
        let table = toOne.entity.table
        try migration.execute(
          "UPDATE \(table) SET \(near) = (SELECT o.Z_PK FROM \(inverse.entity.table) o "
            + "WHERE o.\(far) = \(table).Z_PK) WHERE \(near) IS NULL",
          "set \(table).\(near) from \(inverse.entity.table).\(far)")
      })
  }
}

extension RelationshipDescription {
  /// Its upper-cased name, and the one that it had in an earlier model.
  var namesInFile: [String] {
    [name.uppercased()] + (renamingIdentifier.map { [$0.uppercased()] } ?? [])
  }
}
