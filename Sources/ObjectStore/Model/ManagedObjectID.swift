// SPDX-License-Identifier: Apache-2.0

/// Identifies one object of a store.
///
/// Safe to pass between threads, unlike objects.
public struct ManagedObjectID: Hashable, Sendable {
  let reference: EntityReference
  /// The primary key; negative until the object is saved.
  public let primaryKey: Int64

  /// The entity and the store of an id: one value shared by all ids of an entity.
  final class EntityReference: Sendable {
    let entityName: String
    let storeUUID: String

    init(entityName: String, storeUUID: String) {
      self.entityName = entityName
      self.storeUUID = storeUUID
    }
  }

  init(reference: EntityReference, primaryKey: Int64) {
    self.reference = reference
    self.primaryKey = primaryKey
  }

  init(entityName: String, primaryKey: Int64, storeUUID: String) {
    reference = EntityReference(entityName: entityName, storeUUID: storeUUID)
    self.primaryKey = primaryKey
  }

  /// The name of the object's entity.
  public var entityName: String { reference.entityName }
  /// The UUID of the object's store.
  public var storeUUID: String { reference.storeUUID }
  /// Whether the object was never saved.
  public var isTemporary: Bool { primaryKey < 0 }

  /// `x-coredata://<store UUID>/<entity>/p<primary key>`, as Core Data writes it.
  public var uri: String {
    "x-coredata://\(storeUUID)/\(entityName)/\(isTemporary ? "t" : "p")\(primaryKey.magnitude)"
  }

  /// Whether two ids have the same key, entity and store.
  public static func == (a: ManagedObjectID, b: ManagedObjectID) -> Bool {
    a.primaryKey == b.primaryKey
      && (a.reference === b.reference
        || a.entityName == b.entityName && a.storeUUID == b.storeUUID)
  }

  /// Hashes the key and the entity's name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entityName)
  }
}

extension ManagedObjectID: CustomStringConvertible {
  /// The URI.
  public var description: String { uri }
}
