// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A place in an ordered one-to-many: the member, and its to-one's slot.
struct OrderPlace: Hashable {
  let member: SavePlan.RowID
  let slot: Int
}

extension SaveWriter {
  /// Assigns positions to changed members of ordered one-to-manys.
  ///
  /// - Returns: saved members with a changed position, with their to-one.
  mutating func placeMembers(
    _ plan: SavePlan
  ) throws -> [(SavePlan.Order.Member, RelationshipDescription)] {
    var moved: [(SavePlan.Order.Member, RelationshipDescription)] = []
    outcome.places = plan.links.map { $0.orders.map { $0.members.map { _ in nil } } }
    for (link, links) in plan.links.enumerated() {
      for (number, order) in links.orders.enumerated() {
        guard !order.relationship.inverse.isToMany else { continue }
        let toOne: RelationshipDescription = order.relationship.inverse
        var last = order.isAppended ? try lastPlace(of: links.owner, order.relationship) : 0
        let next = nextPlaces(order.members)
        for (index, member) in order.members.enumerated() {
          if let known = member.place, known > last {
            last = known
            continue
          }
          guard last < .max else { throw try damagedOrder(links.owner, order.relationship) }
          last = place(of: member, after: last, before: next[index])
          outcome.places[link][number][index] = last
          places[OrderPlace(member: member.id, slot: toOne.slot)] = last
          if !member.isInserted { moved.append((member, toOne)) }
        }
      }
    }
    return moved
  }

  /// `last` is neither below zero nor the last integer.
  private func place(
    of member: SavePlan.Order.Member, after last: Int64, before next: Int64?
  ) -> Int64 {
    if let next, next > last + 1 { return last + (next - last) / 2 }
    let (spaced, isTooLarge) = key(member.id).multipliedReportingOverflow(
      by: RelationshipDescription.orderGap)
    return isTooLarge ? last + 1 : max(last + 1, spaced)
  }

  /// For each member, the next saved place after it.
  private func nextPlaces(_ members: [SavePlan.Order.Member]) -> [Int64?] {
    var next: Int64?
    var places: [Int64?] = members.reversed().map { member in
      defer { next = member.place ?? next }
      return next
    }
    places.reverse()
    return places
  }

  private mutating func lastPlace(
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

  /// The member after which there is no place left.
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

  mutating func writePlace(
    of member: SavePlan.Order.Member, _ toOne: RelationshipDescription
  ) throws {
    guard let column = toOne.orderColumn,
      let place = places[OrderPlace(member: member.id, slot: toOne.slot)]
    else { return }
    try run(
      "UPDATE \(member.entity.table) SET \(column) = ? WHERE Z_PK = ?",
      [.integer(place), .integer(member.id.key)])
  }
}
