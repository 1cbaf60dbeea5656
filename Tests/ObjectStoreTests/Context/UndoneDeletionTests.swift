// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

private struct Place: Entity {
  let name = Attribute<String?>("name")
  let origin: ToOne<Place> = ToOne("origin", inverse: \.copies)
  let copies: ToMany<Place> = ToMany("copies", inverse: \.origin, deleteRule: .noAction)
  let stopOf: ToOne<Place> = ToOne("stopOf", inverse: \.stops)
  let stops: ToMany<Place> = ToMany("stops", inverse: \.stopOf)
  let route: ToMany<Place> = ToMany("route", inverse: \.routes, ordered: true)
  let routes: ToMany<Place> = ToMany("routes", inverse: \.route)
}

/// Relationships after a deletion was undone, in the context and in its child.
@Suite struct UndoneDeletionTests {
  private let fixture: StoreFixture
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  init() throws {
    fixture = try StoreFixture([Place.self])
    parent = fixture.container.newBackgroundContext(name: "parent")
    parent.undoManager = ContextUndoManager()
    child = ManagedObjectContext(parent: parent, name: "child")
  }

  private func undo() { parent.performAndWait { parent.undoManager?.undo() } }

  private func inChild(_ object: ManagedObject<Place>) throws -> ManagedObject<Place> {
    try #require(try child.object(with: object.objectID).as(Place.self))
  }

  @Test func referencesThatNoActionLeftInTheFileAreMembersAgain() throws {
    let (copy, origin) = (fixture.context.insert(Place.self), fixture.context.insert(Place.self))
    copy.origin = origin
    try fixture.context.save()
    let own = try #require(try parent.object(with: origin.objectID).as(Place.self))
    parent.delete(own)
    try parent.save()
    undo()
    #expect(own.copies.map(\.objectID) == [copy.objectID])
    #expect(try inChild(own).copies.map(\.objectID) == [copy.objectID])
    try parent.save()
    #expect(own.copies.map(\.objectID) == [copy.objectID])
  }

  /// Read before the delete rule is followed, and of a rule that leaves the owner alone.
  @Test func membersReadDuringADeletionAreCompleteAfterARollbackAndAnUndo() throws {
    let (stop, origin) = (fixture.context.insert(Place.self), fixture.context.insert(Place.self))
    (stop.origin, stop.stopOf) = (origin, origin)
    try fixture.context.save()
    typealias Members = (ManagedObject<Place>) -> ToManyMembers<Place>
    for takeBack in [{ parent.rollback() }, { parent.undoManager?.undo() }] {
      for members: Members in [{ $0.copies }, { $0.stops }] {
        parent.reset()
        let own = try #require(try parent.object(with: origin.objectID).as(Place.self))
        parent.delete(try parent.object(with: stop.objectID))
        #expect(members(own).isEmpty)
        takeBack()
        #expect(members(own).map(\.objectID) == [stop.objectID])
      }
    }
  }

  @Test func anInsertionThatWasDeletedWhileItsOwnerWasReadIsAMemberAgain() throws {
    let origin = fixture.context.insert(Place.self)
    try fixture.context.save()
    let own = try #require(try parent.object(with: origin.objectID).as(Place.self))
    let stop = parent.insert(Place.self)
    stop.origin = own
    parent.processPendingChanges()
    parent.delete(stop)
    #expect(own.copies.isEmpty)
    undo()
    #expect(Array(own.copies) == [stop])
  }

  /// The owner was not the member's owner when the member was changed.
  @Test func membersReadAfterAMergeAreCompleteAfterARollback() throws {
    let (stop, origin) = (fixture.context.insert(Place.self), fixture.context.insert(Place.self))
    try fixture.context.save()
    let own = try #require(try parent.object(with: stop.objectID).as(Place.self))
    own.origin = own
    stop.origin = origin
    try fixture.context.save()
    try parent.refreshAllObjects()
    let members = try #require(try parent.object(with: origin.objectID).as(Place.self)).copies
    #expect(members.isEmpty)
    parent.rollback()
    #expect(own.origin?.objectID == origin.objectID && members.map(\.objectID) == [stop.objectID])
  }

  @Test func pairOfAnObjectWithItselfIsUndoneWithItsGroup() throws {
    let place = parent.insert(Place.self)
    parent.undoManager?.removeAllActions()
    place.route.append(place)
    try parent.save()
    parent.delete(place)
    try parent.save()
    undo()
    #expect(Array(place.route) == [place] && Array(place.routes) == [place])
    undo()
    #expect(place.route.isEmpty && place.routes.isEmpty)
    let own = try inChild(place)
    #expect(own.route.isEmpty && own.routes.isEmpty)
    try parent.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM Z_1ROUTE") == ["0"])
  }

  @Test func pairOfTwoObjectsIsUndoneWithItsGroup() throws {
    let (start, stop) = (parent.insert(Place.self), parent.insert(Place.self))
    try parent.save()
    try parent.refreshAllObjects()
    parent.undoManager?.removeAllActions()
    start.route.append(stop)
    try parent.save()
    parent.delete(stop)
    try parent.save()
    undo()
    #expect(Array(start.route) == [stop] && Array(stop.routes) == [start])
    undo()
    #expect(start.route.isEmpty && stop.routes.isEmpty)
  }

  @Test func anObjectThatCameBackInTheParentIsAMemberOnce() throws {
    let copy = child.insert(Place.self)
    let (first, second) = (parent.insert(Place.self), parent.insert(Place.self))
    parent.undoManager?.removeAllActions()
    let (one, two) = (try inChild(first), try inChild(second))
    copy.origin = one
    parent.delete(first)
    try child.refreshAllObjects()
    undo()
    try child.refreshAllObjects()
    one.origin = two
    try child.refreshAllObjects()
    #expect(two.copies.map(\.objectID) == [one.objectID])
    #expect(child.updatedObjects.filter { $0 === one }.count == 1)
  }

  @Test func aReferenceToAnInsertionThatTheParentTookBackIsDropped() throws {
    let (copy, origin) = (child.insert(Place.self), parent.insert(Place.self))
    copy.origin = try inChild(origin)
    undo()
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT ZORIGIN IS NULL FROM ZPLACE") == ["1"])
    #expect(copy.origin == nil && parent.registeredObject(for: origin.objectID) == nil)
  }

  @Test func pairsOfAChildAreTakenBackThoughTheirMembersWereNeverLoaded() throws {
    let saved = fixture.context.insert(Place.self)
    try fixture.context.save()
    let own = try inChild(saved)
    own.route.append(own)
    try child.save()
    try parent.save()
    undo()
    #expect(parent.hasChanges)
    try child.refreshAllObjects()
    #expect(own.route.isEmpty && own.routes.isEmpty)
    try parent.save()
    parent.performAndWait { parent.undoManager?.redo() }
    try child.refreshAllObjects()
    #expect(Array(own.route) == [own] && Array(own.routes) == [own])
  }
}
