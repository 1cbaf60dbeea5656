// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The steps of an opening that make a file fit a model; they are determined by reading, before
/// anything is written.
///
/// Each entity, table, column and pair of the file is found in the model, or is recorded as missing
/// from it. Anything else is an obstacle, and so is an adaptation that would lose data.
struct StorePlan {
  /// One change of the file.
  struct Step {
    /// The reasons why a store that may not be adapted is refused; empty if the file can stay
    /// unchanged.
    var differences: [String]
    /// Whether tables or columns change, and not only values or indexes.
    var changesStructure = true
    /// Whether it runs before anything is counted, as it removes dangling references.
    var comesFirst = false
    let run: (inout StoreMigration) throws -> Void
  }

  /// The contents that the model does not have: they stay in the file, or are dropped under
  /// `.exact`.
  struct Leftovers {
    var columns: [String: [String]] = [:]
    var entities: [FileStructure.Entity] = []
    var pairTables: [String] = []
    var constraints: [String: [[String]]] = [:]
  }

  let model: ManagedObjectModel
  let file: FileStructure
  let connection: Connection
  let match: EntityMatch
  let metadata: StoreMetadata
  let record: StoreMetadata.Record?
  /// Whether the file was last adapted to this model, and to no other since.
  let isChecked: Bool
  /// Whether the metadata lack something of the model that the file fits.
  var mustRecord: Bool
  /// By column: the numbers of the entities that the columns of the file lead to.
  let destinations: [String: Int64]

  var steps: [Step] = []
  var obstacles: [String] = []
  var leftovers = Leftovers()
  /// Made only where the file changes.
  var preservedCounts: [() -> PreservedCount] = []
  /// By their names after the renames, with their future columns.
  var tables: [String: FileStructure.Table]
  /// By the name of the file's table: its name after the renames.
  var currentNames: [String: String] = [:]
  /// By the name of the file's table: its columns that are renamed.
  var columnNames: [String: [String: String]] = [:]
  /// Steps that follow once all rows are in their tables.
  var lateSteps: [Step] = []
  /// Tables with rows that belong to nothing that the file or the model names.
  var unaccounted: [String] = []
  /// By the root's name: the file's table that becomes its table.
  var homes: [String: String] = [:]
  /// By the root's name, then by the file's table: where its properties are.
  var sources: [String: [String: ColumnSources]] = [:]
  /// Columns that the file does not have; they get their values when they are added.
  var newAttributes: Set<ObjectIdentifier> = []
  /// Relationships with pairs that the file has under each other's names.
  var exchanged: Set<ObjectIdentifier> = []
  /// Search indexes that the model does not declare.
  var otherSearchIndexes: [String] = []
  /// By the number of the root: the relationships of its entities.
  var endsByRoot: [Int64: [FileEnd]] = [:]
  /// By relationship: its name among these.
  var namesInFile: [ObjectIdentifier: String] = [:]
  /// By the owner of a table of pairs: the tables of the file that it takes over.
  var pairTables: [ObjectIdentifier: Set<String>] = [:]
  var carried: [CarriedPairs] = []
  /// By entity: by how much the keys of its rows grow.
  var offsets: [Int64: Int64] = [:]
  /// The number of properties, of entities in the file, that were found there or not.
  var overlap = ModelOverlap()

  /// Copies the file's numbers, columns and tables to the model, and lists the steps.
  init(
    _ model: ManagedObjectModel, _ file: FileStructure, _ connection: Connection,
    externalDataThreshold: Int, mayAdapt: Bool
  ) throws {
    self.model = model
    self.file = file
    self.connection = connection
    metadata = file.metadata
    record = metadata.record
    match = EntityMatch(model, file, followed: record?.renamings)
    let numbers = match.numbers
    isChecked =
      metadata.isChecked(model)
      && record.map { record in
        model.renamings { numbers[$0.name] ?? 0 }.allSatisfy(record.renamings.contains)
      }
        ?? true
    mustRecord = !isChecked || !metadata.hasDestinations(of: model) || record == nil
    destinations = isChecked ? [:] : metadata.destinations ?? [:]
    tables = file.tables
    for name in file.tables.keys { currentNames[name] = name }
    try model.renumber(match.numbers, storeUUID: file.uuid)
    guard sharesEntities() else { return }
    findHomes()
    findEnds()
    try planEntities()
    try planTables()
    try checkDestinations()
    try planPairs()
    try planCarriedPairs()
    try planMoves()
    addMemberCounts()
    model.didMapColumns()
    planConstraints()
    steps += lateSteps
    try planExternalData(threshold: externalDataThreshold)
    planIndexes()
    try planSearchIndexes()
    if mayAdapt { try planRequired() }
    try accountForTheRest()
  }

  // MARK: - Findings

  /// The reasons to refuse a store that may not be adapted, obstacles first.
  var differences: [String] {
    var seen: Set<String> = []
    return (obstacles + steps.flatMap(\.differences)).filter { seen.insert($0).inserted }
  }

  /// Whether tables or columns of the file are made, changed or moved.
  var changesStructure: Bool { steps.contains(where: \.changesStructure) }

  /// Whether tables of entities have indexes that the model does not declare.
  var hasOtherIndexes: Bool {
    !otherSearchIndexes.isEmpty
      || model.roots.contains { root in
        let declared = Set(root.allIndexes.map(\.columns))
        return tables[root.table]?.indexes.values.contains { !declared.contains($0) } ?? false
      }
  }

  /// Sentences for the contents that the model lacks.
  var leftoverDifferences: [String] {
    leftovers.entities.map { "the model has no entity \($0.name)" }
      + leftovers.columns.sorted { $0.key < $1.key }.flatMap { table, columns in
        columns.map { "the model has no column \(table).\($0)" }
      } + leftovers.pairTables.map { "the model has no table \($0)" }
      + leftovers.constraints.sorted { $0.key < $1.key }.flatMap { table, lists in
        lists.map { "the model has no UNIQUE (\($0.joined(separator: ", "))) of \(table)" }
      }
  }

  mutating func add(
    _ difference: String?, changesStructure: Bool = true,
    _ run: @escaping (inout StoreMigration) throws -> Void
  ) {
    steps.append(
      Step(
        differences: difference.map { [$0] } ?? [], changesStructure: changesStructure, run: run))
  }

  mutating func add(_ difference: String?, _ sql: String, _ remark: String) {
    add(difference) { try $0.execute(sql, remark) }
  }

  mutating func note(_ obstacle: String) {
    if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
  }

  // MARK: - Reading

  func integers(_ sql: String) throws(SQLiteError) -> [Int64] {
    let rows = try connection.prepare(sql)
    guard try rows.step() else { return [] }
    return (0..<rows.columnCount).map { rows.int64($0) }
  }

  func hasRow(_ sql: String) throws(SQLiteError) -> Bool {
    try connection.prepare(sql + " LIMIT 1").step()
  }

  /// The number of the entity that a table of the file is named for.
  func fileRoot(of table: String) -> Int64 {
    file.entities(in: table).first.map { file.root(of: $0).number } ?? 0
  }

  func quoted(_ name: String) -> String { SchemaComparison.quoted(name) }

  /// The file's table of an entity's rows; nil if there is none.
  func sourceTable(of entity: EntityDescription) -> String? {
    guard let known = match.inFile[entity.name] else { return nil }
    let name = file.tableName(of: known)
    return file.tables[name] == nil ? nil : name
  }

  /// Whether the file has rows of an entity.
  func hasRows(_ entity: EntityDescription) throws(SQLiteError) -> Bool {
    for kind in entity.kinds {
      guard let table = sourceTable(of: kind) else { continue }
      let condition =
        file.entities(in: table).count > 1 ? " WHERE Z_ENT = \(kind.entityID)" : ""
      if try hasRow("SELECT 1 FROM \(quoted(table))\(condition)") { return true }
    }
    return false
  }
}
