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

  private let order: Order

  /// The order of an owner's members, the same as where they are read by a fault.
  fileprivate enum Order {
    case rows, keys, orderKeys
  }

  struct List {
    fileprivate(set) var members: [AnyManagedObject] = []
    /// Of an ordered relationship; `Int64.min` for NULL, which comes first.
    fileprivate var orderKeys: [Int64] = []
    fileprivate var isInOrder = true

    /// The order keys as a fault reads them.
    var savedOrderKeys: [ToManyLink.OrderKey] {
      zip(members, orderKeys).map { (member: ObjectIdentifier($0), key: $1 == .min ? 0 : $1) }
    }
  }

  init(_ owners: [AnyManagedObject], of relationship: RelationshipDescription) {
    switch relationship.storage {
    case _ where relationship.isOrdered: order = .orderKeys
    case .joinTable: order = .keys
    default: order = .rows
    }
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
  mutating func append(_ member: AnyManagedObject, of owner: Int64, orderKey: Int64) {
    guard current < owners.count, owners[current].primaryKey == owner || seek(owner) else { return }
    lists[current].append(member, orderKey: orderKey, order)
  }

  private mutating func seek(_ key: Int64) -> Bool {
    // After the last one, or anywhere: a column that is not an integer has another order.
    let start = owners[current].primaryKey < key ? current + 1 : 0
    let isNext = start < owners.count && owners[start].primaryKey == key
    let index =
      isNext ? start : (start..<owners.count).partitioningIndex { owners[$0].primaryKey >= key }
    guard index < owners.count, owners[index].primaryKey == key else { return false }
    current = index
    return true
  }

  func forEach(_ body: (AnyManagedObject, List) -> Void) {
    for (owner, list) in zip(owners, lists) { body(owner, list.sorted()) }
  }
}

extension MemberLists.List {
  fileprivate mutating func append(
    _ member: AnyManagedObject, orderKey: Int64, _ order: MemberLists.Order
  ) {
    if order != .rows, isInOrder, let last = members.last {
      let lastOrderKey = orderKeys.last ?? orderKey
      isInOrder =
        lastOrderKey < orderKey || lastOrderKey == orderKey && last.primaryKey < member.primaryKey
    }
    members.append(member)
    if order == .orderKeys { orderKeys.append(orderKey) }
  }

  /// By order key, and equal ones by primary key; nearly always they come so.
  fileprivate func sorted() -> Self {
    if isInOrder { return self }
    let indices = members.indices.sorted {
      let (a, b) = orderKeys.isEmpty ? (0, 0) : (orderKeys[$0], orderKeys[$1])
      return a == b ? members[$0].primaryKey < members[$1].primaryKey : a < b
    }
    var sorted = self
    sorted.members = indices.map { members[$0] }
    if !orderKeys.isEmpty { sorted.orderKeys = indices.map { orderKeys[$0] } }
    return sorted
  }
}
