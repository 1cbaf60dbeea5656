// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ManagedObjectContext {
  /// Gives objects that were never saved the ids that they will be saved under.
  ///
  ///     try context.obtainPermanentIDs(for: [stop])
  ///     // BEGIN EXCLUSIVE
  ///     // SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
  ///     // UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
  ///     // COMMIT
  ///
  /// - Throws: ``StoreError``, and no id is changed then.
  public func obtainPermanentIDs(for objects: [AnyManagedObject]) throws {
    checkQueue("obtainPermanentIDs")
    let temporary = objects.filter { $0.primaryKey < 0 && $0.context === self }
    try obtainFromParent(temporary.filter { !$0.isInserted })
    let new = temporary.filter(\.isInserted)
    guard !new.isEmpty else { return }
    var operation = SaveOperation(context: self, inserting: 0, location: .unknown)
    try operation.transaction { writer in
      for (_, objects) in Dictionary(grouping: new, by: \.entity.index) {
        try writer.allocateKeys(objects[0].entity, objects)
      }
    }
    let keys = Dictionary(
      new.map { ($0.primaryKey, $0.newPrimaryKey) }, uniquingKeysWith: { a, _ in a })
    for object in new { rekey(object, object.newPrimaryKey) }
    replaceReferences(keys)
    tellChildren(keys)
  }

  /// Objects that the child has saved and the parent has not.
  private func obtainFromParent(_ objects: [AnyManagedObject]) throws {
    guard let parent, !objects.isEmpty else { return }
    let keys = try parent.performAndWait {
      let own = objects.map {
        parent.object($0.entity, parent.permanentKeys[$0.primaryKey] ?? $0.primaryKey, origin: nil)
      }
      try parent.obtainPermanentIDs(for: own)
      return own.map(\.primaryKey)
    }
    for (object, key) in zip(objects, keys) { rekey(object, key) }
  }

  /// References of unsaved objects follow the keys.
  private func replaceReferences(_ keys: [Int64: Int64]) {
    for object in inserted + changed where !object.changes.isEmpty {
      for toOne in object.entity.toOnes {
        guard case .object(let id)? = object.changes[toOne.slot], let key = keys[id.primaryKey]
        else { continue }
        object.changes[toOne.slot] = .object(
          ManagedObjectID(reference: id.reference, primaryKey: key))
      }
    }
  }

  // MARK: - After a save of the parent

  /// Tells the children which keys their unsaved objects have now.
  func tellChildren(_ keys: [Int64: Int64]) {
    guard !keys.isEmpty else { return }
    for child in children.contexts {
      child.queue.async { child.takePermanentKeys(keys) }
    }
  }

  private func takePermanentKeys(_ keys: [Int64: Int64]) {
    permanentKeys.merge(keys) { _, new in new }
    for object in registeredObjects {
      if let key = keys[object.primaryKey] { rekey(object, key) }
    }
    replaceReferences(keys)
    tellChildren(keys)
  }
}
