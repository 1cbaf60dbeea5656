// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Synchronization

extension ManagedObjectContext {
  /// Assigns objects that were never saved the ids that they will be saved under.
  ///
  ///     try context.obtainPermanentIDs(for: [stop])
  ///     // BEGIN EXCLUSIVE
  ///     // SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
  ///     // UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
  ///     // SELECT 1 FROM ZSTOP WHERE Z_PK >= ? LIMIT 1
  ///     // COMMIT
  ///
  /// - Throws: ``StoreError``, and no id is changed then.
  public func obtainPermanentIDs(for objects: [AnyManagedObject]) throws {
    checkQueue("obtainPermanentIDs")
    try checkDepth()
    let temporary = objects.filter { $0.primaryKey < 0 && $0.context === self }
    try obtainFromParent(temporary.filter { !$0.isInserted })
    var seen: Set<ObjectIdentifier> = []
    let new = temporary.filter { $0.isInserted && seen.insert(ObjectIdentifier($0)).inserted }
    guard !new.isEmpty else { return }
    var operation = SaveOperation(of: store, by: saveOrigin, location: .unknown)
    var keys: [Int64: Int64] = [:]
    try operation.transaction { writer in
      let tables = Dictionary(grouping: new, by: \.entity.index).sorted { $0.key < $1.key }
      for (_, objects) in tables {
        let first = try writer.allocateKeys(objects[0].entity, count: objects.count)
        try writer.checkUnused(objects[0].entity, from: first)
        for (index, object) in objects.enumerated() {
          keys[object.primaryKey] = first + Int64(index)
        }
      }
    }
    adoptKeys(keys, ofObjectsLike: new)
  }

  /// Sets the keys of new objects, in the parents first; a parent may also have an object that a
  /// child deleted and restored.
  private func adoptKeys(_ keys: [Int64: Int64], ofObjectsLike new: [AnyManagedObject]) {
    parent?.performAndWait { parent?.adoptKeys(keys, ofObjectsLike: new) }
    let own = new.compactMap { registered($0.entity, $0.primaryKey) }
    guard !own.isEmpty else { return }
    for object in own { if let key = keys[object.primaryKey] { rekey(object, key) } }
    replaceReferences(keys)
    recordKeys(keys)
    notifyObservationsOfKeys()
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
    onQueue { for (object, key) in zip(objects, keys) { rekey(object, key) } }
    notifyObservationsOfKeys()
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

  /// Makes the children adopt the keys that unsaved objects were assigned.
  func recordKeys(_ keys: [Int64: Int64]) {
    guard !keys.isEmpty else { return }
    keyCount.wrappingAdd(1, ordering: .releasing)
    notifyChildren()
  }

  private func notifyChildren() {
    for child in children.contexts {
      child.queue.async { child.followKeys() }
    }
  }

  var parentKeyCount: Int { sumOfParents { $0.keyCount.load(ordering: .acquiring) } }

  /// Adopts the permanent keys of objects that the parents have saved.
  func followKeys() {
    guard parent != nil, parentKeyCount != followedKeys || hasKeysToReport else { return }
    onQueue {
      adoptKeysOfParent()
      guard hasKeysToReport else { return }
      hasKeysToReport = false
      notifyObservationsOfKeys()
    }
  }

  /// Runs a change of the keys after the changes that the context's parents have sent to its queue.
  private func onQueue(_ body: () -> Void) {
    // The main queue may be waiting for the caller.
    queue.isMain ? body() : queue.sync(body)
  }

  /// Adopts the keys without a report, which may fetch: ``followKeys()`` reports them.
  func adoptKeys() { onQueue { adoptKeysOfParent() } }

  private func adoptKeysOfParent() {
    guard let parent else { return }
    let count = parentKeyCount
    guard count != followedKeys else { return }
    let keys = parent.performAndWait {
      parent.followKeys()
      return parent.permanentKeys
    }
    followedKeys = count
    permanentKeys.merge(keys) { _, new in new }
    for object in registeredObjects where object.primaryKey < 0 {
      if let key = keys[object.primaryKey] { rekey(object, key) }
    }
    replaceReferences(keys)
    notifyChildren()
    hasKeysToReport = true
  }

  /// Whether the store may hold objects by now that have temporary keys here.
  func isBehindParentKeys() -> Bool {
    var root = self
    while let parent = root.parent { root = parent }
    // A committed save publishes its keys before its context's queue continues.
    return root.performAndWait { parentKeyCount != followedKeys }
  }
}
