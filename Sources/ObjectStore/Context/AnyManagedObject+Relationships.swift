// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject {
  final func makeLinks() -> ObjectRelationships {
    if let links { return links }
    let links = ObjectRelationships(entity: entity)
    self.links = links
    return links
  }

  final func toOne(_ slot: Int) -> RelationshipDescription {
    entity.toOnes[slot - entity.attributes.count]
  }

  // MARK: - To-one

  @usableFromInline
  final func destination(_ slot: Int) -> AnyManagedObject? {
    let index = slot - entity.attributes.count
    if let known = links?.toOnes[index] { return known }
    guard case .object(let id) = storeValue(slot), let context else { return nil }
    let relationship = toOne(slot)
    let entity = context.entity(of: id, declared: relationship.destination)
    let object = context.object(entity, id.primaryKey, origin: origin)
    keepDestination(object, relationship)
    return object
  }

  /// Retains the object that a to-one leads to, unless it retains this one.
  final func keepDestination(_ object: AnyManagedObject, _ relationship: RelationshipDescription) {
    guard !object.keeps(self, relationship.inverse) else { return }
    makeLinks().toOnes[relationship.slot - entity.attributes.count] = object
  }

  /// Whether this object keeps the one at the other end.
  ///
  /// If each retained the other, neither would ever be released, so the other one finds this one in
  /// the context's register.
  private final func keeps(
    _ other: AnyManagedObject, _ relationship: RelationshipDescription
  ) -> Bool {
    guard let links else { return false }
    if relationship.isToMany { return links.toManys[relationship.slot]?.members != nil }
    return links.toOnes[relationship.slot - entity.attributes.count] === other
  }

  /// Releases an owner that retains this object as a loaded member of its to-many.
  final func releaseOwner(_ owner: AnyManagedObject, _ relationship: RelationshipDescription) {
    guard let links, let inverse = relationship.inverse, !inverse.isToMany else { return }
    let index = inverse.slot - entity.attributes.count
    if links.toOnes[index] === owner { links.toOnes[index] = nil }
  }

  /// Does not retain an object that already retains this one.
  ///
  /// - Parameter isSaved: whether the row was written, in which no reference leads to an object that
  ///   has no permanent id.
  final func releaseOwners(isSaved: Bool = false) {
    guard let links else { return }
    for (index, toOne) in entity.toOnes.enumerated() {
      guard let known = links.toOnes[index] else { continue }
      if known.keeps(self, toOne.inverse) || isSaved && known.primaryKey < 0 {
        links.toOnes[index] = nil
      }
    }
  }

  @usableFromInline
  final func setDestination(_ new: AnyManagedObject?, _ slot: Int) {
    require(
      new == nil || new?.context === context,
      "\(entity.name).\(toOne(slot).name) was set to an object of another context; fetch it by its "
        + "objectID in this context")
    let old = destination(slot)
    guard old !== new else { return }
    let inverse: RelationshipDescription = toOne(slot).inverse
    if inverse.isToMany {
      old?.unlinkMember(self, inverse.slot)
      linkDestination(new, slot)
      new?.linkMember(self, inverse.slot, at: nil)
    } else {
      old?.linkDestination(nil, inverse.slot)
      if let new {
        new.destination(inverse.slot)?.linkDestination(nil, slot)
        new.linkDestination(self, inverse.slot)
      }
      linkDestination(new, slot)
    }
  }

  /// Sets this end only.
  ///
  /// A deleted object is not linked: after the save of its deletion it has no row to refer to.
  final func linkDestination(_ new: AnyManagedObject?, _ slot: Int) {
    if let new, new.state.contains(.erased) {
      context?.recordFaultError(StoreError.objectGone(new.objectID))
      return
    }
    write(new.map { .object($0.objectID) } ?? .null, slot)
    makeLinks().toOnes[slot - entity.attributes.count] = new
  }

  // MARK: - To-many

  /// The link, loaded.
  final func toManyLink(_ slot: Int) -> ToManyLink {
    let link = unloadedLink(slot)
    guard link.members == nil else { return link }
    guard let context else {
      fatalError(
        "\(entity.name).\(entity.toManys[slot].name) was read after its context was reset or "
          + "released; keep the context while its objects are in use")
    }
    do {
      try context.fire(entity.toManys[slot], of: self, link)
    } catch {
      context.recordFaultError(error)
      return ToManyLink(members: [])
    }
    return link
  }

  /// Loads the members where they are not.
  final func loadMembers(_ slot: Int) throws {
    let link = unloadedLink(slot)
    guard link.members == nil else { return }
    guard let context else { throw StoreError.contextGone(objectID) }
    try context.fire(entity.toManys[slot], of: self, link)
  }

  /// The link, whether its members are loaded or not.
  final func unloadedLink(_ slot: Int) -> ToManyLink {
    checkQueue()
    let links = makeLinks()
    if let link = links.toManys[slot] { return link }
    let link = ToManyLink()
    // No row in the database refers to an object that does not exist.
    if !state.isDisjoint(with: [.inserted, .inaccessible]) { link.members = [] }
    links.toManys[slot] = link
    return link
  }

  final func members(_ slot: Int) -> [AnyManagedObject] { toManyLink(slot).members ?? [] }

  final func addMember(_ member: AnyManagedObject, _ slot: Int, at index: Int?) {
    let relationship = entity.toManys[slot]
    require(
      member.context === context,
      "an object of another context was added to \(entity.name).\(relationship.name); fetch it by "
        + "its objectID in this context")
    let inverse: RelationshipDescription = relationship.inverse
    if inverse.isToMany {
      let isMember = toManyLink(slot).isMember(member)
      linkMember(member, slot, at: index, isMember: isMember)
      let isOwnMember = member === self && inverse === relationship
      if !isMember, !isOwnMember { member.linkMember(self, inverse.slot, at: nil) }
    } else if member.destination(inverse.slot) === self {
      linkMember(member, slot, at: index, isMember: true)
    } else {
      // Members that were loaded after the change of the other end already contain the new one.
      if index != nil { _ = toManyLink(slot) }
      member.destination(inverse.slot)?.unlinkMember(member, slot)
      member.linkDestination(self, inverse.slot)
      linkMember(member, slot, at: index)
    }
  }

  final func removeMember(_ member: AnyManagedObject, _ slot: Int) {
    let inverse: RelationshipDescription = entity.toManys[slot].inverse
    guard toManyLink(slot).isMember(member) else { return }
    unlinkMember(member, slot)
    if inverse.isToMany {
      if member === self && inverse === entity.toManys[slot] { return }
      member.unlinkMember(self, inverse.slot)
    } else {
      member.linkDestination(nil, inverse.slot)
    }
  }

  /// Adds a member at this end only.
  ///
  /// The members of a one-to-many follow from the other end, so a fault need not be fired for
  /// that; an index in the order does need it.
  final func linkMember(
    _ member: AnyManagedObject, _ slot: Int, at index: Int?, isMember: Bool = false
  ) {
    context?.willChange(self)
    let relationship = entity.toManys[slot]
    let link = index == nil ? unloadedLink(slot) : toManyLink(slot)
    link.changeCount &+= 1
    // The other end shows without a search whether the member is new, unless another context has
    // saved the member there: loaded members may be newer than the other end.
    let mayBeMember = isMember || !member.state.contains(.inserted)
    let isOld = mayBeMember && link.isMember(member)
    if relationship.inverse.isToMany, !isOld { link.addPair(member) }
    if isOld {
      guard index != nil else { return }
      link.removeMember(member)
    }
    link.insertMember(member, at: index)
    if relationship.isOrdered { link.isReordered = true }
    markUpdated()
  }

  /// Removes a member at this end only.
  final func unlinkMember(_ member: AnyManagedObject, _ slot: Int) {
    context?.willChange(self)
    let link = unloadedLink(slot)
    link.changeCount &+= 1
    link.removeMember(member)
    link.orderKeys[ObjectIdentifier(member)] = nil
    if entity.toManys[slot].inverse.isToMany { link.removePair(member) }
    markUpdated()
  }
}

extension ToManyLink {
  convenience init(members: [AnyManagedObject]) {
    self.init()
    self.members = members
  }
}
