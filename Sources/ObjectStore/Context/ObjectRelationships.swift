// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The objects that an object is related to; made when a relationship is first used.
final class ObjectRelationships {
  /// Destinations that were read, by the to-one's index among the to-ones.
  var toOnes: [AnyManagedObject?]
  /// By the to-many's index among the to-manys.
  var toManys: [ToManyLink?]
  /// By slot: the data of files that were read, with their references.
  var externalData: [Int: (reference: ExternalDataReference, data: Data)] = [:]

  init(entity: EntityDescription) {
    toOnes = Array(repeating: nil, count: entity.toOnes.count)
    toManys = Array(repeating: nil, count: entity.toManys.count)
  }

  func copy() -> ObjectRelationships { ObjectRelationships(self) }

  private init(_ links: ObjectRelationships) {
    toOnes = links.toOnes
    toManys = links.toManys.map { $0?.copy() }
    externalData = links.externalData
  }

  /// Resets destinations, which are then looked up by the object's current references.
  func discardDestinations() {
    for index in toOnes.indices { toOnes[index] = nil }
  }

  /// Resets everything that was not changed since the last save.
  func discardUnchanged() {
    discardDestinations()
    for index in toManys.indices {
      guard let link = toManys[index] else { continue }
      if link.hasChanges { link.discardMembers() } else { toManys[index] = nil }
    }
  }
}

/// The known state of one to-many relationship of one object.
final class ToManyLink {
  typealias OrderKey = (member: ObjectIdentifier, key: Int64)

  /// Nil while the relationship is a fault.
  var members: [AnyManagedObject]? {
    get { list?.objects }
    set { list = newValue.map { MemberList($0) } }
  }
  @exclusivity(unchecked) private var list: MemberList?
  /// The saved order key of each member in an ordered relationship.
  var orderKeys: [ObjectIdentifier: Int64] {
    get {
      tabulateOrderKeys()
      return tabulatedKeys
    }
    _modify {
      tabulateOrderKeys()
      yield &tabulatedKeys
    }
  }
  private var tabulatedKeys: [ObjectIdentifier: Int64] = [:]
  /// Order keys that were read, in no table yet: most members are never moved.
  private var recordedKeys: [OrderKey] = []
  /// The members in their changed order, which applies to members that are loaded again.
  var keptOrder: [AnyManagedObject]?
  /// Whether members were moved since the last save.
  var isReordered = false
  /// Pairs of a many-to-many that the next save inserts.
  var added: [AnyManagedObject] { addedList.objects }
  private var addedList = MemberList()
  /// Pairs of a many-to-many that the next save deletes.
  var removed: [AnyManagedObject] { removedList.objects }
  private var removedList = MemberList()
  /// Differs after each change of the members.
  var changeCount = 0

  func copy() -> ToManyLink {
    let copy = ToManyLink()
    copy.list = list
    copy.tabulatedKeys = tabulatedKeys
    copy.recordedKeys = recordedKeys
    copy.keptOrder = keptOrder
    copy.isReordered = isReordered
    copy.addedList = addedList
    copy.removedList = removedList
    // An undo that restores the copy is a change as well.
    copy.changeCount = changeCount &+ 1
    return copy
  }

  /// Stores the order keys of members that were read.
  func recordOrderKeys(_ read: [OrderKey]) {
    if recordedKeys.isEmpty { recordedKeys = read } else { recordedKeys += read }
  }

  private func tabulateOrderKeys() {
    guard !recordedKeys.isEmpty else { return }
    for (member, key) in recordedKeys { tabulatedKeys[member] = key }
    recordedKeys = []
  }

  var hasChanges: Bool { isReordered || !added.isEmpty || !removed.isEmpty }

  /// Whether an object is a loaded member.
  func isMember(_ object: AnyManagedObject) -> Bool { list?.contains(object) ?? false }

  func insertMember(_ object: AnyManagedObject, at index: Int?) { list?.insert(object, at: index) }

  func removeMember(_ object: AnyManagedObject) { list?.remove(object) }

  /// Makes the next save insert a pair, or keep it.
  func addPair(_ object: AnyManagedObject) {
    if !removedList.remove(object), !addedList.contains(object) { addedList.insert(object) }
  }

  /// Makes the next save delete a pair, or not insert it.
  func removePair(_ object: AnyManagedObject) {
    if !addedList.remove(object), !removedList.contains(object) { removedList.insert(object) }
  }

  func isRemovedPair(_ object: AnyManagedObject) -> Bool { removedList.contains(object) }

  /// Resets the members, which are then loaded again; unsaved changes and an unsaved order are
  /// applied to them.
  func discardMembers() {
    if isReordered, let members { keptOrder = members }
    members = nil
    orderKeys = [:]
  }

  /// The members in their changed order, if any; new members come last.
  func arranged(_ members: [AnyManagedObject]) -> [AnyManagedObject] {
    guard let order = keptOrder else { return members }
    keptOrder = nil
    let (known, present) = (Set(order), Set(members))
    return order.filter(present.contains) + members.filter { !known.contains($0) }
  }

  func discardChanges() {
    keptOrder = nil
    isReordered = false
    addedList = MemberList()
    removedList = MemberList()
  }
}
