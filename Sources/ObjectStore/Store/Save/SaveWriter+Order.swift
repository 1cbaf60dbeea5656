// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The slot of a key in an ordered one-to-many: the member, and its to-one's slot.
struct OrderSlot: Hashable {
  let member: SavePlan.RowID
  let slot: Int
}

extension SaveWriter {
  /// Assigns order keys to changed members of ordered one-to-manys.
  ///
  /// - Returns: saved members with a changed order key, with their to-one.
  mutating func assignOrderKeys(
    _ plan: SavePlan
  ) throws -> [(SavePlan.Order.Member, RelationshipDescription)] {
    var moved: [(SavePlan.Order.Member, RelationshipDescription)] = []
    outcome.orderKeys = plan.links.map { $0.orders.map { $0.members.map { _ in nil } } }
    for (link, links) in plan.links.enumerated() {
      for (number, order) in links.orders.enumerated() {
        guard !order.relationship.inverse.isToMany else { continue }
        let toOne: RelationshipDescription = order.relationship.inverse
        var last = order.isAppended ? try lastOrderKey(of: links.owner, order.relationship) : 0
        let next = nextOrderKeys(order.members)
        for (index, member) in order.members.enumerated() {
          if let known = member.orderKey, known > last {
            last = known
            continue
          }
          guard last < .max else { throw try damagedOrder(links.owner, order.relationship) }
          last = orderKey(of: member, after: last, before: next[index])
          outcome.orderKeys[link][number][index] = last
          orderKeys[OrderSlot(member: member.id, slot: toOne.slot)] = last
          if !member.isInserted { moved.append((member, toOne)) }
        }
      }
    }
    return moved
  }

  /// `last` is neither below zero nor the last integer.
  private func orderKey(
    of member: SavePlan.Order.Member, after last: Int64, before next: Int64?
  ) -> Int64 {
    if let next, next > last + 1 { return last + (next - last) / 2 }
    let (spaced, isTooLarge) = key(member.id).multipliedReportingOverflow(
      by: RelationshipDescription.orderGap)
    return isTooLarge ? last + 1 : max(last + 1, spaced)
  }

  /// For each member, the next saved order key after it.
  private func nextOrderKeys(_ members: [SavePlan.Order.Member]) -> [Int64?] {
    var next: Int64?
    var keys: [Int64?] = members.reversed().map { member in
      defer { next = member.orderKey ?? next }
      return next
    }
    keys.reverse()
    return keys
  }

  private mutating func lastOrderKey(
    of owner: SavePlan.RowID, _ relationship: RelationshipDescription
  ) throws -> Int64 {
    guard case .inverseColumn(let column, let order?) = relationship.storage else { return 0 }
    var last: Int64 = 0
    var isDamaged = false
    try run(
      "SELECT MAX(\(order)) FROM \(relationship.destination.table) WHERE \(column) = ?",
      [.integer(owner.key)]
    ) {
      switch $0.columnType(0) {
      case .integer: last = max($0.int64(0), 0)
      case .null: last = 0
      default: isDamaged = true
      }
    }
    guard !isDamaged else { throw try damagedOrder(owner, relationship) }
    return last
  }

  /// The member after which there is no order key left.
  private func damagedOrder(
    _ owner: SavePlan.RowID, _ relationship: RelationshipDescription
  ) throws -> StoreError {
    let table = relationship.destination.table
    guard case .inverseColumn(let column, let order?) = relationship.storage else {
      return damage(table, owner.key, "Z_FOK", "\(Int64.max)")
    }
    let find = try connection.prepare(
      "SELECT Z_PK, \(order) FROM \(table) WHERE \(column) = ? ORDER BY \(order) DESC LIMIT 1")
    find.bind(owner.key, at: 1)
    guard try find.step() else { return damage(table, 0, order, "\(Int64.max)") }
    return damage(table, find.int64(0), order, find.literal(1))
  }

  mutating func writeOrderKey(
    of member: SavePlan.Order.Member, _ toOne: RelationshipDescription
  ) throws {
    guard let column = toOne.orderColumn,
      let orderKey = orderKeys[OrderSlot(member: member.id, slot: toOne.slot)]
    else { return }
    try run(
      "UPDATE \(member.entity.table) SET \(column) = ? WHERE Z_PK = ?",
      [.integer(orderKey), .integer(member.id.key)])
  }
}
