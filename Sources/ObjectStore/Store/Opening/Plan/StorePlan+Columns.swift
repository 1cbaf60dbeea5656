// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension StorePlan {
  /// Finds the columns of all properties, and plans the columns that a table of the file lacks.
  mutating func planTables() throws {
    let changed = isChecked ? [] : metadata.changedEntities(model)
    let isOfOthers = metadata.validHashes == nil
    for root in model.roots {
      try checkMissingTable(of: root)
      let properties = StoredProperty.all(of: root)
      for table in Set(root.kinds.compactMap { sourceTable(of: $0) }) {
        guard let found = file.tables[table] else { continue }
        sources[root.name, default: [:]][table] = try ColumnSources(
          properties, in: found, kinds: root.kinds.filter { sourceTable(of: $0) == table },
          isShared: file.entities(in: table).count > 1,
          recorded: isChecked ? metadata.columns : nil,
          followed: (fileRoot(of: table), record?.renamings),
          inverses: inverseColumns(properties, in: table), connection)
      }
      count(properties, of: root)
      checkTypes(properties, of: root)
      if isOfOthers || root.kinds.contains(where: { changed.contains($0.name) }) {
        try checkValues(properties, of: root)
      }
      try checkJSON(properties, of: root)
      try planReturned(properties, of: root)
      if let home = homes[root.name], let table = file.tables[home] {
        try planColumns(properties, of: root, in: table)
        markPartial(root, home)
      } else {
        planTable(of: root)
      }
    }
  }

  private mutating func checkMissingTable(of root: EntityDescription) throws {
    guard let known = match.inFile[root.name], file.root(of: known) == known,
      sourceTable(of: root) == nil, known.maximum > 0
    else { return }
    note("no table \(root.table), where Z_PRIMARYKEY counts keys up to \(known.maximum)")
  }

  private mutating func planTable(of root: EntityDescription) {
    if tables[root.table] != nil {
      note("the table \(root.table) of the file belongs to no entity of Z_PRIMARYKEY")
      return
    }
    add("no table \(root.table)") { migration in
      try migration.execute(StoreSchema.createTable(root), "added table \(root.table)")
      try migration.addIndexes(of: root)
    }
    tables[root.table] = FileStructure.Table(
      name: root.table,
      columns: StoreSchema.allColumns(of: root).map { .init(name: $0.name, type: $0.type) })
  }

  private mutating func checkTypes(_ properties: [StoredProperty], of root: EntityDescription) {
    for (table, found) in sources[root.name] ?? [:] {
      for (slot, property) in properties.enumerated() {
        for column in Set(found.columns[slot].values).sorted() {
          guard let type = file.tables[table]?.type(of: column), type != property.type else {
            continue
          }
          let name = currentNames[table] ?? table
          note("\(name).\(column) is \(type), the model wants \(property.type)")
        }
      }
    }
  }

  // MARK: - The columns of a table that stays

  private mutating func planColumns(
    _ properties: [StoredProperty], of root: EntityDescription, in home: FileStructure.Table
  ) throws {
    guard let found = sources[root.name]?[home.name] else { return }
    let targets = Self.targets(properties, found, home)
    var table = home
    var renames: [(from: String, to: String)] = []
    var renamed: [String: String] = [:]
    for (slot, property) in properties.enumerated() {
      let used = Set(found.columns[slot].values)
      if used.count == 1, let old = used.first, old != targets[slot],
        found.columns.filter({ $0.values.contains(old) }).count == 1
      {
        renames.append((old, targets[slot]))
        renamed[old] = targets[slot]
      }
      property.use(targets[slot])
    }
    for (slot, property) in properties.enumerated() {
      guard let toOne = property.toOne else { continue }
      let old = found.columns[slot].values.first ?? found.bases[slot] ?? targets[slot]
      renames += mapCompanions(
        of: toOne, from: old, to: targets[slot], in: home, leaving: Set(renamed.keys))
    }
    plan(renames, in: &table, named: root.table)
    for (slot, property) in properties.enumerated() where !table.has(targets[slot]) {
      planColumn(.init(name: targets[slot], type: property.type), in: &table, of: root)
      if found.bases[slot] == nil { try planNewProperty(property, at: slot, of: root) }
    }
    for toOne in root.toOnes { planCompanions(of: toOne, in: &table, of: root) }
    tables[root.table] = table
    for kind in root.kinds where sourceTable(of: kind) == home.name {
      planValues(of: kind, properties, found, targets, renamed, from: home, in: root.table)
    }
    preservedCount(of: root, home, properties, found, targets)
    let claimed = Set(found.columns.flatMap(\.values))
    let kept = Set(StoreSchema.allColumns(of: root).map(\.name))
    leftovers.columns[root.table] = table.columns.map(\.name).filter { name in
      !kept.contains(name) && !claimed.contains(name)
    }
  }

  /// The column of each property in its table: the one that it has, where all rows have it there.
  private static func targets(
    _ properties: [StoredProperty], _ found: ColumnSources, _ home: FileStructure.Table
  ) -> [String] {
    var targets: [String?] = Array(repeating: nil, count: properties.count)
    var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    for (slot, property) in properties.enumerated() where found.bases[slot] == property.baseColumn {
      let used = Set(found.columns[slot].values)
      if used.count == 1, let column = used.first, taken.insert(column).inserted {
        targets[slot] = column
      }
    }
    let inUse = Set(found.columns.flatMap(\.values))
    for (slot, property) in properties.enumerated()
    where targets[slot] == nil && found.bases[slot] == property.baseColumn {
      let own = found.columns[slot].values.sorted()
      let candidates = [property.defaultColumn, property.baseColumn] + own
      targets[slot] = candidates.first {
        home.has($0) && !taken.contains($0) && (own.contains($0) || !inUse.contains($0))
      }
      if let target = targets[slot] { taken.insert(target) }
    }
    let leaving = Set(
      properties.indices.filter { targets[$0] == nil }.flatMap { found.columns[$0].values })
    return properties.enumerated().map { slot, property in
      if let target = targets[slot] { return target }
      var column = property.defaultColumn
      var number = 0
      while taken.contains(column) || (home.has(column) && !leaving.contains(column)) {
        number += 1
        column = property.baseColumn + String(number)
      }
      taken.insert(column)
      return column
    }
  }

  private mutating func plan(
    _ renames: [(from: String, to: String)], in table: inout FileStructure.Table, named name: String
  ) {
    let isChained = renames.contains { rename in table.has(rename.to) }
    for (index, (from, to)) in renames.enumerated() {
      let old = quoted(from)
      let middle = isChained ? "ZOBJECTSTORE_\(index)" : quoted(to)
      add("no column \(name).\(to)") { migration in
        try migration.connection.execute(
          "ALTER TABLE \(name) RENAME COLUMN \(old) TO \(middle)")
        if !isChained { migration.remark("renamed \(name).\(from) to \(to)") }
      }
    }
    if isChained {
      for (index, (from, to)) in renames.enumerated() {
        let new = quoted(to)
        add(
          nil, "ALTER TABLE \(name) RENAME COLUMN ZOBJECTSTORE_\(index) TO \(new)",
          "renamed \(name).\(from) to \(to)")
      }
    }
    let names = Dictionary(renames.map { ($0.from, $0.to) }, uniquingKeysWith: { a, _ in a })
    columnNames[table.name] = names
    table.rename(names)
  }

  private mutating func planColumn(
    _ column: FileStructure.Column, in table: inout FileStructure.Table, of root: EntityDescription
  ) {
    add(
      "no column \(root.table).\(column.name)",
      "ALTER TABLE \(root.table) ADD COLUMN \(column.name) \(column.type)",
      "added \(root.table).\(column.name)")
    table.columns.append(column)
  }

  /// Moves values of one entity to where the model has them now, all columns at once.
  private mutating func planValues(
    of kind: EntityDescription, _ properties: [StoredProperty], _ found: ColumnSources,
    _ targets: [String], _ renamed: [String: String], from home: FileStructure.Table,
    in table: String
  ) {
    var assignments: [(to: String, from: String)] = []
    for (slot, property) in properties.enumerated() {
      guard let source = found.columns[slot][kind.entityID] else { continue }
      let column = renamed[source] ?? source
      guard column != targets[slot] else { continue }
      assignments.append((targets[slot], column))
      guard let toOne = property.toOne else { continue }
      let order = "Z_FOK_" + source.dropFirst()
      if let wanted = toOne.orderColumn, home.has(order) { assignments.append((wanted, order)) }
      if let kind = toOne.entityColumn,
        let former = home.columns.first(where: { Self.isEntityColumn($0.name, of: source) })
      {
        assignments.append((kind, former.name))
      }
    }
    guard !assignments.isEmpty else { return }
    let assigned = Set(assignments.map(\.to))
    let emptied = assignments.map(\.from).filter { !assigned.contains($0) }
    let list =
      assignments.map { "\(quoted($0.to)) = \(quoted($0.from))" }
      + emptied.map { "\(quoted($0)) = NULL" }
    let remark = assignments.map { "\($0.from) to \($0.to)" }.joined(separator: ", ")
    let (name, number) = (kind.name, kind.entityID)
    add("\(name) has \(remark) of \(table) in the model") { migration in
      try migration.execute(
        "UPDATE \(table) SET \(list.joined(separator: ", ")) WHERE Z_ENT = \(number)",
        "moved \(remark) of \(table) for \(name)")
    }
  }

  // MARK: - Properties that the file lacks

  /// Fills the rows of a new attribute, and of a relationship that was kept elsewhere.
  private mutating func planNewProperty(
    _ property: StoredProperty, at slot: Int, of root: EntityDescription
  ) throws {
    guard let attribute = property.attribute else {
      if let toOne = property.toOne, !toOne.isOptional, try hasRows(toOne.entity) {
        note("\(toOne.label) is not optional, and the rows there lack it")
      }
      return
    }
    let kinds = property.owner.kinds.filter { kind in
      guard let table = sourceTable(of: kind), let found = sources[root.name]?[table] else {
        return false
      }
      return found.bases[slot] == nil
    }
    newAttributes.insert(ObjectIdentifier(attribute))
    let fill = Step(differences: []) { try $0.fill(attribute, kinds) }
    // Once the objects that it is derived from are related.
    if property.owner.relatedColumn(of: attribute) == nil {
      steps.append(fill)
    } else {
      lateSteps.append(fill)
    }
    guard attribute.derivation == nil, attribute.defaultValue == .null, !attribute.isOptional else {
      return
    }
    for kind in kinds where !kind.isAbstract {
      guard try hasOwnRows(kind) else { continue }
      note(
        "\(kind.name).\(attribute.name) is not optional and has no default, and the rows there "
          + "lack it")
    }
  }

  private func hasOwnRows(_ kind: EntityDescription) throws(SQLiteError) -> Bool {
    guard let table = sourceTable(of: kind) else { return false }
    return try hasRow("SELECT 1 FROM \(quoted(table)) WHERE Z_ENT = \(kind.entityID)")
  }

  /// Marks a root if its table contains rows of entities that the model lacks.
  private func markPartial(_ root: EntityDescription, _ home: String) {
    let isPartial = file.entities(in: home).contains { entity in
      match.gone.contains(entity) && (rootAfter(entity).map { $0 === root } ?? true)
    }
    root.setPartial(isPartial)
  }
}

extension FileStructure.Table {
  fileprivate mutating func rename(_ names: [String: String]) {
    columns = columns.map { .init(name: names[$0.name] ?? $0.name, type: $0.type) }
    constraints = constraints.map { $0.map { names[$0] ?? $0 } }
    indexes = indexes.mapValues { $0.map { names[$0] ?? $0 } }
  }
}
