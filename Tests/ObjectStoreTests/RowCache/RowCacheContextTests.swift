// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// The row cache as its contexts see it.
@Suite struct RowCacheContextTests {
  private func makeStore(stops: Int = 1) throws -> StoreFixture {
    let fixture = try StoreFixture()
    for index in 0..<stops { fixture.makeStop("\(index)", identifier: Int64(index)) }
    try fixture.context.save()
    return fixture
  }

  @Test func countsWhatItHolds() throws {
    let fixture = try makeStore(stops: 100)
    let container = try fixture.reopened()
    #expect(container.statistics.cachedRows == 0 && container.statistics.cachedBytes == 0)
    let stops = try container.mainContext.fetch(FetchRequest<Stop>())
    #expect(stops.map(\.name).count == 100)
    let statistics = container.statistics
    #expect(statistics.cachedRows == 100 && statistics.cacheEvictions == 0)
    #expect(statistics.cachedBytes > 100 * 48 && statistics.cachedBytes < 100 * 400)
    #expect(statistics.cacheHits == 100 && statistics.cacheMisses == 0)
  }

  @Test func neverOutgrowsItsLimit() throws {
    let fixture = try makeStore(stops: 500)
    var options = StoreOptions()
    options.rowCacheSize = 20_000
    let container = try fixture.reopened(options: options)
    _ = try container.mainContext.fetch(FetchRequest<Stop>())
    let statistics = container.statistics
    #expect(statistics.cachedBytes <= 20_000 + 400 && statistics.cachedRows > 50)
    #expect(statistics.cachedRows + statistics.cacheEvictions == 500)
  }

  @Test func isSharedByTheContextsOfAContainer() throws {
    let fixture = try makeStore()
    let first = try #require(try fixture.context.fetch(FetchRequest<Stop>()).first)
    let other = fixture.container.newBackgroundContext()
    let second = try #require(
      try other.object(with: first.objectID) as? ManagedObject<Stop>)
    first.name = "changed"
    try fixture.context.save()
    fixture.observer.removeAll()
    #expect(second.name == "changed" && fixture.observer.sql.isEmpty)
  }

  @Test func firesFromRowsOfAnyAgeUnlessAnIntervalIsSet() throws {
    let fixture = try makeStore()
    defer { withExtendedLifetime(fixture) {} }
    let container = try fixture.reopened()
    let context = container.mainContext
    let id = try #require(try context.fetch(FetchRequest<Stop>()).first).objectID
    try Connection(path: fixture.url.path).execute("UPDATE ZSTOP SET ZNAME = 'B', Z_OPT = 2")
    func name() throws -> StoreValue {
      let other = container.newBackgroundContext()
      defer { withExtendedLifetime(other) {} }
      return try other.object(with: id).value(forKey: "name")
    }
    #expect(try name() == .string("0"))
    context.stalenessInterval = .seconds(3600)
    #expect(try context.object(with: id).value(forKey: "name") == .string("0"))
    #expect(container.statistics.cacheMisses == 0)
    context.stalenessInterval = .zero
    #expect(try context.object(with: id).value(forKey: "name") == .string("B"))
    #expect(container.statistics.cacheMisses == 1)
    // The row that was read is shared.
    #expect(try name() == .string("B"))
  }

  @Test func seesWritesOfAnotherConnectionInTheNextFetch() throws {
    let fixture = try makeStore(stops: 2)
    let context = fixture.context
    let stops = try context.fetch(FetchRequest<Stop>())
    stops[0].name = "ours"
    try context.save()
    try context.refreshAllObjects()
    // Our own saves leave the cache as it is.
    #expect(stops[0].isFault && fixture.container.statistics.cachedRows == 2)
    try Connection(path: fixture.url.path)
      .execute("UPDATE ZSTOP SET ZNAME = 'theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = 2")
    #expect(stops[1].name == "1")
    try context.refresh(stops[1], mergeChanges: false)
    #expect(fixture.container.statistics.cachedRows == 0)
    #expect(stops[1].name == "theirs" && stops[0].name == "ours")
  }

  @Test func readOnlyStoreSeesWritesOfAnotherConnection() throws {
    let fixture = try makeStore()
    var options = StoreOptions()
    options.isReadOnly = true
    defer { withExtendedLifetime(fixture) {} }
    let container = try fixture.reopened(options: options)
    let stop = try #require(try container.mainContext.fetch(FetchRequest<Stop>()).first)
    #expect(stop.name == "0")
    try container.mainContext.refresh(stop, mergeChanges: false)
    try Connection(path: fixture.url.path).execute("UPDATE ZSTOP SET ZNAME = 'B', Z_OPT = 2")
    try container.mainContext.refresh(stop, mergeChanges: false)
    #expect(stop.name == "B")
  }
}
