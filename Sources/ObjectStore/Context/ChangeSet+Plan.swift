// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
  /// The writes, as values.
  ///
  /// Loads the rows of deleted faults and the members of reordered relationships.
  func makePlan(_ policy: MergePolicy) -> SavePlan {
    var plan = SavePlan(mergePolicy: policy)
    plan.insertions = inserted.map { SavePlan.Row($0, $0.changes, nil) }
    plan.updates = updated.map { SavePlan.Row($0, $0.changes, $0.readableRow()) }
    plan.deletions = deleted.map { SavePlan.Row($0, [], $0.readableRow()) }
    guard !linked.isEmpty else { return plan }
    let appended = membersByOwner()
    plan.links = linked.map { object in
      var links = SavePlan.Links(entity: object.entity, owner: object.rowID)
      for relationship in object.entity.toManys {
        guard let link = object.links?.toManys[relationship.slot], link.hasChanges else { continue }
        links.properties.append(relationship.name)
        if relationship.ownsJoinTable {
          links.pairs.append(SavePlan.Pairs(relationship, link))
        }
        if link.isReordered {
          let members = object.reorderedMembers(relationship, link, appended)
          links.orders.append(SavePlan.Order(relationship, link, members))
        }
      }
      return links
    }
    return plan
  }

  /// Members that were moved to an owner with other members that are not loaded: by the to-one of
  /// an ordered relationship and the owner's key.
  private func membersByOwner() -> [ObjectIdentifier: [Int64: [AnyManagedObject]]] {
    var members: [ObjectIdentifier: [Int64: [AnyManagedObject]]] = [:]
    for member in updated + inserted where !member.changes.isEmpty {
      for toOne in member.entity.toOnes where toOne.orderColumn != nil {
        guard case .object(let owner)? = member.changes[toOne.slot] else { continue }
        members[ObjectIdentifier(toOne), default: [:]][owner.primaryKey, default: []]
          .append(member)
      }
    }
    return members
  }

  /// Adopts the order keys that a save has assigned to the members of ordered relationships.
  func adoptOrderKeys(_ plan: SavePlan, _ outcome: SaveOutcome) {
    for ((object, links), orderKeys) in zip(zip(linked, plan.links), outcome.orderKeys) {
      for (order, orderKeys) in zip(links.orders, orderKeys) {
        guard let link = object.links?.toManys[order.relationship.slot] else { continue }
        for (member, orderKey) in zip(order.members, orderKeys) {
          guard let orderKey, let own = object.context?.registered(member.entity, member.id.key)
          else { continue }
          link.orderKeys[ObjectIdentifier(own)] = orderKey
        }
      }
    }
  }
}

extension SavePlan.Row {
  init(_ object: AnyManagedObject, _ changes: [StoreValue?], _ snapshot: RowSnapshot?) {
    self.init(
      entity: object.entity, key: object.primaryKey, changes: changes, snapshot: snapshot,
      readData: object.links?.externalData ?? [:])
  }
}

extension SavePlan.Pairs {
  fileprivate init(_ relationship: RelationshipDescription, _ link: ToManyLink) {
    self.init(
      relationship: relationship,
      removed: link.removed.filter { !$0.isInserted }.map(\.rowID),
      added: link.added.filter { !$0.isRemoved }.map(\.rowID))
  }
}

extension SavePlan.Order {
  fileprivate init(
    _ relationship: RelationshipDescription, _ link: ToManyLink, _ members: [AnyManagedObject]
  ) {
    self.init(
      relationship: relationship,
      members: members.map {
        Member(
          entity: $0.entity, id: $0.rowID, isInserted: $0.isInserted,
          orderKey: link.orderKeys[ObjectIdentifier($0)])
      },
      isAppended: link.members == nil)
  }
}

extension AnyManagedObject {
  /// How a plan names the object's row.
  final var rowID: SavePlan.RowID { SavePlan.RowID(table: table, key: primaryKey) }

  /// The members of an ordered relationship in their new order; of a one-to-many that is not
  /// loaded, only its new members.
  fileprivate final func reorderedMembers(
    _ relationship: RelationshipDescription, _ link: ToManyLink,
    _ appended: [ObjectIdentifier: [Int64: [AnyManagedObject]]]
  ) -> [AnyManagedObject] {
    guard !relationship.inverse.isToMany else { return members(relationship.slot) }
    if link.keptOrder != nil { _ = members(relationship.slot) }
    let toOne: RelationshipDescription = relationship.inverse
    let all = link.members ?? appended[ObjectIdentifier(toOne)]?[primaryKey] ?? []
    return all.filter { !$0.isRemoved }
  }
}
