// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The changes that one save writes.
struct ChangeSet {
  let inserted: [AnyManagedObject]
  /// Objects that hold another value than their row, or that are related to others than before.
  let updated: [AnyManagedObject]
  let deleted: [AnyManagedObject]
  /// Objects with many-to-many or ordered relationships that were changed.
  let linked: [AnyManagedObject]

  init(_ context: ManagedObjectContext) {
    inserted = context.inserted.filter { !$0.isRemoved }
    let changed = context.changed.filter { $0.isUpdated }
    updated = changed.filter { $0.changes.contains { $0 != nil } || $0.hasReorderedMembers }
    deleted = context.deleted.filter { !$0.isInserted }
    var now: StoreValue?
    for objects in [inserted, updated] {
      for object in objects where !object.entity.derivedAttributes.dates.isEmpty {
        let date = now ?? .date(Date())
        object.stamp(date)
        now = date
      }
    }
    linked = inserted.filter(\.hasChangedMembers) + changed.filter(\.hasChangedMembers)
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && linked.isEmpty }

  /// - Throws: ``StoreError/invalid(_:)`` with every value that the model does not allow.
  func validate() throws {
    var failures: [StoreError.ValidationFailure] = []
    for objects in [inserted, updated] {
      for object in objects { object.validate(into: &failures) }
    }
    guard failures.isEmpty else { throw StoreError.invalid(failures) }
  }
}

extension AnyManagedObject {
  fileprivate var hasChangedMembers: Bool {
    links?.toManys.contains { $0?.hasChanges == true } == true
  }

  fileprivate var hasReorderedMembers: Bool {
    links?.toManys.contains { $0?.isReordered == true } == true
  }

  fileprivate func validate(into failures: inout [StoreError.ValidationFailure]) {
    let entity = entity
    for (slot, change) in changes.enumerated() {
      guard let value = change, entity.mayRefuse(value, slot) else { continue }
      for problem in entity.problems(with: value, slot) {
        failures.append(
          .init(objectID: objectID, property: entity.propertyName(slot), problem: problem))
      }
    }
    for relationship in entity.toManys {
      guard let allowed = relationship.counts, entity.has(relationship),
        isInserted || links?.toManys[relationship.slot]?.members != nil
      else { continue }
      let count = members(relationship.slot).count
      guard !allowed.contains(count), count > 0 || !relationship.isOptional else { continue }
      let text =
        allowed.upperBound == .max
        ? "\(allowed.lowerBound) or more"
        : "\(allowed.lowerBound) to "
          + "\(allowed.upperBound)"
      failures.append(
        .init(
          objectID: objectID, property: relationship.name,
          problem: .wrongCount(count, allowed: text)))
    }
  }
}

extension EntityDescription {
  /// Whether a value needs validation: most attributes have no rules.
  fileprivate func mayRefuse(_ value: StoreValue, _ slot: Int) -> Bool {
    switch value {
    case .null, .double, .decimal, .date: true
    default: hasChecks
    }
  }

  func problems(
    with value: StoreValue, _ slot: Int
  ) -> [StoreError.ValidationFailure.Problem] {
    switch value {
    case .null: return isOptional(slot) ? [] : [.missing]
    case .double, .date, .decimal:
      if let problem = value.lossInColumn { return [problem] }
      fallthrough
    default:
      guard hasChecks, slot < attributes.count else { return [] }
      return attributes[slot].checks.compactMap { $0(value) }
    }
  }

  /// Whether a slot may be nil; the entity column of a to-one always may, as the reference sets it.
  private func isOptional(_ slot: Int) -> Bool {
    guard slot < attributes.count else {
      let toOne = slot - attributes.count
      return toOne >= toOnes.count || toOnes[toOne].isOptional
    }
    // A derived value is missing because its source is, which is reported.
    return attributes[slot].isOptional || attributes[slot].derivation != nil
  }

  fileprivate func propertyName(_ slot: Int) -> String {
    slot < attributes.count ? attributes[slot].name : toOnes[slot - attributes.count].name
  }
}
