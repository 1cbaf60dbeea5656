// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one save writes.
struct ChangeSet {
  let inserted: [AnyManagedObject]
  /// Objects that hold another value than their row, or that are related to others than before.
  let updated: [AnyManagedObject]
  let deleted: [AnyManagedObject]
  /// Objects with many-to-many or ordered relationships that were changed.
  let linked: [AnyManagedObject]

  init(_ context: ManagedObjectContext) {
    inserted = context.inserted.filter { !$0.isDeleted }
    let changed = context.changed.filter { $0.isUpdated }
    updated = changed.filter { $0.changes.contains { $0 != nil } || $0.hasReorderedMembers }
    deleted = context.deleted.filter { !$0.isInserted }
    let now = StoreValue.date(Date())
    for object in inserted + updated where !object.entity.derivedAttributes.dates.isEmpty {
      object.stamp(now)
    }
    linked = (inserted + changed).filter { object in
      object.links?.toManys.contains { $0?.hasChanges == true } == true
    }
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && linked.isEmpty }

  // MARK: - Validation

  /// - Throws: ``StoreError/invalid(_:)`` with every value that the model does not allow.
  func validate() throws {
    var failures: [StoreError.ValidationFailure] = []
    for object in inserted + updated { object.validate(into: &failures) }
    guard failures.isEmpty else { throw StoreError.invalid(failures) }
  }

  // MARK: - After the commit

  /// Makes what was written the saved state of the objects, in the row cache too.
  func adopt(in context: ManagedObjectContext) {
    var rows: [Int: [RowSnapshot]] = [:]
    for object in inserted + updated {
      let row = object.makeSavedRow()
      rows[object.entity.index, default: []].append(row)
    }
    for object in inserted {
      context.unregister(object)
      object.primaryKey = object.newPrimaryKey
      context.register(object)
    }
    for (entity, rows) in rows { context.store.cache.insert(rows, entity) }
    for object in inserted + context.changed where !object.isDeleted {
      object.changes = object.noChanges
      object.state.subtract([.inserted, .updated])
      object.links?.toManys.forEach { $0?.forgetChanges() }
      object.releaseOwners()
    }
    for object in deleted {
      context.store.cache.insertDeleted([object.primaryKey], object.entity.index)
    }
    for object in context.deleted {
      context.unregister(object)
      object.links = nil
      object.changes = object.noChanges
      object.state = .inaccessible
    }
    context.forgetChanges()
  }
}

extension AnyManagedObject {
  fileprivate var hasReorderedMembers: Bool {
    links?.toManys.contains { $0?.isReordered == true } == true
  }

  fileprivate func validate(into failures: inout [StoreError.ValidationFailure]) {
    func check(_ slot: Int, _ name: String, isOptional: Bool) {
      guard let value = changes.isEmpty ? nil : changes[slot] else { return }
      let problem: StoreError.ValidationFailure.Problem
      switch value {
      case .null where !isOptional: problem = .missing
      case .double(let number) where number.isNaN: problem = .notANumber
      case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: problem = .notANumber
      default: return
      }
      failures.append(.init(objectID: objectID, property: name, problem: problem))
    }
    for attribute in entity.attributes {
      // A derived value that is missing is its source's fault, and that is told.
      let isOptional = attribute.isOptional || attribute.derivation != nil
      check(attribute.slot, attribute.name, isOptional: isOptional)
    }
    for toOne in entity.toOnes {
      check(toOne.slot, toOne.name, isOptional: toOne.isOptional)
    }
  }

  /// Sets the snapshot to what the save has written, and gives it.
  fileprivate func makeSavedRow() -> RowSnapshot {
    var builder = RowBuilder(layout: entity.rowLayout)
    builder.begin()
    for slot in 0..<entity.rowLayout.slotCount {
      if let value = changes.isEmpty ? nil : changes[slot] {
        builder.set(slot, context?.permanent(value) ?? value)
      } else if let snapshot {
        builder.copy(slot, from: snapshot)
      } else {
        builder.setNull(slot)
      }
    }
    let row = builder.makeSnapshot(
      primaryKey: isInserted ? newPrimaryKey : primaryKey, version: (snapshot?.version ?? 0) + 1)
    snapshot = row
    return row
  }
}

extension ManagedObjectContext {
  /// A reference as the database keeps it: to an object of this save by its new key, to one that
  /// was never saved as NULL.
  func permanent(_ value: StoreValue) -> StoreValue {
    guard case .object(let id) = value, id.isTemporary else { return value }
    guard let entity = store.model.entity(named: id.entityName),
      let object = registered(entity, id.primaryKey), !object.isDeleted
    else { return .null }
    return .object(ManagedObjectID(reference: id.reference, primaryKey: object.newPrimaryKey))
  }
}
