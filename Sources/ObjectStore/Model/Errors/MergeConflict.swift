// SPDX-License-Identifier: Apache-2.0

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

  init(
    objectID: ManagedObjectID, changedValues: [String: StoreValue],
    snapshot: [String: StoreValue], oldVersion: Int64,
    persistedSnapshot: [String: StoreValue]?, newVersion: Int64
  ) {
    self.objectID = objectID
    self.changedValues = changedValues
    self.snapshot = snapshot
    self.oldVersion = oldVersion
    self.persistedSnapshot = persistedSnapshot
    self.newVersion = newVersion
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
