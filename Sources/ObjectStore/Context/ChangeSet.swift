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
}

extension AnyManagedObject {
  fileprivate var hasReorderedMembers: Bool {
    links?.toManys.contains { $0?.isReordered == true } == true
  }

  fileprivate func validate(into failures: inout [StoreError.ValidationFailure]) {
    func check(_ slot: Int, _ name: String, isOptional: Bool, _ rules: [ValidationCheck] = []) {
      guard let value = changes.isEmpty ? nil : changes[slot] else { return }
      var problems: [StoreError.ValidationFailure.Problem] = []
      switch value {
      case .null: if !isOptional { problems = [.missing] }
      case .double(let number) where number.isNaN: problems = [.notANumber]
      case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN:
        problems = [.notANumber]
      default: problems = rules.compactMap { $0(value) }
      }
      for problem in problems {
        failures.append(.init(objectID: objectID, property: name, problem: problem))
      }
    }
    for attribute in entity.attributes {
      // A derived value that is missing is its source's fault, and that is told.
      let isOptional = attribute.isOptional || attribute.derivation != nil
      check(attribute.slot, attribute.name, isOptional: isOptional, attribute.checks)
    }
    for toOne in entity.toOnes {
      check(toOne.slot, toOne.name, isOptional: toOne.isOptional)
    }
  }
}
