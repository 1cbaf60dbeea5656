// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct PartialFaultTests {
  private func makeStore() throws -> (StoreFixture, PersistentContainer, RecordingObserver) {
    let fixture = try StoreFixture()
    fixture.makeStop("a", identifier: 7, stopTimes: 2)
    fixture.makeStop("b", identifier: 8)
    try fixture.context.save()
    // Its row cache is empty.
    let observer = RecordingObserver()
    return (fixture, try fixture.reopened(observer: observer), observer)
  }

  private func request(_ properties: FetchedProperty<Stop>...) -> FetchRequest<Stop> {
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = properties
    request.sortDescriptors = [SortDescriptor(\.name)]
    return request
  }

  @Test func readsWhatWasFetchedWithoutFiring() throws {
    let (fixture, container, observer) = try makeStore()
    let stops = try container.mainContext.fetch(request("note", "name"))
    #expect(
      observer.sql == [
        "SELECT 1, t0.Z_PK, t0.ZNAME, t0.ZNOTE FROM ZSTOP t0 ORDER BY t0.ZNAME"
      ])
    #expect(stops.map(\.name) == ["a", "b"])
    #expect(stops[0].note == nil)
    #expect(try stops[0].value(forKey: "name") == .string("a"))
    #expect(stops[0].isFault && stops[1].isFault)
    #expect(container.statistics.faults == 0)
    #expect(stops[0].identifier == 7)
    #expect(!stops[0].isFault && stops[1].isFault)
    #expect(container.statistics.faults == 1 && container.statistics.cacheMisses == 1)
    #expect(stops[0].name == "a")
    withExtendedLifetime(fixture) {}
  }

  @Test func readsAToOneWithoutFiring() throws {
    let (fixture, container, _) = try makeStore()
    var request = FetchRequest<StopTime>()
    request.propertiesToFetch = [FetchedProperty(\.stop)]
    let times = try container.mainContext.fetch(request)
    let stop = try #require(times[0].stop)
    #expect(stop === times[1].stop && stop.isFault)
    #expect(container.statistics.faults == 0)
    withExtendedLifetime(fixture) {}
  }

  @Test func keepsChangesAndDiscardsFetchedValuesInARefresh() throws {
    let (fixture, container, _) = try makeStore()
    let stop = try container.mainContext.fetch(request("name"))[0]
    stop.name = "z"
    #expect(stop.name == "z" && stop.identifier == 7)
    try container.mainContext.save()
    #expect(try fixture.rows("SELECT ZNAME, ZIDENTIFIER FROM ZSTOP WHERE Z_PK = 1") == ["z|7"])
    let other = try container.mainContext.fetch(request("name"))[0]
    try container.mainContext.refresh(other, mergeChanges: false)
    let faults = container.statistics.faults
    #expect(other.name == "b")
    #expect(container.statistics.faults == faults + 1)
  }

  @Test func readsKeysAlone() throws {
    let (fixture, container, observer) = try makeStore()
    var request = FetchRequest<Stop>()
    request.includesPropertyValues = false
    let stops = try container.mainContext.fetch(request)
    #expect(observer.sql == ["SELECT 0, t0.Z_PK FROM ZSTOP t0"])
    #expect(stops.map(\.name) == ["a", "b"])
    #expect(container.statistics.cacheMisses == 2)
    withExtendedLifetime(fixture) {}
  }

  @Test(arguments: [true, false])
  func fillsTheRowCacheWithTheRowsOfIDs(_ includesPropertyValues: Bool) throws {
    let (fixture, container, observer) = try makeStore()
    var request = FetchRequest<Stop>()
    request.includesPropertyValues = includesPropertyValues
    let ids = try container.mainContext.fetchObjectIDs(request)
    #expect(ids.map(\.primaryKey) == [1, 2])
    #expect((observer.sql == ["SELECT 0, t0.Z_PK FROM ZSTOP t0"]) == !includesPropertyValues)
    let stop = try container.mainContext.existingObject(with: ids[0])
    #expect(try stop.value(forKey: "name") == .string("a"))
    #expect(container.statistics.cacheMisses == (includesPropertyValues ? 0 : 1))
    guard case .fetchEnd(let end) = observer.events.first(where: { $0.kind == .fetchEnd })
    else { return #expect(Bool(false)) }
    #expect(end.kind == .ids && end.rows == 2)
    withExtendedLifetime(fixture) {}
  }

  @Test func refreshesWhatTheContextHasAlready() throws {
    let (fixture, container, _) = try makeStore()
    var request = FetchRequest<Stop>()
    request.sortDescriptors = [SortDescriptor(\.identifier)]
    request.returnsObjectsAsFaults = false
    let stops = try container.mainContext.fetch(request)
    #expect(stops[0].stopTimes.count == 2)
    stops[1].note = "mine"
    let others = try fixture.context.fetch(request)
    others[0].name = "A"
    others[1].name = "B"
    others[1].note = "theirs"
    let time = try #require(others[0].stopTimes.first)
    fixture.context.delete(time)
    try fixture.context.save()
    _ = try container.mainContext.fetch(request)
    #expect(stops.map(\.name) == ["a", "b"])
    request.shouldRefreshRefetchedObjects = true
    _ = try container.mainContext.fetch(request)
    #expect(stops.map(\.name) == ["A", "B"])
    #expect(stops[0].stopTimes.count == 1)
    #expect(stops[1].note == "mine")
  }

  @Test func refusesPartsThatAreNotTheObjectsOwn() throws {
    let (fixture, container, _) = try makeStore()
    for property: FetchedProperty<Stop> in ["stopTimes", "nmae", .count(as: "n"), .objectID] {
      #expect(throws: FetchPredicateError.self) {
        try container.mainContext.fetch(request(property))
      }
    }
    withExtendedLifetime(fixture) {}
  }
}
