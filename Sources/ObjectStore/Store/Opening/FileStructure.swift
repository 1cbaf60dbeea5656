// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The tables, columns, indexes and entities of a store's file, read at once.
///
/// An opening is planned from this, whichever library wrote the file.
struct FileStructure {
  /// A row of `Z_PRIMARYKEY`.
  struct Entity: Hashable {
    let name: String
    let number: Int64
    let superNumber: Int64
    /// `Z_MAX`, of a root.
    let maximum: Int64
  }

  /// A column as its table declares it.
  struct Column: Hashable {
    let name: String
    let type: String
  }

  struct Table {
    let name: String
    var columns: [Column] = []
    /// The columns of each uniqueness constraint of CREATE TABLE.
    var constraints: [[String]] = []
    /// The columns of each index that CREATE INDEX made, by its name.
    var indexes: [String: [String]] = [:]
    /// The names of the unique ones among them.
    var uniqueIndexes: Set<String> = []

    /// The columns of each uniqueness constraint, in either form.
    var uniques: [[String]] {
      constraints + uniqueIndexes.sorted().compactMap { indexes[$0] }
    }

    /// The constraints and the names of Core Data's unique indexes over some columns, except the
    /// model's.
    func uniques(
      otherThan declared: [[String]], over known: Set<String>
    ) -> (constraints: [[String]], indexes: [String]) {
      func isOther(_ columns: [String]) -> Bool {
        !declared.contains(columns) && !known.isDisjoint(with: columns)
      }
      let names = uniqueIndexes.filter { name in
        name.hasPrefix("Z_") && name.contains("_UNIQUE_") && indexes[name].map(isOther) ?? false
      }
      return (constraints.filter(isOther), names.sorted())
    }

    func type(of column: String) -> String? { columns.first { $0.name == column }?.type }
    func has(_ column: String) -> Bool { type(of: column) != nil }
  }

  private(set) var tables: [String: Table] = [:]
  /// Without entities of the history and of CloudKit.
  private(set) var entities: [Entity] = []
  /// Rows of `Z_PRIMARYKEY` that name no entity, or one that another row names.
  private(set) var unusableEntities: [String] = []
  private var entityIndices: [Int64: Int] = [:]
  /// By number: the root entity.
  private var roots: [Int64: Entity] = [:]
  private var entitiesByTable: [String: [Entity]] = [:]
  private(set) var uuid = ""
  private(set) var metadata = StoreMetadata()

  /// Whether the file holds nothing at all.
  var isEmpty: Bool { tables.isEmpty }
  var isStore: Bool { tables["Z_METADATA"] != nil && tables["Z_PRIMARYKEY"] != nil }
  var history: ChangedColumns? {
    tables["ATRANSACTION"].map { ChangedColumns(transaction: $0.columns.map(\.name)) }
  }

  /// Reads everything that the plan of an opening needs; in a transaction, so that it is one
  /// snapshot.
  init(_ connection: Connection) throws(SQLiteError) {
    try readTables(connection)
    guard isStore else { return }
    try readIndexes(connection)
    try readEntities(connection)
    let rows = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    if try rows.step() {
      uuid = rows.string(0)
      metadata = StoreMetadata(propertyList: rows.blob(1))
    }
  }

  /// Reads each table by a PRAGMA of its own: joined to `sqlite_master` as a function, it takes twice
  /// as many instructions.
  private mutating func readTables(_ connection: Connection) throws(SQLiteError) {
    let rows = try connection.prepare(
      "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master "
        + "WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    while try rows.step() {
      let name = rows.string(0)
      var table = Table(name: name)
      // A virtual table is not queried for its columns: its module may be missing.
      if rows.int64(1) == 0 {
        let columns = try connection.prepare("PRAGMA table_info(\(SchemaComparison.quoted(name)))")
        while try columns.step() {
          table.columns.append(
            Column(name: columns.string(1), type: columns.string(2).uppercasedInASCII))
        }
      }
      tables[name] = table
    }
  }

  private mutating func readIndexes(_ connection: Connection) throws(SQLiteError) {
    let indexed = try connection.prepare(
      "SELECT DISTINCT tbl_name FROM sqlite_master "
        + "WHERE type = 'index' AND tbl_name NOT GLOB 'sqlite_*'")
    while try indexed.step() {
      let table = indexed.string(0)
      let indexes = try SchemaComparison.indexes(of: table, in: connection)
      for index in indexes where index.origin == "c" {
        tables[table]?.indexes[index.name] = index.columns
        if index.isUnique { tables[table]?.uniqueIndexes.insert(index.name) }
      }
      tables[table]?.constraints =
        indexes.filter { $0.origin == "u" }.sorted { $0.name < $1.name }.map(\.columns)
    }
  }

  private mutating func readEntities(_ connection: Connection) throws(SQLiteError) {
    let rows = try connection.prepare(
      "SELECT Z_NAME, Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var names: Set<String> = []
    while try rows.step() {
      let entity = Entity(
        name: rows.string(0), number: rows.int64(1), superNumber: rows.int64(2),
        maximum: rows.int64(3))
      guard entity.number < HistorySchema.firstEntity else { continue }
      guard entity.number > 0, !entity.name.isEmpty, names.insert(entity.name).inserted else {
        unusableEntities.append("'\(entity.name)' (Z_ENT \(entity.number))")
        continue
      }
      entityIndices[entity.number] = entities.count
      entities.append(entity)
    }
    findRoots()
  }

  /// Damaged `Z_SUPER` values end the search for a root.
  private mutating func findRoots() {
    for entity in entities {
      var path = [entity]
      var seen: Set<Int64> = [entity.number]
      while let last = path.last, roots[last.number] == nil, last.superNumber != 0,
        let parent = self.entity(numbered: last.superNumber), seen.insert(parent.number).inserted
      {
        path.append(parent)
      }
      guard let last = path.last else { continue }
      let root = roots[last.number] ?? last
      for member in path { roots[member.number] = root }
    }
    for entity in entities { entitiesByTable[tableName(of: entity), default: []].append(entity) }
  }

  // MARK: - Entities

  func entity(numbered number: Int64) -> Entity? { entityIndices[number].map { entities[$0] } }

  /// The entity at the top of the hierarchy.
  func root(of entity: Entity) -> Entity { roots[entity.number] ?? entity }

  /// The name of the table that holds an entity's rows.
  func tableName(of entity: Entity) -> String { "Z" + root(of: entity).name.uppercased() }

  /// The entities with rows in a table.
  func entities(in table: String) -> [Entity] { entitiesByTable[table] ?? [] }
}

/// A column of a table of pairs: `Z_13CLIENTS` holds keys of an entity numbered 13.
struct PairColumn {
  let name: String
  let number: Int64
  /// The upper-cased name of the relationship that leads to the object, maybe with a number.
  let relationship: String

  /// Nil for a column that is not named so.
  init?(_ name: String) {
    guard name.hasPrefix("Z_"), !name.hasPrefix("Z_FOK_") else { return nil }
    let rest = name.dropFirst(2)
    let digits = rest.prefix { "0"..."9" ~= $0 }
    guard let number = Int64(digits), rest.count > digits.count, rest.allSatisfy(\.isNamePart)
    else { return nil }
    self.name = name
    self.number = number
    relationship = String(rest.dropFirst(digits.count))
  }
}

extension FileStructure.Table {
  /// Whether its name is that of a table of pairs, such as `Z_5LABELS`.
  var isNamedAsPairs: Bool { PairColumn(name) != nil }

  /// The two columns of a table of pairs; one, twice, of a relationship that is its own inverse.
  var pairColumns: (PairColumn, PairColumn)? {
    guard isNamedAsPairs else { return nil }
    let found = columns.compactMap { PairColumn($0.name) }
    let others = columns.filter { PairColumn($0.name) == nil && !$0.name.hasPrefix("Z_FOK_") }
    if found.count == 1, others.map(\.name) == ["REFLEXIVE"] { return (found[0], found[0]) }
    guard found.count == 2, others.isEmpty else { return nil }
    return (found[0], found[1])
  }
}

extension String {
  /// As SQLite's `upper`: types are compared without regard to ASCII's case.
  fileprivate var uppercasedInASCII: String {
    String(decoding: utf8.map { 97...122 ~= $0 ? $0 - 32 : $0 }, as: UTF8.self)
  }
}

extension Character {
  /// Whether a name may have it that is written into SQL without quotes.
  fileprivate var isNamePart: Bool { self == "_" || isLetter || isNumber }
}

extension FileStructure.Column {
  /// In the form of a column declaration, whatever name and type a file contains.
  var declaration: String {
    let isPlain = type.allSatisfy { $0.isLetter || $0.isNumber || " (),_".contains($0) }
    return "\(SchemaComparison.quoted(name)) \(isPlain ? type : SchemaComparison.quoted(type))"
  }
}
