// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// How a save has resolved a conflict over one object.
enum ConflictResolution {
  /// These changes were written over the row that another writer had written.
  case merged(RowSnapshot, changes: [StoreValue?])
  /// Nothing was written: the row stays what it is.
  case kept(RowSnapshot)
  /// The row was inserted again, with these values.
  case inserted([StoreValue?])
  /// The row is gone, and stays so.
  case gone
}

/// What a save that was written leaves to adopt.
struct SaveOutcome {
  /// The row cache's before the commit, while no other writer could write.
  var cacheEpoch: UInt64 = 0
  /// By object, how its conflict was resolved.
  var resolutions: [ObjectIdentifier: ConflictResolution] = [:]
  /// By object, then by slot: data with external storage, or the files that it went to.
  var externalValues: [ObjectIdentifier: [Int: StoreValue]] = [:]
  /// Rows whose derived attributes were computed from the other end of a relationship.
  var derived: [DerivedRowKeys] = []
}

extension SaveWriter {
  /// Resolves conflicts by the context's merge policy, within the transaction: no other writer
  /// writes meanwhile.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` with all conflicts, if the policy is to refuse them.
  mutating func resolve(_ objects: [AnyManagedObject]) throws {
    let policy = context.mergePolicy
    try checkVersions(of: objects)
    let rows = try objects.map { try persistedRow(of: $0) }
    // Deleted by both: they agree.
    let conflicts = zip(objects, rows).filter { !$0.isRemoved || $1 != nil }
    guard policy != .error || conflicts.isEmpty else {
      throw StoreError.conflict(conflicts.map { MergeConflict($0, persisted: $1) })
    }
    for (object, row) in zip(objects, rows) {
      let resolution = resolution(object, row, policy)
      try write(resolution, of: object)
      resolutions[ObjectIdentifier(object)] = resolution
    }
  }

  private func resolution(
    _ object: AnyManagedObject, _ row: RowSnapshot?, _ policy: MergePolicy
  ) -> ConflictResolution {
    guard let row else {
      let isKept = policy == .overwrite || policy == .objectTrump
      return isKept && !object.isRemoved ? .inserted(values(of: object)) : .gone
    }
    switch policy {
    case .error, .rollback: return .kept(row)
    case .storeTrump where object.isRemoved: return .kept(row)
    case .storeTrump:
      var changes = object.changes.enumerated().map { slot, value in
        object.snapshot?.storeValue(slot, in: object.entity)
          == row.storeValue(slot, in: object.entity) ? value : nil
      }
      object.entity.assignEntities(in: &changes)
      return changes.contains { $0 != nil } ? .merged(row, changes: changes) : .kept(row)
    case .objectTrump: return .merged(row, changes: object.changes)
    case .overwrite:
      var changes = values(of: object).enumerated().map { slot, value in
        value == row.storeValue(slot, in: object.entity) ? nil : value
      }
      object.entity.assignEntities(in: &changes)
      return .merged(row, changes: changes)
    }
  }

  private mutating func write(
    _ resolution: ConflictResolution, of object: AnyManagedObject
  ) throws {
    switch resolution {
    case .kept, .gone: break
    case .merged(let row, _) where object.isRemoved:
      _ = try deleteRow(of: object, version: row.version)
    case .merged(let row, let changes):
      _ = try updateRow(of: object, changes, version: row.version)
    case .inserted(let values):
      let statement = store.statements[object.entity.index].insert
      try run(
        statement,
        [.integer(object.primaryKey), .integer(object.entity.entityID), .integer(1)]
          + columnValues(values, of: object).map { context.permanent($0 ?? .null) }
          + StoreSchema.orderColumns(of: object.entity).map { _ in .null })
    }
  }

  private func values(of object: AnyManagedObject) -> [StoreValue?] {
    (0..<object.entity.rowLayout.slotCount).map { object.unloadedValue($0) }
  }

  private mutating func persistedRow(of object: AnyManagedObject) throws -> RowSnapshot? {
    var builder = RowBuilder(layout: object.entity.rowLayout)
    try run(
      store.statements[object.entity.index].fault, [.integer(object.primaryKey)]
    ) { builder.read($0) }
    return builder.isEmpty ? nil : builder.takePage().first
  }
}
