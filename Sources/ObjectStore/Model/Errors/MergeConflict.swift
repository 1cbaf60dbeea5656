// SPDX-License-Identifier: Apache-2.0

/// An object in a save, with a row that another writer has changed since it was read.
public struct MergeConflict: Hashable, Sendable {
  /// The id of the object with the conflict.
  public let objectID: ManagedObjectID
  /// The values that the object would write, by property; empty for a deletion.
  public let changedValues: [String: StoreValue]
  /// The values of the object when it was read, by property.
  public let snapshot: [String: StoreValue]
  /// `Z_OPT` when the object was read.
  public let oldVersion: Int64
  /// The current values of the row, by property; nil if it no longer exists.
  public let persistedSnapshot: [String: StoreValue]?
  /// The current `Z_OPT`; 0 if the row no longer exists.
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
