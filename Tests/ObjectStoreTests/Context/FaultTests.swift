// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct FaultTests {
  /// One stop with two stop times, in a file, and a second container that has read nothing yet.
  private func makeStore() throws -> (StoreFixture, PersistentContainer, RecordingObserver) {
    let fixture = try StoreFixture()
    _ = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    let observer = RecordingObserver()
    return (fixture, try fixture.reopened(observer: observer), observer)
  }

  @Test func firesFromTheRowCacheAfterAFetch() throws {
    let (fixture, container, observer) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let stop = try #require(
      try container.mainContext.fetch(FetchRequest<Stop>(), file: "f", line: 9).first)
    #expect(stop.isFault)
    observer.removeAll()
    #expect(stop.name == "A" && !stop.isFault)
    #expect(observer.sql.isEmpty && observer.events.map(\.kind) == [.fault])
    guard case .fault(let fault) = observer.events[0] else { return }
    #expect(fault.entity == "Stop" && fault.pk == 1 && fault.relationship.isEmpty)
    #expect(fault.source == .rowCache && fault.rows == 1 && fault.originFetchID > 0)
    #expect(fault.origin == SourceLocation(file: "f", line: 9))
    let statistics = container.statistics
    #expect(statistics.faults == 1 && statistics.cacheHits == 1 && statistics.cacheMisses == 0)
  }

  @Test func queriesTheDatabaseForARowThatIsNotCached() throws {
    let (fixture, container, observer) = try makeStore()
    let id = try #require(
      try fixture.context.fetchObjectIDs(FetchRequest<Stop>()).first)
    observer.removeAll()
    let stop = try container.mainContext.object(with: id)
    #expect(stop.isFault && observer.sql.isEmpty)
    #expect(try stop.value(forKey: "name") == .string("A"))
    let sql =
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME, t0.ZNOTE"
      + " FROM ZSTOP t0 WHERE  t0.Z_PK = ?"
    #expect(observer.sql == [sql] && observer.bindings == [[.integer(1)]])
    #expect(
      observer.events.map(\.kind).filter { $0 != .statement && $0 != .counters }
        == [.cacheMiss, .fault])
    guard case .cacheMiss(let miss) = observer.events.first(where: { $0.kind == .cacheMiss })
    else { return }
    #expect(miss.statementID == StatementID(sql: sql) && miss.vmSteps > 0)
    #expect(container.statistics.faults == 1 && container.statistics.cacheMisses == 1)
  }

  @Test func loadsMembersInOneRoundTripAndLeavesThemFaults() throws {
    let (fixture, container, observer) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let stop = try #require(try container.mainContext.fetch(FetchRequest<Stop>()).first)
    observer.removeAll()
    #expect(stop.stopTimes.count == 2)
    #expect(
      observer.sql == [
        "SELECT 0, t0.Z_PK, t0.Z_FOK_STOP FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?"
          + "  ORDER BY t0.Z_FOK_STOP, t0.Z_PK"
      ])
    #expect(stop.stopTimes[0].isFault && stop.isFault)
    #expect(stop.stopTimes.map(\.headsign) == ["0", "1"])
    let statistics = container.statistics
    #expect(statistics.faults == 3 && statistics.cacheMisses == 3)
    let relationships = observer.events.compactMap { event -> UInt64? in
      guard case .fault(let fault) = event, fault.relationship == "stopTimes" else { return nil }
      return fault.rows
    }
    #expect(relationships == [2])
  }

  @Test func keepsOneObjectPerRow() throws {
    let (fixture, container, _) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let context = container.mainContext
    let first = try context.fetch(FetchRequest<Stop>())
    let second = try context.fetch(FetchRequest<Stop>())
    #expect(first[0] === second[0])
    let times = try context.fetch(FetchRequest<StopTime>())
    #expect(times[0].stop === first[0])
    #expect(try container.newBackgroundContext().fetch(FetchRequest<Stop>()).first !== first[0])
  }

  @Test func returnsFilledObjectsByOption() throws {
    let (fixture, container, observer) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    var request = FetchRequest<Stop>()
    request.returnsObjectsAsFaults = false
    let stop = try #require(try container.mainContext.fetch(request).first)
    observer.removeAll()
    #expect(!stop.isFault && stop.name == "A")
    #expect(observer.events.isEmpty && container.statistics.faults == 0)
  }

  @Test func readsAsDeletedWhenTheRowIsGone() throws {
    let (fixture, container, _) = try makeStore()
    let id = try #require(try fixture.context.fetchObjectIDs(FetchRequest<Stop>()).first)
    let fault = try container.mainContext.object(with: id)
    fixture.context.delete(try fixture.context.existingObject(with: id))
    try fixture.context.save()
    let stop = try #require(fault as? ManagedObject<Stop>)
    #expect(stop.name.isEmpty && stop.isDeleted && stop.stopTimes.isEmpty)
    #expect(throws: StoreError.objectGone(id)) { try stop.value(forKey: "name") }
  }

  @Test func namesTheNearestProperty() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    #expect(
      throws: StoreError.unknownProperty("longitud", entity: "Stop", nearest: "longitude")
    ) { try stop.value(forKey: "longitud") }
    #expect(throws: StoreError.self) { try stop.setValue(.string("x"), forKey: "longitude") }
    try stop.setValue(.double(13.4), forKey: "longitude")
    #expect(stop.longitude == 13.4)
  }
}
