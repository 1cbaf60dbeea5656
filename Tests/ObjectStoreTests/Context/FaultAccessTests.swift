// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// The properties that a fault has without firing, and the fate of a fault without a row.
@Suite struct FaultAccessTests {
  /// A container on the fixture's file that has read nothing yet, and its only stop as a fault.
  private func makeFault(
    stopTimes: Int = 0
  ) throws -> (StoreFixture, PersistentContainer, ManagedObject<Stop>, RecordingObserver) {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: stopTimes)
    try fixture.context.save()
    let observer = RecordingObserver()
    let container = try fixture.reopened(observer: observer)
    let fault = try container.mainContext.object(with: stop.objectID)
    return (fixture, container, try #require(fault as? ManagedObject<Stop>), observer)
  }

  @Test func answersWithoutFiringWhatNeedsNoValue() throws {
    let (fixture, container, fault, observer) = try makeFault()
    let context = container.mainContext
    observer.removeAll()
    #expect(fault == fault && Set([fault]).contains(fault))
    #expect(fault.isKind(of: ManagedObject<Stop>.self))
    #expect(fault.entity.name == "Stop" && fault.managedObjectContext === context)
    #expect(fault.objectID.uri == "x-coredata://\(fixture.container.storeUUID)/Stop/p1")
    #expect(!fault.isInserted && !fault.isUpdated && !fault.isDeleted && !fault.hasChanges)
    #expect(fault.hasFault(for: \.stopTimes))
    #expect(context.registeredObject(for: fault.objectID) === fault)
    #expect(fault.description == "<\(fault.objectID.uri): fault>")
    #expect(fault.isFault && observer.sql.isEmpty && container.statistics.faults == 0)
    _ = fault.name
    #expect(fault.description == "<\(fault.objectID.uri)>" && container.statistics.faults == 1)
  }

  @Test func recognizesWhichOfItsRelationshipsAreFaults() throws {
    let (fixture, container, stop, observer) = try makeFault(stopTimes: 1)
    defer { withExtendedLifetime(fixture) {} }
    let time = try #require(try container.mainContext.fetch(FetchRequest<StopTime>()).first)
    #expect(time.hasFault(for: \.stop) && stop.hasFault(for: \.stopTimes))
    _ = time.headsign
    observer.removeAll()
    // The row is there, the object that it refers to is not loaded.
    #expect(time.hasFault(for: \.stop) && observer.sql.isEmpty)
    _ = time.stop?.name
    #expect(!time.hasFault(for: \.stop))
    #expect(stop.stopTimes.count == 1 && !stop.hasFault(for: \.stopTimes))
    time.stop = nil
    #expect(!time.hasFault(for: \.stop))
  }

  @Test func looksUpObjectsByTheirIDs() throws {
    let (fixture, container, fault, observer) = try makeFault()
    let context = container.mainContext
    observer.removeAll()
    #expect(try context.object(with: fault.objectID) === fault && observer.sql.isEmpty)
    #expect(try context.existingObject(with: fault.objectID) === fault && !fault.isFault)
    let other = try StoreFixture()
    other.makeStop("B")
    try other.context.save()
    let foreign = try #require(try other.context.fetchObjectIDs(FetchRequest<Stop>()).first)
    #expect(throws: StoreError.foreignObject(foreign)) { try context.object(with: foreign) }
    #expect(context.registeredObject(for: foreign) == nil)
    withExtendedLifetime(fixture) {}
  }

  @Test func countsAsDeletedWhenItsRowIsGone() throws {
    let (fixture, container, fault, _) = try makeFault()
    try Connection(path: fixture.url.path).execute("DELETE FROM ZSTOP")
    #expect(throws: StoreError.objectGone(fault.objectID)) { try fault.value(forKey: "name") }
    #expect(fault.name.isEmpty && fault.isDeleted && fault.stopTimes.isEmpty)
    #expect(container.mainContext.faultError == nil)
    try container.mainContext.save()
  }

  @Test func staysAFaultWhenTheContextKeepsInaccessibleOnes() throws {
    let (fixture, container, fault, _) = try makeFault()
    let context = container.mainContext
    context.shouldDeleteInaccessibleFaults = false
    try Connection(path: fixture.url.path).execute("DELETE FROM ZSTOP")
    #expect(throws: StoreError.objectGone(fault.objectID)) { try fault.load() }
    #expect(!fault.isDeleted && context.faultError == nil)
    #expect(fault.name.isEmpty && fault.isFault && !fault.isDeleted)
    context.insert(StopTime.self).headsign = "x"
    #expect(throws: StoreError.objectGone(fault.objectID)) { try context.save() }
    context.rollback()
    #expect(context.faultError == nil)
  }

  @Test func aChangeOfAFaultThatCannotBeReadMakesTheSaveThrow() throws {
    let (fixture, container, fault, _) = try makeFault()
    let context = container.mainContext
    container.close()
    fault.name = "new"
    #expect(context.faultError != nil && !context.hasChanges)
    #expect(throws: StoreError.closed(path: fixture.url.path)) { try context.save() }
  }

  @Test func anObjectWithASavedDeletionIsNoDestination() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    let time = fixture.context.insert(StopTime.self)
    time.headsign = "x"
    try fixture.context.save()
    fixture.context.delete(stop)
    try fixture.context.save()
    time.stop = stop
    #expect(time.stop == nil)
    #expect(throws: StoreError.objectGone(stop.objectID)) { try fixture.context.save() }
    fixture.context.rollback()
    stop.stopTimes.append(time)
    #expect(throws: StoreError.objectGone(stop.objectID)) { try fixture.context.save() }
    #expect(try fixture.rows("SELECT ZSTOP IS NULL FROM ZSTOPTIME") == ["1"])
  }

  @Test func comesBackWhenItsRowDoes() throws {
    let (fixture, container, fault, _) = try makeFault()
    let other = try Connection(path: fixture.url.path)
    try other.execute("CREATE TABLE kept AS SELECT * FROM ZSTOP; DELETE FROM ZSTOP")
    #expect(fault.name.isEmpty && fault.isDeleted)
    try other.execute("INSERT INTO ZSTOP SELECT * FROM kept")
    try container.mainContext.refresh(fault, mergeChanges: false)
    #expect(fault.name == "A" && !fault.isDeleted)
  }

  @Test func becomesAFaultAgainOrKeepsItsChanges() throws {
    let (fixture, container, stop, observer) = try makeFault()
    let context = container.mainContext
    let other = try Connection(path: fixture.url.path)
    #expect(stop.name == "A")
    stop.identifier = 9
    try other.execute("UPDATE ZSTOP SET ZNAME = 'B', Z_OPT = 2")
    #expect(stop.name == "A")
    try context.refresh(stop, mergeChanges: true)
    #expect(stop.name == "B" && stop.identifier == 9 && stop.isUpdated)
    observer.removeAll()
    try context.refresh(stop, mergeChanges: false)
    #expect(stop.isFault && !stop.hasChanges && !context.hasChanges && observer.sql.isEmpty)
    #expect(stop.identifier == 1)
  }

  @Test func refreshesAllObjects() throws {
    let (fixture, container, stop, _) = try makeFault(stopTimes: 2)
    let context = container.mainContext
    let times = Array(stop.stopTimes)
    times[0].headsign = "mine"
    _ = times[1].headsign
    try Connection(path: fixture.url.path)
      .execute("UPDATE ZSTOPTIME SET ZDEPARTURETIME = 7, ZHEADSIGN = 'theirs', Z_OPT = 2")
    try context.refreshAllObjects()
    #expect(times[1].isFault && !times[0].isFault)
    #expect(times[0].headsign == "mine" && times[0].departureTime == 7)
    #expect(times[1].headsign == "theirs")
    try context.save()
    #expect(
      try fixture.rows("SELECT ZHEADSIGN, Z_OPT FROM ZSTOPTIME ORDER BY 1")
        == ["mine|3", "theirs|2"])
  }

  @Test func loadsMembersOfAManyToManyWithoutTheirValues() throws {
    let social: [any Entity.Type] = [Conversation.self, Label.self, Owner.self, Guard.self]
    let fixture = try StoreFixture(social)
    let label = fixture.context.insert(Label.self)
    for _ in 0..<3 { label.conversations.insert(fixture.context.insert(Conversation.self)) }
    try fixture.context.save()
    let observer = RecordingObserver()
    let container = try fixture.reopened(social, observer: observer)
    let again = try #require(try container.mainContext.fetch(FetchRequest<Label>()).first)
    observer.removeAll()
    #expect(again.conversations.count == 3)
    #expect(
      observer.sql == [
        "SELECT 0, t0.Z_PK FROM Z_1LABELS t1 JOIN ZCONVERSATION t0 "
          + "ON t0.Z_PK = t1.Z_1CONVERSATIONS WHERE  t1.Z_3LABELS = ?"
      ])
    #expect(again.conversations.filter(\.isFault).count == 3)
  }
}

extension AnyManagedObject {
  fileprivate func isKind(of type: AnyManagedObject.Type) -> Bool { Swift.type(of: self) == type }
}
