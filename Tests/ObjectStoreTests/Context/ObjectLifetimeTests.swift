// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ObjectStore

@Suite struct ObjectLifetimeTests {
  private func makeStore(stopTimes: Int) throws -> (StoreFixture, PersistentContainer) {
    let fixture = try StoreFixture()
    fixture.makeStop("A", stopTimes: stopTimes)
    try fixture.context.save()
    return (fixture, try fixture.reopened())
  }

  @Test func releasesUnreferencedObjects() throws {
    let (fixture, container) = try makeStore(stopTimes: 1)
    defer { withExtendedLifetime(fixture) {} }
    weak var gone: ManagedObject<Stop>?
    do {
      let stop = try #require(try container.mainContext.fetch(FetchRequest<Stop>()).first)
      #expect(stop.name == "A")
      gone = stop
    }
    #expect(gone == nil && container.mainContext.registeredObjects.isEmpty)
  }

  @Test func releasesObjectsThatReferToEachOther() throws {
    let (fixture, container) = try makeStore(stopTimes: 3)
    defer { withExtendedLifetime(fixture) {} }
    weak var stop: ManagedObject<Stop>?
    weak var time: ManagedObject<StopTime>?
    do {
      let times = try container.mainContext.fetch(FetchRequest<StopTime>())
      // Both ends, first from the one, then from the other.
      #expect(times.allSatisfy { $0.stop?.name == "A" })
      #expect(times[0].stop?.stopTimes.count == 3)
      #expect(times.allSatisfy { $0.stop?.stopTimes.contains($0) == true })
      stop = times[0].stop
      time = times[0]
      #expect(times[0].stop === times[1].stop)
    }
    #expect(stop == nil && time == nil)
    #expect(container.mainContext.registeredObjects.isEmpty)
  }

  @Test(arguments: [["stopTimes", "stopTimes.stop"], ["stopTimes.stop"], ["stopTimes"]])
  func releasesPrefetchedObjectsThatReferToEachOther(keyPaths: [String]) throws {
    let (fixture, container) = try makeStore(stopTimes: 3)
    defer { withExtendedLifetime(fixture) {} }
    weak var stop: ManagedObject<Stop>?
    do {
      // Before the prefetch, members refer to their owner.
      let times = try container.mainContext.fetch(FetchRequest<StopTime>())
      #expect(times.allSatisfy { $0.stop?.name == "A" })
      var request = FetchRequest<Stop>()
      request.relationshipKeyPathsForPrefetching = keyPaths
      let stops = try container.mainContext.fetch(request)
      #expect(stops.map(\.stopTimes.count) == [3])
      #expect(stops[0].stopTimes.allSatisfy { $0.stop === stops[0] })
      stop = stops[0]
    }
    #expect(stop == nil && container.mainContext.registeredObjects.isEmpty)
  }

  @Test func releasesWhatWasSaved() throws {
    let fixture = try StoreFixture()
    weak var stop: ManagedObject<Stop>?
    weak var kept: ManagedObject<StopTime>?
    do {
      stop = fixture.makeStop("A", stopTimes: 2)
      kept = stop?.stopTimes[0]
    }
    #expect(stop != nil && kept?.stop === stop)
    try fixture.context.save()
    #expect(stop == nil && kept == nil && fixture.context.registeredObjects.isEmpty)
  }

  @Test func keepsWhatWasChanged() throws {
    let (fixture, container) = try makeStore(stopTimes: 0)
    let context = container.mainContext
    weak var changed: ManagedObject<Stop>?
    do {
      changed = try context.fetch(FetchRequest<Stop>()).first
      #expect(changed == nil)
      let stop = try context.fetch(FetchRequest<Stop>()).first
      stop?.name = "B"
      changed = stop
    }
    #expect(changed?.name == "B")
    try context.save()
    #expect(changed == nil)
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["B"])
  }

  @Test func batchesThatWereReadLeaveNothingInTheRegister() throws {
    let fixture = try StoreFixture()
    try fixture.context.batchInsert(Stop.self, count: 30_000) { row, index in
      row.identifier = Int64(index)
      row.name = "S"
    }
    var request = FetchRequest<Stop>()
    request.fetchBatchSize = 50
    let stops = try fixture.context.fetchInBatches(request)
    var count = 0
    var longest = 0
    let register = fixture.context.register(ofTable: stops[0].entity.index)
    for stop in stops where stop.name == "S" {
      count += 1
      longest = max(longest, register.listLength)
    }
    #expect(count == 30_000)
    #expect(longest <= 4096)
  }

  @Test(arguments: [2, 9, 300])
  func objectsThatAreLeftOfALongFetchAreFoundAgain(oneIn: Int) throws {
    let fixture = try StoreFixture()
    try fixture.context.batchInsert(Stop.self, count: 20_000) { row, index in
      row.identifier = Int64(index)
      row.name = "S"
    }
    var random = SeededGenerator(UInt64(oneIn))
    var kept = try fixture.context.fetch(FetchRequest<Stop>())
    while kept.count > 20_000 / oneIn {
      kept.swapAt(.random(in: kept.indices, using: &random), kept.count - 1)
      kept.removeLast()
      if kept.count.isMultiple(of: 3_000) {
        #expect(try fixture.context.fetch(FetchRequest<Stop>()).count == 20_000)
      }
    }
    let found = Dictionary(
      uniqueKeysWithValues: try fixture.context.fetch(FetchRequest<Stop>()).map {
        ($0.objectID, $0)
      })
    #expect(found.count == 20_000)
    #expect(kept.allSatisfy { found[$0.objectID] === $0 })
    #expect(fixture.context.registeredObjects.count == 20_000)
  }

  // The address sanitizer keeps freed memory for a while.
  @Test(.disabled(if: hasAddressSanitizer))
  func memoryGoesBackWithTheObjects() throws {
    var options = StoreOptions()
    options.rowCacheSize = 1 << 20
    let fixture = try StoreFixture(options: options)
    try fixture.context.batchInsert(Stop.self, count: 20_000) { row, index in
      row.identifier = Int64(index)
      row.name = String(repeating: "x", count: 200)
    }
    func readAll() throws {
      var request = FetchRequest<Stop>()
      request.returnsObjectsAsFaults = false
      let count = try fixture.context.fetch(request).reduce(0) { $0 + $1.name.utf8.count }
      #expect(count == 4_000_000)
    }
    for _ in 0..<3 { try readAll() }
    let before = try residentBytes()
    for _ in 0..<20 { try readAll() }
    // Twenty times 20,000 objects of 400 bytes are 160 MB.
    #expect(try residentBytes() - before < 40 << 20)
  }

  private func residentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return 1024 * (try #require(line.split(separator: " ").compactMap { Int($0) }.first))
  }
}
