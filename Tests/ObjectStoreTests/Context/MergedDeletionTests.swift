// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// Unsaved changes of one context that meet the saves of another one.
@Suite struct MergedDeletionTests {
  private let social: [any Entity.Type] = [
    Conversation.self, Label.self, Owner.self, Guard.self,
  ]

  private func merge(
    into context: ManagedObjectContext, _ changes: (ManagedObjectContext) throws -> Void,
    of other: ManagedObjectContext
  ) async throws {
    var saves = other.didSave.makeAsyncIterator()
    try changes(other)
    try other.save()
    context.mergeChanges(from: try #require(await saves.next()))
  }

  @Test func dropsReferencesToWhatIsGone() async throws {
    let fixture = try StoreFixture()
    let (old, new) = (fixture.makeStop("old", stopTimes: 1), fixture.makeStop("new"))
    try fixture.context.save()
    let (time, id) = (old.stopTimes[0], new.objectID)
    time.stop = new
    try await merge(
      into: fixture.context, { $0.delete(try $0.existingObject(with: id)) },
      of: fixture.container.newBackgroundContext())
    #expect(new.isDeleted && time.stop == nil && !time.isDeleted)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZSTOP FROM ZSTOPTIME") == ["NULL"])
  }

  @Test func dropsPairsWithWhatIsGone() async throws {
    let fixture = try StoreFixture(social)
    let conversation = fixture.context.insert(Conversation.self)
    let label = fixture.context.insert(Label.self)
    try fixture.context.save()
    let id = label.objectID
    conversation.labels.append(label)
    try await merge(
      into: fixture.context, { $0.delete(try $0.existingObject(with: id)) },
      of: fixture.container.newBackgroundContext())
    #expect(label.isDeleted && conversation.labels.isEmpty)
    try fixture.context.save()
    let tables = try fixture.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_%LABELS' ESCAPE '\\' "
        + "OR type = 'table' AND name LIKE 'Z\\_%CONVERSATIONS' ESCAPE '\\'")
    #expect(tables.count == 1)
    #expect(try fixture.rows("SELECT COUNT(*) FROM \(tables[0])") == ["0"])
  }

  @Test func doesNotFetchADeletedObjectThatIsRelated() throws {
    let fixture = try StoreFixture()
    let (old, new) = (fixture.makeStop("old", stopTimes: 1), fixture.makeStop("new"))
    try fixture.context.save()
    let other = fixture.container.newBackgroundContext()
    try fixture.context.refreshAllObjects()
    old.stopTimes[0].stop = new
    other.delete(try other.existingObject(with: new.objectID))
    try other.save()
    #expect(try fixture.context.fetch(FetchRequest<Stop>()) == [old])
  }

  @Test func hasAPairOnceThatBothHaveAdded() async throws {
    let fixture = try StoreFixture(social)
    let conversation = fixture.context.insert(Conversation.self)
    let label = fixture.context.insert(Label.self)
    try fixture.context.save()
    let (id, labelID) = (conversation.objectID, label.objectID)
    label.conversations.insert(conversation)
    try await merge(
      into: fixture.context,
      {
        let label = try #require(try $0.existingObject(with: labelID).as(Label.self))
        label.conversations.insert(
          try #require(try $0.existingObject(with: id).as(Conversation.self)))
      }, of: fixture.container.newBackgroundContext())
    #expect(Array(label.conversations) == [conversation])
    #expect(Array(conversation.labels) == [label])
  }

  @Test func aRefreshSeesThePairsOfOthersBesideItsOwn() throws {
    let fixture = try StoreFixture(social)
    let conversations = (0..<2).map { _ in fixture.context.insert(Conversation.self) }
    let label = fixture.context.insert(Label.self)
    try fixture.context.save()
    let (id, labelID) = (conversations[1].objectID, label.objectID)
    #expect(label.conversations.isEmpty)
    label.conversations.insert(conversations[0])
    let other = fixture.container.newBackgroundContext()
    let theirs = try #require(try other.existingObject(with: labelID).as(Label.self))
    theirs.conversations.insert(
      try #require(try other.existingObject(with: id).as(Conversation.self)))
    try other.save()
    try fixture.context.refresh(label, mergeChanges: true)
    #expect(Set(label.conversations) == Set(conversations))
  }

  @Test func findsAnObjectThatWasRequestedTooEarly() async throws {
    let fixture = try StoreFixture()
    let other = fixture.container.newBackgroundContext()
    let new = other.insert(Stop.self)
    (new.name, new.identifier) = ("new", 7)
    try other.obtainPermanentIDs(for: [new])
    let early = try #require(try fixture.context.object(with: new.objectID).as(Stop.self))
    #expect(early.identifier == 0 && early.isDeleted)
    try await merge(into: fixture.context, { _ in }, of: other)
    #expect(!early.isDeleted && early.identifier == 7)
  }

  @Test func aDeletionThatWasNotWrittenIsNotReported() async throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    let other = fixture.container.newBackgroundContext()
    let theirs = try #require(try other.existingObject(with: stop.objectID).as(Stop.self))
    stop.name = "B"
    try fixture.context.save()
    other.mergePolicy = .storeTrump
    try await merge(into: fixture.context, { $0.delete(theirs) }, of: other)
    #expect(!stop.isDeleted && stop.name == "B" && theirs.name == "B")
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["B"])
  }

  @Test func keepsItsOrderAndHasTheMembersOfOthersToo() async throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 2)
    let times = Array(stop.stopTimes)
    try fixture.context.save()
    let id = stop.objectID
    stop.stopTimes.insert(times[1], at: 0)
    let other = fixture.container.newBackgroundContext()
    try await merge(
      into: fixture.context,
      {
        let theirs = try #require(try $0.existingObject(with: id).as(Stop.self))
        theirs.stopTimes.append($0.insert(StopTime.self))
      }, of: other)
    #expect(stop.stopTimes.count == 3 && Array(stop.stopTimes.prefix(2)) == [times[1], times[0]])
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT Z_PK FROM ZSTOPTIME ORDER BY Z_FOK_STOP")
        == stop.stopTimes.map { "\($0.objectID.primaryKey)" })
  }

  @Test func aDeletionReadsWhatOthersHaveRelatedMeanwhile() async throws {
    let fixture = try StoreFixture(vehicleEntities)
    let (depot, bus) = (fixture.context.insert(Depot.self), fixture.context.insert(NightBus.self))
    bus.number = 1
    try fixture.context.save()
    let (id, busID) = (depot.objectID, bus.objectID)
    fixture.context.delete(bus)
    fixture.context.processPendingChanges()
    try await merge(
      into: fixture.context,
      {
        let theirs = try #require(try $0.existingObject(with: id).as(Depot.self))
        let vehicle = try #require(try $0.existingObject(with: busID).as(Vehicle.self))
        theirs.first = vehicle
      }, of: fixture.container.newBackgroundContext())
    try fixture.context.save()
    #expect(depot.first == nil)
    #expect(try fixture.rows("SELECT ZFIRST FROM ZDEPOT") == ["NULL"])
  }
}
