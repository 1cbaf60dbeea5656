// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

/// Writes the rows of one save, within its transaction.
struct SaveWriter: ~Copyable {
  let store: PersistentStore
  let origin: SaveOrigin
  let connection: Connection
  let interests: Interests
  private(set) var statementCount: UInt64 = 0
  /// The rows that a batch wrote, which are known only at its end.
  var counts: (inserted: Int, updated: Int, deleted: Int)?
  let tracksHistory: Bool
  /// The entries of this transaction in the history.
  var history: [HistoryEntry] = []
  /// Statements with plans that should be reported, because they search.
  var explained: Set<String> = []
  /// The results of the save that the context adopts.
  var outcome = SaveOutcome()
  /// Order keys in ordered one-to-manys that this save assigns.
  var orderKeys: [OrderSlot: Int64] = [:]
  let externalData: ExternalDataTransaction
  /// Rows that wait for other rows to release their unique values.
  var postponed = PostponedRows()
  /// By the temporary keys of inserted rows.
  private var permanentKeys: KeyTable<Int64>?

  init(
    store: PersistentStore, origin: SaveOrigin, connection: Connection, interests: Interests
  ) {
    self.store = store
    self.origin = origin
    self.connection = connection
    self.interests = interests
    tracksHistory = store.tracksHistory
    externalData = ExternalDataTransaction(store.externalData)
  }

  mutating func write(_ plan: SavePlan) throws {
    let inserted = byEntity(plan.insertions)
    outcome.keys = plan.insertions.map(\.key)
    for (entity, rows) in inserted { try assignKeys(entity, rows) }
    if plan.mayReferToInsertions { recordKeys(plan.insertions) }
    let moved = try assignOrderKeys(plan)
    // Only a row that is written later in this save can make room for one that comes first.
    postponed.mayTake = !plan.updates.isEmpty || !plan.deletions.isEmpty
    try insert(inserted, of: plan)
    try update(plan.updates, plan.mergePolicy)
    for (member, toOne) in moved { try writeOrderKey(of: member, toOne) }
    try writePairs(plan.links)
    try delete(plan.deletions, plan.mergePolicy)
    if !postponed.isEmpty { try writePostponed(plan) }
    recordDerivedRows(of: plan.updates)
    recordHistory(plan)
  }

  mutating func insert(_ rows: [(EntityDescription, [Int])], of plan: SavePlan) throws {
    var returned: [SavePlan.Row] = []
    for (entity, rows) in rows {
      for row in try insert(entity, rows, of: plan) { returned.append(plan.insertions[row]) }
    }
    // Their deletion was undone here, and another context has inserted them again as well.
    if !returned.isEmpty { try resolve(returned, plan.mergePolicy) }
  }

  /// The indices of rows, entity by entity in the order of the model.
  private func byEntity(_ rows: [SavePlan.Row]) -> [(EntityDescription, [Int])] {
    guard let first = rows.first?.entity else { return [] }
    if !rows.contains(where: { $0.entity !== first }) { return [(first, Array(rows.indices))] }
    let groups = Dictionary(grouping: rows.indices) { rows[$0].entity.ordinal }
    return store.model.entities.compactMap { entity in
      groups[entity.ordinal].map { (entity, $0) }
    }
  }

  /// A reference as the database keeps it: to a row of this save by its new key, to one that was never
  /// saved as NULL.
  func permanent(_ value: StoreValue) -> StoreValue {
    guard case .object(let id) = value, id.isTemporary else { return value }
    guard let key = permanentKeys?.value(id.primaryKey) else { return .null }
    return .object(ManagedObjectID(reference: id.reference, primaryKey: key))
  }

  /// The key that a row has once the save is written.
  func key(_ id: SavePlan.RowID) -> Int64 {
    id.key < 0 ? permanentKeys?.value(id.key) ?? id.key : id.key
  }

  private mutating func recordKeys(_ rows: [SavePlan.Row]) {
    var keys = KeyTable<Int64>()
    for (row, key) in zip(rows, outcome.keys) where row.key < 0 { keys.set(row.key, key) }
    permanentKeys = consume keys
  }

  mutating func execute(_ sql: String) throws {
    try run(sql, []) { _ in }
  }

  /// Runs one statement of the cache to its end.
  mutating func run(
    _ sql: String, _ values: [StoreValue], row: (Statement) -> Void = { _ in }
  ) throws {
    report(sql, values)
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    while try statement.step() { row(statement) }
  }

  mutating func report(_ sql: String, _ values: [StoreValue]) {
    statementCount += 1
    guard interests.contains(.sql) else { return }
    store.instruments.willRun(
      sql: sql, bindings: values.map(\.boundValue), contextID: origin.contextID)
  }

  /// A permanent id that was obtained before, or one from before an undone deletion, is kept.
  private mutating func assignKeys(_ entity: EntityDescription, _ rows: [Int]) throws {
    let new = rows.filter { outcome.keys[$0] < 0 }
    guard !new.isEmpty else { return }
    let first = try allocateKeys(entity, count: new.count)
    for (index, row) in new.enumerated() { outcome.keys[row] = first + Int64(index) }
  }

  /// Reserves keys in the root's row of `Z_PRIMARYKEY`, as Core Data does.
  mutating func allocateKeys(_ entity: EntityDescription, count: Int) throws -> Int64 {
    let entity = entity.root
    var found: Int64?
    try run("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entity.entityID)]) {
      if $0.columnType(0) == .integer { found = $0.int64(0) }
    }
    guard let last = found, (0...(.max - Int64(count))).contains(last) else {
      throw try numberDamage(entity.entityID)
    }
    try run(
      "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
      [.integer(last + Int64(count)), .integer(entity.entityID), .integer(last)])
    return last + 1
  }
}
