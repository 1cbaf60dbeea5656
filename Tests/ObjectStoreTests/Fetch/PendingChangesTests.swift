// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing

@testable import ObjectStore

@Suite struct PendingChangesTests {
  /// Stops "a", "b" and "c" with the identifiers 0, 1 and 2, and two stop times each.
  private func makeStore() throws -> StoreFixture {
    let fixture = try StoreFixture()
    for (index, name) in ["a", "b", "c"].enumerated() {
      fixture.makeStop(name, identifier: Int64(index), stopTimes: 2)
    }
    try fixture.context.save()
    fixture.observer.removeAll()
    return fixture
  }

  private func stop(_ name: String, in fixture: StoreFixture) throws -> ManagedObject<Stop> {
    try #require(
      try fixture.context.fetch(FetchRequest<Stop>(where: { $0.name == name })).first)
  }

  @Test func seesChangesAtTheOtherEndOfAToOne() throws {
    let fixture = try makeStore()
    try stop("b", in: fixture).name = "z"
    fixture.observer.removeAll()
    var request = FetchRequest<StopTime>(predicate: try FetchPredicate("stop.name == 'z'"))
    let found = try fixture.context.fetch(request)
    #expect(found.count == 2 && found.allSatisfy { $0.stop?.name == "z" })
    // Which objects are joined to changed ones is a fetch of its own, within this one.
    #expect(
      fixture.observer.sql.prefix(2) == [
        "SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 WHERE  t0.ZSTOP IN (?)",
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZDEPARTURETIME, t0.ZHEADSIGN, t0.ZSTOP FROM ZSTOPTIME t0 "
          + "JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK WHERE  t1.ZNAME = ?",
      ])
    let ends = fixture.observer.events.compactMap { event -> FetchEnd? in
      if case .fetchEnd(let end) = event { end } else { nil }
    }
    #expect(ends.map(\.kind) == [.ids, .objects])
    #expect(ends[0].parentID == ends[1].fetchID)
    #expect(try fixture.context.count(request) == 2)
    request.predicate = try FetchPredicate("stop.name == 'b'")
    #expect(try fixture.context.fetch(request).isEmpty)
    #expect(try fixture.context.count(request) == 0)
  }

  @Test func seesChangesInAToMany() throws {
    let fixture = try makeStore()
    let stops = try fixture.context.fetch(FetchRequest<Stop>())
    stops[1].stopTimes[0].headsign = "new"
    fixture.context.delete(stops[2].stopTimes[1])
    func names(_ format: String) throws -> [String] {
      var request = FetchRequest<Stop>(predicate: try FetchPredicate(format: format))
      request.sortDescriptors = [SortDescriptor(\.name)]
      return try fixture.context.fetch(request).map(\.name)
    }
    #expect(try names("ANY stopTimes.headsign == 'new'") == ["b"])
    #expect(try names("ANY stopTimes.headsign == '0'") == ["a", "c"])
    #expect(try names("stopTimes.@count == 1") == ["c"])
    #expect(try names("SUBQUERY(stopTimes, $x, $x.headsign != '0').@count > 1") == ["b"])
  }

  @Test func sortsByChangesAtTheOtherEnd() throws {
    let fixture = try makeStore()
    try stop("a", in: fixture).name = "z"
    var request = FetchRequest<StopTime>()
    request.sortDescriptors = [SortDescriptor("stop.name"), SortDescriptor(\.headsign)]
    request.fetchLimit = 3
    request.fetchOffset = 2
    #expect(
      try fixture.context.fetch(request).map { "\($0.stop?.name ?? "")\($0.headsign ?? "")" }
        == ["c0", "c1", "z0"])
    #expect(try fixture.context.count(request) == 3)
  }

  /// As Core Data's: only the saved ids are in the order of the request.
  @Test func addsUnsavedIDsWithoutSorting() throws {
    let fixture = try makeStore()
    let new = fixture.makeStop("0")
    try stop("b", in: fixture).name = "z"
    fixture.context.delete(try stop("c", in: fixture))
    var request = FetchRequest<Stop>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    #expect(try fixture.context.fetch(request).map(\.name) == ["0", "a", "z"])
    let ids = try fixture.context.fetchObjectIDs(request)
    #expect(ids.map(\.primaryKey) == [1, 2, new.objectID.primaryKey])
    #expect(ids[2].isTemporary)
    request.fetchLimit = 1
    request.fetchOffset = 1
    #expect(try fixture.context.fetchObjectIDs(request).map(\.primaryKey) == [2])
  }

  @Test func countsWithoutLoadingUnchangedObjects() throws {
    let fixture = try makeStore()
    fixture.makeStop("d", identifier: 9)
    try stop("a", in: fixture).identifier = -1
    fixture.observer.removeAll()
    let request = FetchRequest<Stop>(predicate: try FetchPredicate("identifier >= 0"))
    #expect(try fixture.context.count(request) == 3)
    #expect(
      fixture.observer.sql == [
        "SELECT COUNT(*) FROM ZSTOP t0 WHERE ( t0.ZIDENTIFIER >= ? AND  NOT ( t0.Z_PK IN (?)))"
      ])
  }

  private static let formats = [
    "stop.name == 'a'", "stop.name != 'a'", "stop == nil",
    "stop.identifier > 1 AND headsign != '0'",
    "ANY stop.stopTimes.headsign == '1'", "stop.stopTimes.@count > 2", "NOT (stop.name > 'b')",
    "SUBQUERY(stop.stopTimes, $x, $x.departureTime > 2 AND $x.stop.name < 'c').@count > 0",
    "headsign IN {'0', '3'} OR stop.name BEGINSWITH 'b'",
  ]

  /// A fetch before a save returns the same as after it, whatever was changed.
  @Test(arguments: 1...6)
  func findsTheSameBeforeAndAfterASave(_ seed: UInt64) throws {
    var random = TestSupport.SeededGenerator(seed: seed)
    let fixture = try makeStore()
    for _ in 0..<4 {
      try changeSomething(fixture, &random)
      var before: [[Int32]] = []
      for format in Self.formats {
        var request = FetchRequest<StopTime>(predicate: try FetchPredicate(format: format))
        request.sortDescriptors = [SortDescriptor("stop.name"), SortDescriptor(\.departureTime)]
        let times = try fixture.context.fetch(request).map(\.departureTime)
        #expect(try fixture.context.count(request) == times.count, "\(format)")
        #expect(try fixture.context.fetchObjectIDs(request).count == times.count, "\(format)")
        before.append(times)
      }
      try fixture.context.save()
      let other = fixture.container.newBackgroundContext()
      for (format, times) in zip(Self.formats, before) {
        var request = FetchRequest<StopTime>(predicate: try FetchPredicate(format: format))
        request.sortDescriptors = [SortDescriptor("stop.name"), SortDescriptor(\.departureTime)]
        #expect(try other.fetch(request).map(\.departureTime) == times, "\(format)")
      }
      withExtendedLifetime(other) {}
    }
  }

  /// Departure times differ, so that an order is the only right one.
  private func changeSomething(
    _ fixture: StoreFixture, _ random: inout TestSupport.SeededGenerator
  ) throws {
    let context = fixture.context
    for _ in 0..<6 {
      let stops = try context.fetch(FetchRequest<Stop>())
      let times = try context.fetch(FetchRequest<StopTime>())
      switch Int.random(in: 0..<7, using: &random) {
      case 0: fixture.makeStop(["a", "b", "d"].randomElement(using: &random) ?? "", stopTimes: 1)
      case 1: stops.randomElement(using: &random)?.name = "bb"
      case 2: times.randomElement(using: &random)?.stop = stops.randomElement(using: &random)
      case 3: times.randomElement(using: &random)?.stop = nil
      case 4: times.randomElement(using: &random)?.headsign = "3"
      case 5: if let stop = stops.randomElement(using: &random) { context.delete(stop) }
      default: if let time = times.randomElement(using: &random) { context.delete(time) }
      }
    }
    var numbers = Array(Int32(0)..<200).shuffled(using: &random)
    for time in try context.fetch(FetchRequest<StopTime>()) {
      // Every other one only, so that unchanged ones are left.
      if time.departureTime == 0 || Bool.random(using: &random) {
        time.departureTime = numbers.popLast() ?? 0
      }
    }
    var used: Set<Int32> = []
    for time in try context.fetch(FetchRequest<StopTime>()) {
      while !used.insert(time.departureTime).inserted {
        time.departureTime = numbers.popLast() ?? 0
      }
    }
  }
}
