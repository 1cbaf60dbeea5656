// SPDX-License-Identifier: Apache-2.0

package import ObjectStore

/// Each increment must be there at the end.
package struct Counter: Entity {
  package let number = Attribute<Int64>("number")
  package let total = Attribute<Int64>("total", default: 0)
  package static let uniquenessConstraints = [UniquenessConstraint<Counter>(\.number)]
  package init() {}
}

/// Money goes from one to another; the sum stays.
struct Account: Entity {
  let balance = Attribute<Int64>("balance", default: 0)
}

/// Each property has one writer, which loses nothing to the other one.
struct Slot: Entity {
  let trumping = Attribute<Int64>("trumping", default: 0)
  let yielding = Attribute<Int64>("yielding", default: 0)
  let rolledBack = Attribute<Int64>("rolledBack", default: 0)
}

/// Written as a whole by several: both values are the same in every row that anybody sees.
struct Sheet: Entity {
  let front = Attribute<Int64>("front", default: 0)
  let back = Attribute<Int64>("back", default: 0)
}

extension ThreadRun {
  static var entities: [any Entity.Type] { [Counter.self, Account.self, Slot.self, Sheet.self] }
  /// Counters of the threads that save to the store, then counters of the children of one context.
  static let counterCount = 12
  static let nestedCounters = 8..<counterCount
  static let accountCount = 10
  static let balance: Int64 = 1000

  static func fill(_ context: ManagedObjectContext) throws {
    for number in 0..<counterCount { context.insert(Counter.self).number = Int64(number) }
    for _ in 0..<accountCount { context.insert(Account.self).balance = balance }
    for _ in 0..<3 { _ = context.insert(Slot.self) }
    for _ in 0..<3 { _ = context.insert(Sheet.self) }
    try context.save()
  }
}
