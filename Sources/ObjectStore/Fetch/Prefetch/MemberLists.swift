// SPDX-License-Identifier: Apache-2.0

/// The members of many owners, gathered from rows that come owner by owner.
///
/// Owners are found by going along with the rows: no table of owners, and none of members.
struct MemberLists {
  /// Each once, by ascending keys.
  private let owners: [AnyManagedObject]
  private var lists: [List]
  /// The owner of the row before.
  private var current = 0

  struct List {
    var members: [AnyManagedObject] = []
    /// The saved places of an ordered relationship.
    var places: [ToManyLink.Place] = []
  }

  init(_ owners: [AnyManagedObject]) {
    let isAscending = zip(owners, owners.dropFirst()).allSatisfy { $0.primaryKey < $1.primaryKey }
    self.owners = isAscending ? owners : Self.sorted(owners)
    lists = Array(repeating: List(), count: self.owners.count)
  }

  /// An object may be there twice, as a member of two others.
  private static func sorted(_ owners: [AnyManagedObject]) -> [AnyManagedObject] {
    var unique: [AnyManagedObject] = []
    for owner in owners.sorted(by: { $0.primaryKey < $1.primaryKey })
    where owner !== unique.last {
      unique.append(owner)
    }
    return unique
  }

  /// Adds a member to the list of its owner; ignores members without an owner.
  mutating func append(_ member: AnyManagedObject, of owner: Int64, place: Int64?) {
    guard current < owners.count, owners[current].primaryKey == owner || seek(owner) else { return }
    lists[current].members.append(member)
    if let place {
      lists[current].places.append((member: ObjectIdentifier(member), place: place))
    }
  }

  private mutating func seek(_ key: Int64) -> Bool {
    // After the last one, or anywhere: a column that is not an integer has another order.
    var low = owners[current].primaryKey < key ? current + 1 : 0
    if low < owners.count, owners[low].primaryKey == key {
      current = low
      return true
    }
    var high = owners.count
    while low < high {
      let middle = (low + high) / 2
      if owners[middle].primaryKey < key { low = middle + 1 } else { high = middle }
    }
    guard low < owners.count, owners[low].primaryKey == key else { return false }
    current = low
    return true
  }

  func forEach(_ body: (AnyManagedObject, List) -> Void) {
    for (owner, list) in zip(owners, lists) { body(owner, list) }
  }
}
