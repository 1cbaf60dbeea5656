// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Rows that another table holds in the model: of entities that left a hierarchy, or entered one.
extension StorePlan {
  private struct Move {
    let entity: FileStructure.Entity
    let from: String
    let root: EntityDescription
    /// The offset for its keys, which makes them differ from the keys of existing rows.
    var offset: Int64 = 0
  }

  mutating func planMoves() throws {
    var moves: [Move] = []
    for entity in file.entities {
      let table = file.tableName(of: entity)
      guard file.tables[table] != nil, let root = rootAfter(entity), homes[root.name] != table
      else { continue }
      moves.append(Move(entity: entity, from: table, root: root))
    }
    planKeys()
    guard !moves.isEmpty else { return }
    try setOffsets(&moves)
    for move in moves {
      try checkReferences(move)
      try plan(move)
    }
    // Only now, because rows of one entity may refer to rows of another that also moves.
    for move in moves where move.offset != 0 { planReferences(move) }
    for move in moves {
      let table = quoted(currentNames[move.from] ?? move.from)
      add(nil) {
        try $0.connection.execute("DELETE FROM \(table) WHERE Z_ENT = \(move.entity.number)")
      }
    }
    planEmptyTables(moves)
    for root in model.roots where moves.contains(where: { $0.root === root }) {
      for toOne in root.toOnes { fillEntityColumn(of: toOne) }
    }
  }

  /// Roots count the keys of their table: a new root continues where the old one stopped.
  private mutating func planKeys() {
    for root in model.roots {
      let tables = Set(root.kinds.compactMap { sourceTable(of: $0) })
      let isNew = match.inFile[root.name].map { file.root(of: $0) != $0 } ?? true
      guard !tables.isEmpty, isNew || tables.count > 1 else { continue }
      let known = tables.flatMap { file.entities(in: $0).map(\.maximum) }.max() ?? 0
      let (table, number) = (root.table, root.entityID)
      lateSteps.append(
        Step(differences: []) { migration in
          try migration.connection.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), \(known), "
              + "(SELECT ifnull(max(Z_PK), 0) FROM \(table))) WHERE Z_ENT = \(number)")
        })
    }
  }

  private mutating func setOffsets(_ moves: inout [Move]) throws {
    var highest: [String: Int64] = [:]
    func last(_ table: String) throws -> Int64 {
      let key = try integers("SELECT ifnull(max(Z_PK), 0) FROM \(quoted(table))").first ?? 0
      return max(key, file.entities(in: table).map(\.maximum).max() ?? 0)
    }
    var offsets: [String: Int64] = [:]
    for index in moves.indices {
      let (root, from) = (moves[index].root.name, moves[index].from)
      if let known = offsets[root + "\n" + from] {
        moves[index].offset = known
        continue
      }
      // Above the keys of both tables, so a new key is never the old key of another row.
      let first = try highest[root] ?? homes[root].map(last) ?? 0
      let offset = try first == 0 ? 0 : max(first, last(from))
      let (sum, isTooLarge) = try offset.addingReportingOverflow(last(from))
      if isTooLarge || sum == .max { note("the keys of \(from) are too large to move its rows") }
      highest[root] = isTooLarge ? offset : sum
      offsets[root + "\n" + from] = offset
      moves[index].offset = offset
    }
    for move in moves { self.offsets[move.entity.number] = move.offset }
  }

  // MARK: - Rows

  private mutating func plan(_ move: Move) throws {
    guard let from = file.tables[move.from] else { return }
    let (number, target) = (move.entity.number, move.root.table)
    let properties = StoredProperty.all(of: move.root)
    let found = sources[move.root.name]?[move.from]
    var columns: [(to: String, from: String)] = []
    for (slot, property) in properties.enumerated() {
      guard let source = found?.columns[slot][number],
        let column = property.attribute?.column ?? property.toOne?.column
      else { continue }
      columns.append((column, source))
      let order = "Z_FOK_" + source.dropFirst()
      if let wanted = property.toOne?.orderColumn, from.has(order) {
        columns.append((wanted, order))
      }
    }
    columns += try carried(move, from, except: columns.map(\.from))
    let (old, names) = (quoted(currentNames[move.from] ?? move.from), columnNames[move.from] ?? [:])
    let into = columns.map { ", " + quoted($0.to) }.joined()
    let values = columns.map { ", " + quoted(names[$0.from] ?? $0.from) }.joined()
    let name = move.entity.name
    add("the rows of \(name) are in \(move.from), the model wants them in \(target)") {
      try $0.execute(
        "INSERT INTO \(target)(Z_PK, Z_ENT, Z_OPT\(into)) SELECT Z_PK + \(move.offset), Z_ENT, "
          + "Z_OPT\(values) FROM \(old) WHERE Z_ENT = \(number)",
        "moved the rows of \(name) to \(target)")
    }
    if file.history != nil, move.offset != 0 {
      add(nil) {
        try $0.connection.execute(
          "UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + \(move.offset) WHERE ZENTITY = \(number)")
      }
    }
    let pairs = columns.map { (before: $0.from, after: $0.to) }
    preservedCounts.append {
      PreservedCount(rowsOf: name, number, pairs, from: move.from, to: target)
    }
  }

  /// Values that the model lacks go along, in columns of the same name.
  private mutating func carried(
    _ move: Move, _ from: FileStructure.Table, except known: [String]
  ) throws -> [(to: String, from: String)] {
    let extra = from.columns.filter {
      !["Z_PK", "Z_ENT", "Z_OPT"].contains($0.name) && !known.contains($0.name)
    }
    guard !extra.isEmpty else { return [] }
    let used = try integers(
      "SELECT " + extra.map { "max(\(quoted($0.name)) IS NOT NULL)" }.joined(separator: ", ")
        + " FROM \(quoted(move.from)) WHERE Z_ENT = \(move.entity.number)")
    var columns: [(to: String, from: String)] = []
    let target = move.root.table
    for (column, isUsed) in zip(extra, used) where isUsed != 0 {
      if tables[target]?.has(column.name) == true {
        note(
          "values of \(move.from).\(column.name) of \(move.entity.name) have no place in \(target)")
        continue
      }
      add(
        nil, "ALTER TABLE \(target) ADD COLUMN \(column.declaration)",
        "added \(target).\(column.name)")
      tables[target]?.columns.append(column)
      leftovers.columns[target, default: []].append(column.name)
      columns.append((column.name, column.name))
    }
    return columns
  }

  private mutating func planEmptyTables(_ moves: [Move]) {
    for table in Set(moves.map(\.from)).sorted() {
      let rest = file.entities(in: table).filter { entity in
        !moves.contains { $0.entity == entity }
      }
      guard rest.isEmpty, !homes.values.contains(table) else { continue }
      let name = quoted(currentNames[table] ?? table)
      add(nil) { migration in
        guard try !migration.connection.prepare("SELECT 1 FROM \(name) LIMIT 1").step() else {
          return migration.note("rows of \(table) belong to no entity of Z_PRIMARYKEY")
        }
        try migration.execute("DROP TABLE \(name)", "dropped \(table), whose rows have moved")
      }
      tables[table] = nil
    }
  }

  // MARK: - References

  /// The columns of a file that contain keys of rows of a table: table, column, relationship.
  private func references(
    to table: String
  ) -> [(table: String, column: String, relationship: RelationshipDescription)] {
    var references: [(table: String, column: String, relationship: RelationshipDescription)] = []
    for entity in model.entities {
      for relationship in entity.ownRelationships
      where sourceTable(of: relationship.destination) == table {
        switch relationship.storage {
        case .column(let column):
          references.append((entity.table, column, relationship))
        case .joinTable(let pairs, _, let destination, _):
          references.append((pairs, destination, relationship))
        case .inverseColumn: break
        }
      }
    }
    return references
  }

  private mutating func planReferences(_ move: Move) {
    let old = quoted(currentNames[move.from] ?? move.from)
    let (number, offset) = (move.entity.number, move.offset)
    let references =
      references(to: move.from).map { ($0.table, $0.column) }.filter {
        tables[$0]?.has($1) != false
      }
      + carried.filter { $0.source.owner.table == move.from }.map { ($0.name, "owner") }
      + carried.filter { $0.source.member.table == move.from }.map { ($0.name, "member") }
    for (table, column) in references {
      add(nil) {
        try $0.connection.execute(
          "UPDATE \(table) SET \(column) = \(column) + \(offset) WHERE \(column) IN "
            + "(SELECT Z_PK FROM \(old) WHERE Z_ENT = \(number))")
      }
    }
  }

  /// References to a row must still be allowed when the row belongs to another hierarchy.
  private mutating func checkReferences(_ move: Move) throws {
    for (_, _, relationship) in references(to: move.from) {
      let isKind = relationship.destination.kinds.contains {
        $0.entityID == move.entity.number
      }
      guard !isKind, relationship.destination.root !== move.root else { continue }
      for (table, column) in columnsInFile(of: relationship)
      where try hasRow(
        "SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IN (SELECT Z_PK FROM "
          + "\(quoted(move.from)) WHERE Z_ENT = \(move.entity.number))")
      {
        note(
          "\(relationship.entity.name).\(relationship.name) refers to objects of \(move.entity.name), "
            + "but the model has \(relationship.destination.name) as its destination")
      }
    }
  }

  private func columnsInFile(of relationship: RelationshipDescription) -> [(String, String)] {
    let root = relationship.entity.root
    if case .joinTable(let pairs, _, let destination, _) = relationship.storage {
      let table = file.tables.keys.first { (currentNames[$0] ?? $0) == pairs }
      return table.map { [($0, destination)] }.map {
        $0.filter { file.tables[$0.0]?.has($0.1) == true }
      } ?? []
    }
    let slot = StoredProperty.all(of: root).firstIndex { $0.toOne === relationship }
    return (sources[root.name] ?? [:]).flatMap { table, found in
      slot.map { Set(found.columns[$0].values).map { (table, $0) } } ?? []
    }
  }
}
