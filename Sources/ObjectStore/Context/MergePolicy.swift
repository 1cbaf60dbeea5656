// SPDX-License-Identifier: Apache-2.0

/// What a save does with an object whose row was written elsewhere since it was read.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// The save is refused with ``StoreError/conflict(_:)``.
  case error
  /// Property by property: what both have changed is as the store has it.
  case storeTrump
  /// Property by property: what both have changed is as the object has it.
  case objectTrump
  /// The row becomes what the object is, as a whole.
  case overwrite
  /// The object becomes what the row is; its changes are dropped.
  case rollback
}

/// An object that a save would write, whose row was written elsewhere since it was read.
public struct MergeConflict: Hashable, Sendable {
  /// The object.
  public let objectID: ManagedObjectID
  /// What the object would write, by property; empty if it was to be deleted.
  public let changedValues: [String: StoreValue]
  /// What the object was when it was read, by property.
  public let snapshot: [String: StoreValue]
  /// `Z_OPT` when the object was read.
  public let oldVersion: Int64
  /// What the row is now, by property; nil if it is gone.
  public let persistedSnapshot: [String: StoreValue]?
  /// `Z_OPT` now; 0 if the row is gone.
  public let newVersion: Int64

  /// The properties that both have changed, sorted.
  public var conflictingProperties: [String] {
    guard let persistedSnapshot else { return changedValues.keys.sorted() }
    return changedValues.keys.filter { snapshot[$0] != persistedSnapshot[$0] }.sorted()
  }

  init(_ object: AnyManagedObject, persisted: RowSnapshot?) {
    objectID = object.objectID
    let read = object.snapshot
    let names = object.entity.slotNames
    var changed: [String: StoreValue] = [:]
    if !object.isRemoved {
      // Behind them there are the entities of to-ones, which follow from the to-ones.
      for (slot, value) in object.changes.prefix(names.count).enumerated() {
        changed[names[slot]] = value
      }
    }
    changedValues = changed
    snapshot = read.map { $0.values(of: object.entity) } ?? [:]
    oldVersion = read?.version ?? 0
    persistedSnapshot = persisted.map { $0.values(of: object.entity) }
    newVersion = persisted?.version ?? 0
  }
}

extension MergeConflict: CustomStringConvertible {
  /// The object, the versions and the properties; not their values, which may be private.
  public var description: String {
    let properties = conflictingProperties
    return objectID.uri
      + (persistedSnapshot == nil
        ? " (its row was deleted)" : " (version \(newVersion) instead of \(oldVersion)")
      + (persistedSnapshot == nil
        ? "" : properties.isEmpty ? ")" : ", both changed \(properties.joined(separator: ", ")))")
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
