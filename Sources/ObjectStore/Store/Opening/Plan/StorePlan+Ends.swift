// SPDX-License-Identifier: Apache-2.0

/// The ends of the file's relationships, found by the names of the model.
extension StorePlan {
  /// Finds the ends of the file by their entities, and the relationships' names among theirs.
  mutating func findEnds() {
    guard !isChecked else { return }
    for end in file.ends {
      guard let owner = file.entity(numbered: end.owner) else { continue }
      endsByRoot[file.root(of: owner).number, default: []].append(end)
    }
    for root in model.roots {
      let relationships = root.kinds.flatMap(\.ownRelationships).filter { !$0.isHidden }
      let names = Set(relationships.map { $0.name.uppercased() })
      let present = Set(
        fileRoots(of: root).flatMap { endsByRoot[$0] ?? [] }
          .flatMap { names.contains($0.name) ? [$0.name] : [$0.name, $0.plainName] })
      let wanted = relationships.map { relationship in
        var item = NameMatch.Wanted(pairs: relationship)
        item.isPending = isPending(item, in: root.entityID)
        return item
      }
      let match = NameMatch(wanted, in: present)
      for (relationship, item) in zip(relationships, wanted) {
        namesInFile[ObjectIdentifier(relationship)] = match[item]
      }
    }
  }

  /// Whether the file has not followed a renaming yet, which is recorded of a column or of pairs.
  private func isPending(_ item: NameMatch.Wanted, in root: Int64) -> Bool {
    guard let followed = record?.renamings, let renaming = item.renaming(in: root) else {
      return false
    }
    let column = NameMatch.Wanted(name: "Z" + item.name, former: item.former.map { "Z" + $0 })
    return !followed.contains(renaming) && column.renaming(in: root).map(followed.contains) != true
  }

  private func fileRoots(of entity: EntityDescription) -> Set<Int64> {
    Set(entity.kinds.compactMap { match.inFile[$0.name].map { file.root(of: $0).number } })
  }

  /// Where the file keeps a relationship, by its name or its former one.
  ///
  /// A relationship that moved within its hierarchy, or that several entities had, may be in several tables.
  func ends(of relationship: RelationshipDescription) -> [FileEnd] {
    guard let name = namesInFile[ObjectIdentifier(relationship)] else { return [] }
    let named = fileRoots(of: relationship.entity).sorted().flatMap { endsByRoot[$0] ?? [] }
      .filter { $0.name == name || $0.plainName == name }
    var byOwner = Dictionary(grouping: named, by: \.owner).mapValues { ends in
      let exact = ends.filter { $0.name == name }
      return exact.isEmpty ? ends : exact
    }
    if let own = byOwner[relationship.entity.entityID] {
      byOwner = [relationship.entity.entityID: own]
    }
    let ends = byOwner.sorted { $0.key < $1.key }.flatMap(\.value)
    let current = ends.filter { !$0.isLeftover }
    return current.isEmpty ? ends : current
  }

  /// By the slot of a to-one that has no column of its own name: the column that its inverse is kept in.
  func inverseColumns(_ properties: [StoredProperty], in table: String) -> [Int: String] {
    guard !isChecked else { return [:] }
    var columns: [Int: String] = [:]
    for (slot, property) in properties.enumerated() {
      guard let inverse = property.toOne?.inverse, !inverse.isHidden else { continue }
      for case .toMany(table, let column) in ends(of: inverse).map(\.storage) {
        columns[slot] = columns[slot] ?? column
      }
    }
    return columns
  }

  /// The columns of the file that a to-one relationship takes over.
  func columns(of toOne: RelationshipDescription) -> Set<FileStructure.ColumnName> {
    let root = toOne.entity.root
    let slot = root.attributes.count + (root.toOnes.firstIndex { $0 === toOne } ?? 0)
    return Set(
      (sources[root.name] ?? [:]).flatMap { table, found in
        found.columns[slot].values.map { .init(table, $0) }
      })
  }

  /// All columns that a property takes over.
  var claimedColumns: Set<FileStructure.ColumnName> {
    Set(
      sources.values.joined().flatMap { table, found in
        found.columns.flatMap(\.values).map { .init(table, $0) }
      })
  }
}

/// SQL that reads the owners and the members of a relationship.
struct PairSource {
  struct Side {
    let table: String
    /// Its alias in the SQL.
    let alias: String
  }

  var owner: Side
  var member: Side
  let tables: String
  /// The key of the member in an order.
  var orderKey: String?

  var reversed: PairSource {
    PairSource(owner: member, member: owner, tables: tables, orderKey: orderKey)
  }

  /// `FROM … WHERE …`, of objects of some entities.
  func rows(owners: some Sequence<Int64>, members: some Sequence<Int64>) -> String {
    func list(_ numbers: some Sequence<Int64>) -> String {
      numbers.sorted().map(String.init).joined(separator: ", ")
    }
    return "FROM \(tables) WHERE \(owner.alias).Z_ENT IN (\(list(owners))) "
      + "AND \(member.alias).Z_ENT IN (\(list(members)))"
  }
}

extension StorePlan {
  /// Reads an end of the file; nil where its entities have no tables.
  func source(
    of end: FileEnd, _ relationship: RelationshipDescription
  ) -> PairSource? {
    func table(_ number: Int64?, _ entity: EntityDescription) -> String? {
      guard let number else { return entity.kinds.lazy.compactMap { sourceTable(of: $0) }.first }
      let name = file.entity(numbered: number).map { file.tableName(of: $0) }
      return name.flatMap { file.tables[$0] }?.name
    }
    switch end.storage {
    case .toOne(let near, let column):
      guard let far = table(end.destination, relationship.destination) else { return nil }
      return PairSource(
        owner: .init(table: near, alias: "a"), member: .init(table: far, alias: "b"),
        tables: "\(quoted(near)) a JOIN \(quoted(far)) b ON b.Z_PK = a.\(quoted(column))")
    case .toMany(let near, let column):
      guard let far = table(end.owner, relationship.entity) else { return nil }
      return PairSource(
        owner: .init(table: far, alias: "b"), member: .init(table: near, alias: "a"),
        tables: "\(quoted(near)) a JOIN \(quoted(far)) b ON b.Z_PK = a.\(quoted(column))",
        orderKey: end.order.map { "a.\(quoted($0))" })
    case .pairs(let pairs, let owner, let member):
      guard let near = table(end.owner, relationship.entity),
        let far = table(end.destination, relationship.destination)
      else { return nil }
      return PairSource(
        owner: .init(table: near, alias: "a"), member: .init(table: far, alias: "b"),
        tables: "\(quoted(pairs)) p JOIN \(quoted(near)) a ON a.Z_PK = p.\(quoted(owner)) "
          + "JOIN \(quoted(far)) b ON b.Z_PK = p.\(quoted(member))",
        orderKey: end.order.map { "p.\(quoted($0))" })
    }
  }
}

extension PairSource {
  /// Reads a relationship where the model has it.
  init(_ relationship: RelationshipDescription) {
    let (near, far) = (relationship.entity.table, relationship.destination.table)
    owner = Side(table: near, alias: "a")
    member = Side(table: far, alias: "b")
    switch relationship.storage {
    case .column(let column):
      tables = "\(near) a JOIN \(far) b ON b.Z_PK = a.\(column)"
    case .inverseColumn(let column, let order):
      tables = "\(far) b JOIN \(near) a ON a.Z_PK = b.\(column)"
      orderKey = order.map { "b." + $0 }
    case .joinTable(let pairs, let source, let destination, let order):
      tables =
        "\(pairs) p JOIN \(near) a ON a.Z_PK = p.\(source) JOIN \(far) b ON b.Z_PK = p.\(destination)"
      orderKey = order.map { "p." + $0 }
    }
  }
}
