// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension SaveWriter {
  /// Resolves conflicts by the plan's merge policy, within the transaction: no other writer writes
  /// meanwhile.
  mutating func resolve(
    _ rows: [SavePlan.Row], _ policy: MergePolicy, areDeletions: Bool = false
  ) throws {
    try checkVersions(of: rows)
    let persisted = try rows.map { try persistedRow(of: $0) }
    for (row, persisted) in zip(rows, persisted)
    where row.snapshot != nil && persisted?.version == row.version {
      throw try ignored(row, key: row.key)
    }
    // Deleted by both: they agree.
    let conflicts = zip(rows, persisted).filter { !areDeletions || $1 != nil }
    guard policy != .error || conflicts.isEmpty else {
      throw StoreError.conflict(
        conflicts.map { MergeConflict($0, isDeletion: areDeletions, persisted: $1) })
    }
    for (row, persisted) in zip(rows, persisted) {
      let resolution =
        areDeletions
        ? resolution(ofDeletion: persisted, policy) : resolution(row, persisted, policy)
      try write(resolution, of: row, isDeletion: areDeletions)
      outcome.resolutions[row.id] = resolution
    }
  }

  private func resolution(
    ofDeletion persisted: RowSnapshot?, _ policy: MergePolicy
  ) -> ConflictResolution {
    guard let persisted else { return .gone }
    switch policy {
    case .error, .rollback, .storeTrump: return .kept(persisted)
    case .objectTrump, .overwrite: return .merged(persisted, changes: [])
    }
  }

  private func resolution(
    _ row: SavePlan.Row, _ persisted: RowSnapshot?, _ policy: MergePolicy
  ) -> ConflictResolution {
    guard let persisted else {
      return policy == .overwrite || policy == .objectTrump ? .inserted(row.values) : .gone
    }
    let entity = row.entity
    switch policy {
    case .error, .rollback: return .kept(persisted)
    case .storeTrump:
      var changes = row.changes.enumerated().map { slot, value in
        row.snapshot?.storeValue(slot, in: entity) == persisted.storeValue(slot, in: entity)
          ? value : nil
      }
      entity.assignEntities(in: &changes)
      return changes.contains { $0 != nil }
        ? .merged(persisted, changes: changes) : .kept(persisted)
    case .objectTrump: return .merged(persisted, changes: row.changes)
    case .overwrite:
      var changes = row.values.enumerated().map { slot, value in
        value == persisted.storeValue(slot, in: entity) ? nil : value
      }
      entity.assignEntities(in: &changes)
      return .merged(persisted, changes: changes)
    }
  }

  private mutating func write(
    _ resolution: ConflictResolution, of row: SavePlan.Row, isDeletion: Bool
  ) throws {
    switch resolution {
    case .kept, .gone: break
    case .merged(let persisted, _) where isDeletion:
      if try !delete(row, version: persisted.version) { throw try ignored(row, key: row.key) }
    case .merged(let persisted, let changes):
      if try !update(row, changes, version: persisted.version) {
        throw try ignored(row, key: row.key)
      }
    case .inserted(let values):
      try run(
        store.statements[row.entity.index].insert,
        [.integer(row.key), .integer(row.entity.entityID), .integer(1)]
          + columnValues(values, of: row).map { permanent($0 ?? .null) }
          + StoreSchema.orderColumns(of: row.entity).map { _ in .null })
    }
  }

  private mutating func persistedRow(of row: SavePlan.Row) throws -> RowSnapshot? {
    var builder = RowBuilder(layout: row.entity.rowLayout)
    try run(
      store.statements[row.entity.index].fault, [.integer(row.key)]
    ) { builder.read($0) }
    return builder.isEmpty ? nil : builder.takePage().first
  }
}

extension SavePlan.Row {
  /// All values by slot, changed and unchanged.
  fileprivate var values: [StoreValue?] {
    (0..<entity.rowLayout.slotCount).map { slot in
      (changes.isEmpty ? nil : changes[slot]) ?? snapshot?.storeValue(slot, in: entity) ?? .null
    }
  }
}

extension MergeConflict {
  init(_ row: SavePlan.Row, isDeletion: Bool, persisted: RowSnapshot?) {
    let entity = row.entity
    var changed: [String: StoreValue] = [:]
    if !isDeletion {
      // Behind them there are the entities of to-ones, which follow from the to-ones.
      for (name, value) in zip(entity.slotNames, row.changes) { changed[name] = value }
    }
    self.init(
      objectID: row.objectID, changedValues: changed,
      snapshot: row.snapshot.map { $0.values(of: entity) } ?? [:], oldVersion: row.version,
      persistedSnapshot: persisted.map { $0.values(of: entity) },
      newVersion: persisted?.version ?? 0)
  }
}

extension EntityDescription {
  /// The names of the properties with a column, in the order of their slots.
  var slotNames: [String] { attributes.map(\.name) + toOnes.map(\.name) }

  /// The slot of an attribute or a to-one of the entity's own, or inherited.
  fileprivate func slot(named name: String) -> Int? {
    attribute(named: name)?.slot ?? relationship(named: name)?.slot
  }
}

extension RowSnapshot {
  fileprivate func values(of entity: EntityDescription) -> [String: StoreValue] {
    // A table of several entities has slots of others, too, which may have the same names.
    Dictionary(
      uniqueKeysWithValues: entity.slotNames.enumerated()
        .filter { entity.slot(named: $1) == $0 }
        .map { ($1, storeValue($0, in: entity)) })
  }
}
