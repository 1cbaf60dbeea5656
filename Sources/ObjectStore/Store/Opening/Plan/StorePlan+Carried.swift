// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Pairs that the file keeps elsewhere than the model: as a to-one that became a to-many, or as the inverse of
/// a relationship that it has no longer.
struct CarriedPairs {
  let relationship: RelationshipDescription
  let source: PairSource
  /// The relationship, or its inverse, if the members have keys in its order.
  let ordered: RelationshipDescription?
  /// The table that keeps them while the rows move.
  let name: String
  /// `Item.group`, or the inverse's name where the model names only that.
  let label: String
}

extension StorePlan {
  mutating func planCarriedPairs() throws {
    guard !isChecked else { return }
    for toOne in model.roots.flatMap(\.toOnes) {
      let own = columns(of: toOne)
      let known = isHalf(toOne) ? own.union(columns(of: toOne.inverse)) : own
      try carry(toOne) { $0.column.map(known.contains) ?? false }
    }
    for near in model.entities.flatMap(\.ownRelationships) where near.ownsJoinTable {
      let known = pairTables[ObjectIdentifier(near)] ?? []
      try carry(near) { $0.column == nil && known.contains($0.table) }
    }
    try nameGains()
    try checkMembers()
    if metadata.relationshipNames == nil { try checkNewToManys() }
  }

  /// Whether the file has both columns of a one-to-one relationship, and not two relationships.
  private func isHalf(_ toOne: RelationshipDescription) -> Bool {
    guard !toOne.isToMany, let inverse = toOne.inverse, !inverse.isToMany,
      !columns(of: toOne).isEmpty
    else { return false }
    let others = columns(of: inverse)
    return metadata.relationshipNames == nil || inverse === toOne
      || ends(of: toOne).contains { end in
        if case .toMany(let table, let column) = end.storage {
          return others.contains(.init(table, column))
        }
        return false
      }
  }

  /// Names the relationships that gain the objects of an end that was not their inverse in the file.
  private mutating func nameGains() throws {
    for relationship in model.entities.flatMap(\.ownRelationships) where !relationship.isHidden {
      guard let inverse = relationship.inverse, !inverse.isHidden else { continue }
      let own = Set(ends(of: relationship).map(\.storage))
      guard !own.isEmpty, inverse !== relationship, !isHalf(relationship) else { continue }
      let others = ends(of: inverse).filter { !own.contains($0.reversed) }
      let owners = inverse.entity.kinds.map(\.entityID)
      for source in others.compactMap({ source(of: $0, inverse) })
      where try hasRow("SELECT 1 " + source.rows(owners: owners, members: match.inModel.keys)) {
        let text = "\(relationship.label) has the objects of its new inverse \(inverse.label)"
        add(text + " in the model", changesStructure: false) { $0.remark(text) }
      }
    }
  }

  /// Refuses members of entities that a to-many no longer leads to.
  private mutating func checkMembers() throws {
    for toMany in model.entities.flatMap(\.ownRelationships)
    where toMany.isToMany && !toMany.isHidden && toMany.destination.superentity != nil {
      let others = Set(match.inModel.keys).subtracting(toMany.destination.kinds.map(\.entityID))
      for source in ends(of: toMany).compactMap({ source(of: $0, toMany) })
      where try hasRow(
        "SELECT 1 " + source.rows(owners: toMany.entity.kinds.map(\.entityID), members: others))
      {
        note(
          "\(toMany.label) leads to \(toMany.destination.name) in the model, and has objects that are "
            + "none")
      }
    }
  }

  /// Refuses a to-many that a file without records may keep in the column of a to-one that the model lacks.
  ///
  /// Core Data makes an index of each such column.
  private mutating func checkNewToManys() throws {
    let claimed = claimedColumns
    for toOne in model.roots.flatMap(\.toOnes) where columns(of: toOne).isEmpty {
      guard let toMany = toOne.inverse, toMany.isToMany, ends(of: toMany).isEmpty,
        let table = sourceTable(of: toOne.entity), let owner = sourceTable(of: toMany.entity)
      else { continue }
      for columns in file.tables[table]?.indexes.values.sorted(by: { $0[0] < $1[0] }) ?? []
      where columns.count == 1 && !claimed.contains(.init(table, columns[0])) {
        let key = KeyColumn(
          table: table, column: columns[0], kinds: toOne.entity.kinds.map(\.entityID))
        let column = file.tables[table]?.columns.first { $0.name == columns[0] }
        guard column?.mayBeReference == true, try count(key) > 0,
          try countKeys(key, notIn: owner) == 0
        else { continue }
        note("\(toMany.label) may be kept in the column \(table).\(columns[0])")
      }
    }
  }

  /// Adopts the references that either end of a relationship has in the file, beside its own.
  private mutating func carry(
    _ relationship: RelationshipDescription, except isKnown: (FileEnd.Storage) -> Bool
  ) throws {
    var found: [FileEnd.Storage: (end: FileEnd, isReversed: Bool)] = [:]
    for end in ends(of: relationship) { found[end.storage] = (end, false) }
    for end in ends(of: relationship.inverse)
    where relationship.inverse !== relationship && found[end.reversed]?.end.order == nil {
      found[end.reversed] = (end, true)
    }
    let others = found.filter { !isKnown($0.key) }.sorted { "\($0.key)" < "\($1.key)" }
    for (storage, (end, isReversed)) in others {
      let named = isReversed ? relationship.inverse ?? relationship : relationship
      let count = obstacles.count
      if case .toOne(let table, let column) = end.storage {
        let kinds = named.entity.kinds.map(\.entityID)
        try check(named, KeyColumn(table: table, column: column, kinds: kinds))
      }
      guard obstacles.count == count, let source = source(of: end, named) else { continue }
      let pairs = CarriedPairs(
        relationship: relationship, source: isReversed ? source.reversed : source,
        ordered: named.isOrdered && source.orderKey != nil ? named : nil,
        name: "ZOBJECTSTORE_PAIRS_\(carried.count)",
        label: (relationship.isHidden ? named : relationship).label)
      try carry(pairs, from: storage)
    }
  }

  private mutating func carry(_ pairs: CarriedPairs, from storage: FileEnd.Storage) throws {
    let (source, relationship) = (pairs.source, pairs.relationship)
    let rows = source.rows(
      owners: relationship.entity.kinds.map(\.entityID), members: match.inModel.keys)
    guard try hasRow("SELECT 1 \(rows)") else { return }
    guard let column = storage.column else {
      return note("\(pairs.label) may be kept in the table \(storage.table)")
    }
    for (side, entity) in [
      (source.owner, relationship.entity), (source.member, relationship.destination),
    ] where !entity.root.kinds.contains(where: { sourceTable(of: $0) == side.table }) {
      return note(
        "\(pairs.label) leads to \(relationship.destination.name) in the model, and its objects in "
          + "\(column.table).\(column.column) are others")
    }
    carried.append(pairs)
    let create =
      "CREATE TEMP TABLE \(pairs.name) AS SELECT DISTINCT \(source.owner.alias).Z_PK AS owner, "
      + "\(source.member.alias).Z_PK AS member, \(source.orderKey ?? "NULL") AS place \(rows); "
      + "CREATE INDEX temp.\(pairs.name)_INDEX ON \(pairs.name)(owner, member)"
    addFirst { try $0.connection.execute(create) }
    if !claimedColumns.contains(column) { empty(column, pairs) }
    let text = "\(pairs.label) is kept in the column \(column.table).\(column.column)"
    lateSteps.insert(
      Step(differences: [text]) {
        try $0.write(pairs, "\(column.table).\(column.column)")
      }, at: carried.count - 1)
    if relationship.entityColumn != nil { fillEntityColumn(of: relationship) }
  }

  /// Removes values from a column that the model lacks, so that a later model does not find them there again.
  private mutating func empty(_ column: FileStructure.ColumnName, _ pairs: CarriedPairs) {
    let row = pairs.source.owner.alias == "a" ? "owner" : "member"
    let (table, name) = (quoted(currentNames[column.table] ?? column.table), quoted(column.column))
    add(nil) {
      try $0.connection.execute(
        "UPDATE \(table) SET \(name) = NULL WHERE \(name) IS NOT NULL "
          + "AND Z_PK IN (SELECT \(row) FROM \(pairs.name))")
    }
  }

  // MARK: - Required state afterwards

  /// Counts the members of each relationship of the file by its name, and follows their order.
  mutating func addMemberCounts() {
    guard !isChecked else { return }
    let (offsets, known) = (self.offsets, match.inModel.keys.map(\.self))
    for relationship in model.entities.flatMap(\.ownRelationships) where !relationship.isHidden {
      let sources = ends(of: relationship).compactMap { source(of: $0, relationship) }
      guard !sources.isEmpty else { continue }
      let owners = relationship.entity.kinds.map(\.entityID)
      let before = sources.map {
        "SELECT \($0.owner.alias).Z_PK, \($0.member.alias).Z_PK "
          + $0.rows(owners: owners, members: known)
      }
      let members = relationship.destination.kinds.map(\.entityID)
      preservedCounts.append {
        let rows = PairSource(relationship).rows(owners: owners, members: members)
        return PreservedCount(
          label: "objects of \(relationship.label)",
          before: "SELECT 0, count(*) FROM (\(before.joined(separator: " UNION ")))",
          after: "SELECT 0, count(*) \(rows)")
      }
      guard relationship.isOrdered, sources.count == 1, sources[0].orderKey != nil else { continue }
      preservedCounts.append {
        PreservedCount(
          orderOf: relationship.label,
          before: sources[0].sequence(owners, known, offsets: [:]),
          after: PairSource(relationship).sequence(owners, members, offsets: offsets))
      }
    }
  }
}

extension PairSource {
  /// The SQL of all pairs in order.
  ///
  /// - Parameter offsets: by entity, by how much its keys have grown.
  fileprivate func sequence(
    _ owners: [Int64], _ members: [Int64], offsets: [Int64: Int64]
  ) -> String {
    func key(_ side: Side) -> String {
      guard !offsets.isEmpty else { return side.alias + ".Z_PK" }
      let cases = offsets.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \($0.value)" }
      return
        "\(side.alias).Z_PK - CASE \(side.alias).Z_ENT \(cases.joined(separator: " ")) ELSE 0 END"
    }
    return "SELECT \(key(owner)), \(key(member)) \(rows(owners: owners, members: members)) "
      + "ORDER BY 1, \(orderKey ?? "2"), 2"
  }
}

extension RelationshipDescription {
  /// `Item.group`.
  var label: String { "\(entity.name).\(name)" }
}

extension StoreMigration {
  /// Writes carried pairs where the model has them, beside the ones that are there.
  fileprivate mutating func write(_ pairs: CarriedPairs, _ source: String) throws {
    let (relationship, name) = (pairs.relationship, pairs.name)
    var missing = "SELECT count(*) FROM \(name) n LEFT JOIN "
    switch relationship.storage {
    case .column(let column):
      let table = relationship.entity.table
      var sets = "\(column) = (SELECT n.member FROM \(name) n WHERE n.owner = \(table).Z_PK)"
      if pairs.ordered != nil, let order = relationship.orderColumn {
        sets += ", \(order) = (SELECT n.place FROM \(name) n WHERE n.owner = \(table).Z_PK)"
      }
      try connection.execute(
        "UPDATE \(table) SET \(sets) WHERE \(column) IS NULL AND Z_PK IN (SELECT owner FROM \(name))"
      )
      missing += "\(table) o ON o.Z_PK = n.owner WHERE o.\(column) IS NOT n.member"
    case .joinTable(let table, let source, let destination, _):
      let order = pairs.ordered?.pairOrder
      try connection.execute(
        "INSERT OR IGNORE INTO \(table)(\(source), \(destination)\(order.map { ", " + $0 } ?? "")) "
          + "SELECT owner, member\(order == nil ? "" : ", place") FROM \(name)")
      missing +=
        "\(table) o ON o.\(source) = n.owner AND o.\(destination) = n.member WHERE o.\(source) IS NULL"
    case .inverseColumn: return
    }
    if connection.changes > 0 { remark("moved \(pairs.label) from \(source)") }
    if let lost = try PreservedCount.counts(missing, connection).first, lost > 0 {
      note(
        "\(pairs.label) leads to one object, and \(lost == 1 ? "1 row has" : "\(lost) rows have") "
          + "another one in \(source)")
    }
    try connection.execute("DROP TABLE temp.\(name)")
  }
}

extension RelationshipDescription {
  fileprivate var pairOrder: String? {
    guard case .joinTable(_, _, _, let order) = storage else { return nil }
    return order
  }
}
