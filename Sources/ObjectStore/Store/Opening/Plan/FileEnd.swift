// SPDX-License-Identifier: Apache-2.0

/// One end of a relationship as a file keeps it: a column, or two of a table of pairs.
struct FileEnd {
  /// Where the two objects of a pair are.
  enum Storage: Hashable {
    /// A to-one: a row of the table, and the key in its column.
    case toOne(table: String, column: String)
    /// The same column, from the object that the key leads to.
    case toMany(table: String, column: String)
    case pairs(table: String, owner: String, member: String)
  }

  let storage: Storage
  /// Upper-cased, maybe with a number that distinguishes it from a namesake.
  let name: String
  /// The number of the entity that declares it; of the root, where the file does not show it.
  let owner: Int64
  /// The number of the entity that it leads to; nil where the file does not show it.
  let destination: Int64?
  /// The column with the order keys of the members.
  let order: String?
  /// Whether the last model lacked it.
  let isLeftover: Bool

  /// The relationship from its other end; the order stays that of the first.
  var reversed: Storage {
    switch storage {
    case .toOne(let table, let column): .toMany(table: table, column: column)
    case .toMany(let table, let column): .toOne(table: table, column: column)
    case .pairs(let table, let owner, let member):
      .pairs(table: table, owner: member, member: owner)
    }
  }

  /// Without the number that distinguishes two tables of pairs.
  var plainName: String {
    guard case .pairs = storage else { return name }
    let digits = name.reversed().prefix { "0"..."9" ~= $0 }.count
    return digits < name.count ? String(name.dropLast(digits)) : name
  }
}

extension FileEnd.Storage {
  var table: String {
    switch self {
    case .toOne(let table, _), .toMany(let table, _), .pairs(let table, _, _): table
    }
  }

  /// The column with the keys; nil for a table of pairs.
  var column: FileStructure.ColumnName? {
    switch self {
    case .toOne(let table, let column), .toMany(let table, let column): .init(table, column)
    case .pairs: nil
    }
  }
}

extension FileStructure {
  /// A column, with its table.
  struct ColumnName: Hashable {
    let table: String
    let column: String

    init(_ table: String, _ column: String) { (self.table, self.column) = (table, column) }
  }

  /// The ends of all relationships, as far as names show them.
  var ends: [FileEnd] {
    let (names, destinations) = (metadata.relationshipNames, metadata.destinations)
    let left = metadata.record?.leftovers ?? []
    let columns = entities.filter { root(of: $0) == $0 }.flatMap { root -> [FileEnd] in
      guard let table = tables[tableName(of: root)] else { return [] }
      return table.columns.filter(\.mayBeReference).flatMap { column -> [FileEnd] in
        let key = StoreMetadata.key(root.number, column.name)
        let isLeftover = left.contains(key)
        if let names = names?[key] {
          return recorded(names, column.name, in: table, destinations?[key], isLeftover)
        }
        // The model that the file was last adapted to had an attribute there.
        guard names == nil && destinations?[key] != nil || destinations == nil || isLeftover else {
          return []
        }
        return named(column.name, in: table, root, destinations?[key], isLeftover)
      }
    }
    let pairs = tables.values.sorted { $0.name < $1.name }
    return columns + pairs.flatMap { pairEnds(of: $0, isLeftover: left.contains($0.name)) }
  }

  /// Reads `3.OWNER/PETS`.
  private func recorded(
    _ names: String, _ column: String, in table: Table, _ destination: Int64?, _ isLeftover: Bool
  ) -> [FileEnd] {
    let parts = names.split(separator: "/", omittingEmptySubsequences: false)
    let own = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, own.count == 2, let number = Int64(own[0]), let destination else {
      return []
    }
    let toOne = FileEnd(
      storage: .toOne(table: table.name, column: column), name: String(own[1]), owner: number,
      destination: destination, order: nil, isLeftover: isLeftover)
    let toMany = FileEnd(
      storage: toOne.reversed, name: String(parts[1]), owner: destination, destination: number,
      order: table.order(column), isLeftover: isLeftover)
    return [toOne, toMany].filter { !$0.name.isEmpty }
  }

  /// Takes a column for the one of a to-one, and `Z1PETS` for that of a to-many without an inverse.
  private func named(
    _ column: String, in table: Table, _ root: Entity, _ destination: Int64?, _ isLeftover: Bool
  ) -> [FileEnd] {
    let toOne = FileEnd(
      storage: .toOne(table: table.name, column: column), name: String(column.dropFirst()),
      owner: root.number, destination: destination, order: nil, isLeftover: isLeftover)
    let digits = column.dropFirst().prefix { "0"..."9" ~= $0 }
    let name = column.dropFirst(1 + digits.count)
    guard let number = Int64(digits), entity(numbered: number) != nil, !name.isEmpty else {
      return [toOne]
    }
    return [
      FileEnd(
        storage: toOne.reversed, name: String(name), owner: number, destination: root.number,
        order: table.order(column), isLeftover: isLeftover)
    ]
  }

  private func pairEnds(of table: Table, isLeftover: Bool) -> [FileEnd] {
    guard let (a, b) = table.pairColumns else { return [] }
    func end(_ owner: PairColumn, _ member: PairColumn, _ name: String) -> FileEnd {
      let order = "Z_FOK_" + member.name.dropFirst(2)
      return FileEnd(
        storage: .pairs(table: table.name, owner: owner.name, member: name),
        name: member.relationship, owner: owner.number, destination: member.number,
        order: table.has(order) ? order : nil, isLeftover: isLeftover)
    }
    guard a.name != b.name else { return [end(a, a, "REFLEXIVE")] }
    return [end(a, b, b.name), end(b, a, a.name)]
  }
}

extension FileStructure.Table {
  fileprivate func order(_ column: String) -> String? {
    let order = "Z_FOK_" + column.dropFirst()
    return has(order) ? order : nil
  }
}

extension FileStructure.Column {
  /// Whether it may be the column of a to-one: not one of `Z_PK`, `Z_FOK_LIST`, `Z10_QUOTE`.
  var mayBeReference: Bool {
    type == "INTEGER" && name.hasPrefix("Z") && !name.hasPrefix("Z_")
      && name.dropFirst().drop { "0"..."9" ~= $0 }.first != "_"
  }
}
