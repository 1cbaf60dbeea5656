// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The objects that the to-one relationships of a batch's rows lead to.
///
/// A batch bypasses the objects, so nothing else has checked that the ids are of rows that exist: a row
/// would be related to whatever has the same key here, or to nothing.
final class BatchReferences {
  private let entity: EntityDescription
  // Unchecked: one thread fills the rows, as with `RequiredSlots`.
  /// By to-one.
  @exclusivity(unchecked) private var keys: [Set<Int64>]
  /// The last id of each to-one, which most rows share with the row before.
  @exclusivity(unchecked) private var last: [ManagedObjectID?]
  /// The first id that cannot be in its relationship.
  @exclusivity(unchecked) private(set) var error: StoreError?

  init(_ entity: EntityDescription) {
    self.entity = entity
    keys = entity.toOnes.map { _ in [] }
    last = entity.toOnes.map { _ in nil }
  }

  func note(_ id: ManagedObjectID, _ slot: Int) {
    let index = slot - entity.attributes.count
    guard keys.indices.contains(index) else { return }
    if let known = last[index], known.reference === id.reference {
      guard known.primaryKey != id.primaryKey else { return }
    } else if let problem = entity.toOnes[index].problem(with: id) {
      error = error ?? problem
    }
    last[index] = id
    keys[index].insert(id.primaryKey)
  }

  /// - Throws: ``StoreError/objectGone(_:)`` for an id without a row.
  func check(_ writer: borrowing SaveWriter) throws {
    for (toOne, keys) in zip(entity.toOnes, keys) where !keys.isEmpty {
      try writer.checkRows(of: toOne.destination, keys)
    }
  }
}

extension RelationshipDescription {
  /// Why an object cannot be the destination: it is of another entity, or of another store.
  func problem(with id: ManagedObjectID) -> StoreError? {
    guard destination.isNamed(id.entityName) else {
      return .wrongType(
        property: name, entity: entity.name, expected: "the id of a saved \(destination.name)")
    }
    return destination.isOfSameStore(id) ? nil : .foreignObject(id)
  }
}

extension EntityDescription {
  func isOfSameStore(_ id: ManagedObjectID) -> Bool {
    id.reference === reference || id.storeUUID == reference.storeUUID
  }
}

extension SaveWriter {
  /// - Throws: ``StoreError/objectGone(_:)`` if one of the keys has no row.
  func checkRows(of entity: EntityDescription, _ keys: Set<Int64>) throws {
    let keys = keys.sorted()
    for start in stride(from: 0, to: keys.count, by: 100_000) {
      // Not reported: the log shows the text and number of the batch's statement, and this is
      // another one.
      let find = try connection.cachedStatement(
        "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT Z_PK FROM \(entity.table)) LIMIT 1"
      )
      defer { connection.recycle(find) }
      let part = keys[start..<min(start + 100_000, keys.count)]
      find.bind(JSONArray(keys: part).text, at: 1)
      guard try find.step() else { continue }
      throw StoreError.objectGone(
        ManagedObjectID(reference: entity.reference, primaryKey: find.int64(0)))
    }
  }
}
