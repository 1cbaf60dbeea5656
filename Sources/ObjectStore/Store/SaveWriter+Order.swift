// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A place in an ordered one-to-many: the member, and its to-one's slot.
struct OrderPlace: Hashable {
  let member: ObjectIdentifier
  let slot: Int
}

extension SaveWriter {
  // Gaps, so that a member put between two others does not move the ones behind it.
  private static let gap: Int64 = 1024

  func orderKey(_ object: AnyManagedObject, _ toOne: RelationshipDescription) -> Int64? {
    orderKeys[OrderPlace(member: ObjectIdentifier(object), slot: toOne.slot)]
  }

  /// Assigns places to the members of ordered one-to-manys that were changed.
  ///
  /// - Returns: saved members whose place is another now, with their to-one's slot.
  mutating func placeMembers(
    _ changes: ChangeSet
  ) throws -> [(AnyManagedObject, RelationshipDescription)] {
    var moved: [(AnyManagedObject, RelationshipDescription)] = []
    let appended = membersByOwner(changes)
    for owner in changes.linked where !owner.isRemoved {
      for relationship in owner.entity.toManys where !relationship.inverse.isToMany {
        guard let link = owner.links?.toManys[relationship.slot], link.isReordered else { continue }
        let toOne: RelationshipDescription = relationship.inverse
        if link.keptOrder != nil { _ = owner.members(relationship.slot) }
        let members =
          link.members ?? appended[ObjectIdentifier(toOne), default: [:]][owner.primaryKey] ?? []
        var last =
          link.members == nil ? try lastPlace(of: owner, relationship) : 0
        let next = nextKeys(members, link)
        for (index, member) in members.enumerated() where !member.isRemoved {
          let known = link.orderKeys[ObjectIdentifier(member)]
          if let known, known > last {
            last = known
            continue
          }
          guard last < .max else { throw try damagedOrder(owner, relationship) }
          last = place(of: member, after: last, before: next[index])
          link.orderKeys[ObjectIdentifier(member)] = last
          orderKeys[OrderPlace(member: ObjectIdentifier(member), slot: toOne.slot)] = last
          if !member.isInserted { moved.append((member, toOne)) }
        }
      }
    }
    return moved
  }

  /// `last` is neither below zero nor the last integer.
  private func place(of member: AnyManagedObject, after last: Int64, before next: Int64?) -> Int64 {
    if let next, next > last + 1 { return last + (next - last) / 2 }
    let key = member.isInserted ? member.newPrimaryKey : member.primaryKey
    let (spaced, isTooLarge) = key.multipliedReportingOverflow(by: Self.gap)
    return isTooLarge ? last + 1 : max(last + 1, spaced)
  }

  /// For each member the next saved place behind it.
  private func nextKeys(_ members: [AnyManagedObject], _ link: ToManyLink) -> [Int64?] {
    var next: Int64?
    var keys: [Int64?] = members.reversed().map { member in
      defer { next = link.orderKeys[ObjectIdentifier(member)] ?? next }
      return next
    }
    keys.reverse()
    return keys
  }

  /// Members that were given another owner, for owners whose other members are not loaded: by the
  /// to-one of an ordered relationship and the owner's key.
  private func membersByOwner(
    _ changes: ChangeSet
  ) -> [ObjectIdentifier: [Int64: [AnyManagedObject]]] {
    var members: [ObjectIdentifier: [Int64: [AnyManagedObject]]] = [:]
    for member in changes.updated + changes.inserted where !member.changes.isEmpty {
      for toOne in member.entity.toOnes where toOne.orderColumn != nil {
        guard case .object(let owner)? = member.changes[toOne.slot] else { continue }
        members[ObjectIdentifier(toOne), default: [:]][owner.primaryKey, default: []]
          .append(member)
      }
    }
    return members
  }

  private mutating func lastPlace(
    of owner: AnyManagedObject, _ relationship: RelationshipDescription
  ) throws -> Int64 {
    guard case .inverseColumn(let column, let order?) = relationship.storage else { return 0 }
    var last: Int64 = 0
    var isDamaged = false
    try run(
      "SELECT MAX(\(order)) FROM \(relationship.destination.table) WHERE \(column) = ?",
      [.integer(owner.primaryKey)]
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

  /// The member behind which there is no place.
  private func damagedOrder(
    _ owner: AnyManagedObject, _ relationship: RelationshipDescription
  ) throws -> StoreError {
    let table = relationship.destination.table
    guard case .inverseColumn(let column, let order?) = relationship.storage else {
      return damage(table, owner.primaryKey, "Z_FOK", "\(Int64.max)")
    }
    let find = try connection.prepare(
      "SELECT Z_PK, \(order) FROM \(table) WHERE \(column) = ? ORDER BY \(order) DESC LIMIT 1")
    find.bind(owner.primaryKey, at: 1)
    guard try find.step() else { return damage(table, 0, order, "\(Int64.max)") }
    return damage(table, find.int64(0), order, find.literal(1))
  }

  mutating func writePlace(
    of object: AnyManagedObject, _ toOne: RelationshipDescription
  ) throws {
    guard let column = toOne.orderColumn, let key = orderKey(object, toOne) else { return }
    try run(
      "UPDATE \(object.entity.table) SET \(column) = ? WHERE Z_PK = ?",
      [.integer(key), .integer(object.primaryKey)])
  }
}
