// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@testable import ObjectStore

/// Fetches so long that a second thread makes their objects.
@Suite struct LongFetchTests {
  private static let count = 30_000

  private func makeStore(_ observer: RecordingObserver = RecordingObserver()) throws -> (
    StoreFixture, PersistentContainer
  ) {
    let fixture = try StoreFixture()
    try fixture.context.batchInsert(Stop.self, count: Self.count) { row, index in
      row.identifier = Int64(index)
      row.name = "Stop \(index)"
    }
    return (fixture, try fixture.reopened(observer: observer))
  }

  @Test(arguments: [true, false], [true, false])
  func objectsComeInTheOrderOfTheRowsWithTheirValues(isSorted: Bool, asFaults: Bool) throws {
    let (fixture, container) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    var request = FetchRequest<Stop>()
    request.returnsObjectsAsFaults = asFaults
    if isSorted { request.sortDescriptors = [SortDescriptor(\.identifier, ascending: false)] }
    let context = container.mainContext
    let stops = try context.fetch(request)
    #expect(stops.count == Self.count)
    #expect(stops.allSatisfy { $0.isFault == asFaults })
    let identifiers = stops.map(\.identifier)
    let ascending = Array(Int64(0)..<Int64(Self.count))
    #expect(identifiers == (isSorted ? ascending.reversed() : ascending))
    #expect(stops.allSatisfy { $0.name == "Stop \($0.identifier)" })
    #expect(zip(try context.fetch(request), stops).allSatisfy { $0 === $1 })
    #expect(context.registeredObjects.count == Self.count)
  }

  @Test func unsavedChangesAndRegisteredObjectsStay() throws {
    let (fixture, container) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let context = container.mainContext
    var request = FetchRequest<Stop>()
    request.predicate = try FetchPredicate(format: "identifier >= 29990")
    let known = try context.fetch(request)
    known[0].name = "changed"
    context.delete(known[1])
    context.insert(Stop.self).name = "new"
    request.predicate = nil
    request.returnsObjectsAsFaults = false
    let stops = try context.fetch(request)
    #expect(stops.count == Self.count)
    #expect(stops.filter { stop in known.contains { $0 === stop } }.count == 9)
    #expect(stops.filter { $0.name == "changed" }.count == 1)
    #expect(stops.filter { $0.name == "new" }.count == 1)
  }

  @Test func aDamagedPageEndsTheFetchAndLeavesTheContextUsable() throws {
    let (fixture, container) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    try Connection(path: fixture.url.path, mode: .readWrite).execute(
      "PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: fixture.url)
    let data = try #require(try file.readToEnd())
    let place = try #require(data.range(of: Data("Stop 29998".utf8))?.lowerBound)
    // The kind of the page, which is its first byte.
    try file.seek(toOffset: UInt64(place / 4096 * 4096))
    try file.write(contentsOf: [0xff])
    try file.close()

    let context = container.mainContext
    var request = FetchRequest<Stop>()
    for _ in 0..<3 { #expect(throws: StoreError.self) { _ = try context.fetch(request).count } }
    request.fetchLimit = 20_000
    #expect(try context.fetch(request).count == 20_000)
  }

  @Test func fetchesOfSeveralThreadsAreWhole() throws {
    let (fixture, container) = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let sums = Sums()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let context = container.newBackgroundContext()
      context.performAndWait {
        let stops = (try? context.fetch(FetchRequest<Stop>())) ?? []
        sums.add(stops.reduce(0) { $0 + $1.identifier })
      }
    }
    let sum = Int64(Self.count) * Int64(Self.count - 1) / 2
    #expect(sums.all == Array(repeating: sum, count: 8))
  }

  private final class Sums: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var all: [Int64] = []
    func add(_ sum: Int64) { lock.withLock { all.append(sum) } }
  }

  @Test func itsTimesAreNoLongerThanTheFetch() throws {
    let observer = RecordingObserver()
    let (fixture, container) = try makeStore(observer)
    defer { withExtendedLifetime(fixture) {} }
    #expect(try container.mainContext.fetch(FetchRequest<Stop>()).count == Self.count)
    let end = try #require(
      observer.events.compactMap { event -> FetchEnd? in
        if case .fetchEnd(let end) = event { end } else { nil }
      }.last)
    #expect(end.rows == UInt64(Self.count))
    #expect(end.stepTime > 0 && end.materializeTime > 0)
    #expect(
      end.waitTime + end.prepareTime + end.stepTime + end.materializeTime <= end.totalTime)
  }
}
