// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct FetchTests {
  private func makeStore() throws -> StoreFixture {
    let fixture = try StoreFixture()
    for (index, name) in ["c", "a", "b"].enumerated() {
      fixture.makeStop(name, identifier: Int64(index)).longitude = Double(index)
    }
    try fixture.context.save()
    fixture.observer.removeAll()
    return fixture
  }

  @Test func fetchesBySwiftPredicateSortedAndLimited() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>(
      predicate: try FetchPredicate("longitude >= 1 AND longitude <= 2"))
    request.sortDescriptors = [.descending(\.name)]
    request.fetchLimit = 1
    #expect(try fixture.context.fetch(request).map(\.name) == ["b"])
    #expect(
      fixture.observer.sql.first?.hasSuffix(
        "FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE >= ? AND  t0.ZLONGITUDE <= ?)  ORDER BY t0.ZNAME DESC LIMIT 1"
      ) == true)
    request.fetchLimit = 0
    #expect(try fixture.context.count(request) == 2)
    #expect(try fixture.context.fetchObjectIDs(request).map(\.primaryKey) == [3, 2])
  }

  @Test func reportsWhatAFetchCost() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>(predicate: try FetchPredicate("name == 'a'"))
    request.fetchLimit = 5
    _ = try fixture.context.fetch(request, file: "f", line: 4)
    let kinds = fixture.observer.events.map(\.kind).filter { $0 != .counters }
    #expect(kinds == [.fetchBegin, .statement, .fetchEnd])
    guard case .fetchEnd(let end) = fixture.observer.events.last else { return }
    #expect(end.entity == "Stop" && end.kind == .objects && end.rows == 1 && end.limit == 5)
    #expect(end.statementID == StatementID(sql: fixture.observer.sql[0]))
    #expect(end.counters.fullScanSteps == 2 && end.counters.vmSteps > 0 && end.counters.sorts == 0)
    #expect(end.connectionTime == end.prepareTime + end.stepTime)
    #expect(end.totalTime >= end.waitTime + end.connectionTime + end.materializeTime)
    #expect(fixture.observer.plans[fixture.observer.sql[0]]?.first?.isTableScan == true)
    #expect(fixture.container.statistics.fetches == 1)
  }

  @Test func reportsAnErrorAtTheEndOfTheFetch() throws {
    let fixture = try makeStore()
    let request = FetchRequest<Stop>(predicate: try FetchPredicate("nmae == 'a'"))
    #expect(throws: FetchPredicateError.self) { try fixture.context.fetch(request) }
    guard case .fetchEnd(let end) = fixture.observer.events.last else { return }
    #expect(end.error.contains("name"))
  }

  @Test func seesUnsavedChanges() throws {
    let fixture = try makeStore()
    let context = fixture.context
    var request = FetchRequest<Stop>(predicate: try FetchPredicate("longitude <= 1"))
    request.sortDescriptors = [SortDescriptor(\.name)]
    let stops = try context.fetch(request)
    #expect(stops.map(\.name) == ["a", "c"])
    stops[0].longitude = 9
    fixture.makeStop("0").longitude = 1
    #expect(try context.fetch(request).map(\.name) == ["0", "c"])
    #expect(try context.count(request) == 2)
    context.delete(stops[1])
    request.fetchLimit = 1
    #expect(try context.fetch(request).map(\.name) == ["0"])
    request.includesPendingChanges = false
    #expect(try context.fetch(request).count == 1)
  }
}
