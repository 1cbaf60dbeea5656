// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// A child whose parent changes while it has changes of its own.
@Suite struct NestedChangesTests {
  private let fixture: StoreFixture
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  /// A parent and its child, on queues of their own.
  init() throws {
    fixture = try StoreFixture([
      Conversation.self, Label.self, Owner.self, Guard.self, Stop.self, StopTime.self,
    ])
    parent = fixture.container.newBackgroundContext(name: "parent")
    child = ManagedObjectContext(parent: parent, name: "child")
  }

  @Test func aFaultStaysOneWhenOnlyTheOrderOfItsMembersIsSaved() throws {
    let saved = parent.insert(Conversation.self)
    saved.title = "title"
    let label = parent.insert(Label.self)
    try parent.save()
    let conversation = try #require(
      try child.object(with: saved.objectID).as(Conversation.self))
    let childLabel = try #require(try child.object(with: label.objectID).as(Label.self))
    childLabel.conversations.insert(conversation)
    try child.save()
    #expect(conversation.title == "title" && Array(saved.labels) == [label])
  }

  @Test func followsThePermanentIDsOfItsParent() throws {
    let saved = parent.insert(Stop.self)
    let stop = try #require(try child.existingObject(with: saved.objectID).as(Stop.self))
    let time = child.insert(StopTime.self)
    time.stop = stop
    try parent.obtainPermanentIDs(for: [saved])
    child.performAndWait {
      #expect(stop.objectID == saved.objectID && time.stop === stop)
      try? child.refresh(stop, mergeChanges: true)
      #expect(Array(stop.stopTimes) == [time])
    }
  }

  @Test func anInsertionWithAPermanentIDIsStillOneAfterARefresh() throws {
    let stop = child.insert(Stop.self)
    (stop.name, stop.identifier) = ("new", 7)
    try child.obtainPermanentIDs(for: [stop])
    let other = parent.insert(Stop.self)
    (other.name, other.identifier) = ("other", 8)
    try child.refreshAllObjects()
    #expect(stop.isInserted && !stop.isDeleted && stop.name == "new")
    #expect(child.registeredObject(for: stop.objectID) === stop)
    try child.save()
    try parent.save()
    #expect(try parent.count(FetchRequest<Stop>()) == 2)
  }

  @Test func refreshesRefetchedObjectsFromItsParent() throws {
    let saved = parent.insert(Stop.self)
    (saved.name, saved.identifier) = ("saved", 1)
    try parent.save()
    let stop = try #require(try child.existingObject(with: saved.objectID).as(Stop.self))
    saved.name = "unsaved"
    var request = FetchRequest<Stop>()
    request.shouldRefreshRefetchedObjects = true
    #expect(try child.fetch(request) == [stop])
    #expect(stop.name == "unsaved")
  }

  @Test func deletesObjectsThatItsParentHasLost() throws {
    let saved = parent.insert(Stop.self)
    let stop = try #require(try child.existingObject(with: saved.objectID).as(Stop.self))
    child.delete(stop)
    parent.rollback()
    try child.save()
    #expect(!parent.hasChanges && !child.hasChanges && stop.isDeleted)
  }

  @Test func aRefreshDropsReferencesToObjectsDeletedInItsParent() throws {
    let saved = parent.insert(Stop.self)
    let stop = try #require(try child.object(with: saved.objectID).as(Stop.self))
    let time = child.insert(StopTime.self)
    time.stop = stop
    parent.delete(saved)
    try child.refreshAllObjects()
    #expect(stop.isDeleted && time.stop == nil && child.insertedObjects == [time])
  }

  @Test func seesChangesOfTwoEntitiesWithTheSameKey() throws {
    let stop = parent.insert(Stop.self)
    (stop.identifier, stop.name) = (1, "old")
    let time = parent.insert(StopTime.self)
    time.headsign = "old"
    try parent.save()
    #expect(stop.objectID.primaryKey == time.objectID.primaryKey)
    stop.name = "new"
    time.headsign = "new"
    let grandchild = ManagedObjectContext(parent: child)
    for context in [child, grandchild] {
      #expect(try context.count(FetchRequest<Stop>(where: { $0.name == "new" })) == 1)
      #expect(try context.count(FetchRequest<StopTime>(where: { $0.headsign == "new" })) == 1)
      #expect(try context.fetch(FetchRequest<StopTime>(where: { $0.headsign == "old" })).isEmpty)
    }
    // A change of the child hides none of its parent's to another table.
    let childStop = try #require(try child.existingObject(with: stop.objectID).as(Stop.self))
    childStop.name = "newer"
    #expect(
      try grandchild.fetch(FetchRequest<StopTime>(where: { $0.headsign == "old" })).isEmpty)
    parent.rollback()
    child.rollback()
    parent.delete(stop)
    parent.delete(time)
    #expect(try child.count(FetchRequest<Stop>()) == 0)
    #expect(try child.count(FetchRequest<StopTime>()) == 0)
  }
}
