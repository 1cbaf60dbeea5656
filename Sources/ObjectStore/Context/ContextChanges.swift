// SPDX-License-Identifier: Apache-2.0

/// The ids of the objects that a context has changed.
///
/// Safe to pass between threads.
public struct ContextChanges: Hashable, Sendable {
  /// The context that changed them; 0 for a batch, or for another process.
  public let contextID: UInt64
  /// Objects that are new.
  public internal(set) var inserted: [ManagedObjectID] = []
  /// Objects of which a value or a relationship is another.
  public internal(set) var updated: [ManagedObjectID] = []
  /// Objects that no longer exist.
  public internal(set) var deleted: [ManagedObjectID] = []
  /// Objects that another context has changed, and that are in use in this one.
  public internal(set) var refreshed: [ManagedObjectID] = []
  let storeID: UInt64
  /// To-many relationships that have other members, or another order, than before.
  var toManys: Set<ToManyKey> = []

  /// Identifies one to-many relationship of one object.
  struct ToManyKey: Hashable {
    let entity: Int
    let slot: Int
    let primaryKey: Int64
  }

  init(_ context: ManagedObjectContext) {
    contextID = context.contextID
    storeID = context.store.id
  }

  /// Changes that bypassed all contexts: the changes of a batch, or of another process, from the
  /// history.
  public init(
    inserted: [ManagedObjectID] = [], updated: [ManagedObjectID] = [],
    deleted: [ManagedObjectID] = []
  ) {
    contextID = 0
    storeID = 0
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Whether nothing was changed.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
  }
}

extension ContextChanges {
  /// The changes of a user event, from the states of the objects before it.
  init(_ context: ManagedObjectContext, since journal: ChangeJournal) {
    self.init(context)
    for image in journal.images {
      let (object, before) = (image.object, image.state)
      let wasThere = before.isDisjoint(with: [.inaccessible, .deleted])
      switch (wasThere, !object.isRemoved) {
      case (false, true): inserted.append(object.objectID)
      case (true, false): deleted.append(object.objectID)
      case (true, true): updated.append(object.objectID)
      case (false, false): break
      }
    }
  }

  /// The changes that a save has written; created before they are adopted, while the objects still
  /// have their old values.
  init(
    _ context: ManagedObjectContext, saving changes: ChangeSet,
    _ outcome: SaveOutcome = SaveOutcome()
  ) {
    self.init(context)
    inserted = changes.inserted.map(\.savedID)
    updated = changes.updated.map(\.objectID)
    deleted = changes.deleted.map(\.objectID)
    if !outcome.resolutions.isEmpty { applyResolutions(changes, outcome) }
    for object in changes.inserted + changes.updated + changes.deleted {
      for toOne in object.entity.toOnes where toOne.inverse.isToMany {
        recordOwners(of: object, toOne, context, outcome.resolutions[object.rowID])
      }
    }
    for object in changes.linked { recordMembers(of: object) }
  }

  /// Replaces the planned changes by the resolutions of conflicts.
  private mutating func applyResolutions(_ changes: ChangeSet, _ outcome: SaveOutcome) {
    for object in changes.inserted {
      guard let resolution = outcome.resolutions[object.rowID] else { continue }
      inserted.removeAll { $0 == object.savedID }
      if case .merged = resolution { updated.append(object.savedID) }
    }
    for object in changes.updated + changes.deleted {
      switch outcome.resolutions[object.rowID] {
      case .inserted?:
        updated.removeAll { $0 == object.objectID }
        inserted.append(object.objectID)
      case .gone? where !object.isRemoved:
        updated.removeAll { $0 == object.objectID }
        deleted.append(object.objectID)
      case .kept?:
        updated.removeAll { $0 == object.objectID }
        deleted.removeAll { $0 == object.objectID }
      case .merged?, .gone?, nil: break
      }
    }
  }

  private mutating func recordOwners(
    of object: AnyManagedObject, _ toOne: RelationshipDescription, _ context: ManagedObjectContext,
    _ resolution: ConflictResolution?
  ) {
    let old = object.snapshot?.storeValue(toOne.slot, in: object.entity) ?? .null
    let new = object.isRemoved ? .null : context.permanent(object.storeValue(toOne.slot))
    // Changes of another context that this save has overwritten.
    var other = old
    if case .merged(let row, _)? = resolution {
      other = row.storeValue(toOne.slot, in: object.entity)
    }
    guard old != new || other != new else { return }
    for case .object(let owner) in [old, other, new] {
      toManys.insert(
        ToManyKey(
          entity: toOne.destination.index, slot: toOne.inverse.slot, primaryKey: owner.primaryKey))
    }
  }

  private mutating func recordMembers(of object: AnyManagedObject) {
    for relationship in object.entity.toManys {
      guard let link = object.links?.toManys[relationship.slot], link.hasChanges else { continue }
      toManys.insert(
        ToManyKey(
          entity: object.entity.index, slot: relationship.slot,
          primaryKey: object.savedID.primaryKey))
      guard relationship.inverse.isToMany else { continue }
      for member in link.added + link.removed {
        toManys.insert(
          ToManyKey(
            entity: member.entity.index, slot: relationship.inverse.slot,
            primaryKey: member.savedID.primaryKey))
      }
    }
  }
}

extension AnyManagedObject {
  /// The id that the object has once the save in progress is adopted.
  fileprivate final var savedID: ManagedObjectID {
    guard isInserted, newPrimaryKey > 0 else { return objectID }
    return ManagedObjectID(reference: entity.reference, primaryKey: newPrimaryKey)
  }
}

extension ContextChanges {
  /// Adds the objects with derived attributes that were computed again.
  mutating func recordDerived(_ rows: [DerivedRowKeys]) {
    guard !rows.isEmpty else { return }
    var known = Set(inserted + updated + deleted)
    for rows in rows {
      for key in rows.keys {
        let id = ManagedObjectID(reference: rows.reference, primaryKey: key)
        if known.insert(id).inserted { updated.append(id) }
      }
    }
  }
}
