// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import Synchronization
import TestSupport
import Testing

@Suite struct AsynchronousFetchTests {
  /// Words "0" to "4999", and one reader, so that the next fetch finds the state that a fetch
  /// leaves behind.
  private func makeStore() throws -> StoreFixture {
    var options = StoreOptions()
    options.readerCount = 1
    let fixture = try StoreFixture([Word.self], options: options)
    for rank in 0..<5000 {
      let word = fixture.context.insert(Word.self)
      word.rank = rank
      word.text = "\(rank)"
    }
    try fixture.context.save()
    fixture.observer.removeAll()
    return fixture
  }

  private func fetchEnd(_ fixture: StoreFixture) -> FetchEnd? {
    for case .fetchEnd(let end) in fixture.observer.events { return end }
    return nil
  }

  @Test func returnsObjectsOnTheContextsQueue() async throws {
    let fixture = try makeStore()
    let context = fixture.container.newBackgroundContext()
    var request = FetchRequest<Word>(predicate: try FetchPredicate("rank >= 4000"))
    request.sortDescriptors = [.descending(\.rank)]
    let reported = Mutex<[Int]>([])
    let ranks = try await context.fetchAsynchronously(
      request, progress: { step in reported.withLock { $0.append(step.rows) } }
    ) { words in words.map(\.rank) }
    #expect(ranks == Array((4000..<5000).reversed()))
    #expect(reported.withLock { $0 } == [500, 1000])
    #expect(
      fixture.observer.sql == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZRANK, t0.ZTEXT FROM ZWORD t0 WHERE  t0.ZRANK >= ?  "
          + "ORDER BY t0.ZRANK DESC"
      ])
    let end = try #require(fetchEnd(fixture))
    #expect(
      end.rows == 1000 && end.error.isEmpty && end.kind == .objects && end.counters.vmSteps > 1000)
    #expect(end.totalTime >= end.connectionTime)
  }

  @Test func countsUnsavedChanges() async throws {
    let fixture = try makeStore()
    let context = fixture.container.newBackgroundContext()
    var request = FetchRequest<Word>(predicate: try FetchPredicate("rank >= 4998"))
    request.sortDescriptors = [SortDescriptor(\.rank)]
    request.fetchLimit = 2
    try await context.perform { [request] in
      context.insert(Word.self).rank = 6000
      for word in try context.fetch(request) where word.rank == 4998 { context.delete(word) }
    }
    let ranks = try await context.fetchAsynchronously(request) { $0.map(\.rank) }
    #expect(ranks == [4999, 6000])
  }

  @Test func interruptsSQLiteWhenCancelled() async throws {
    let fixture = try makeStore()
    let context = fixture.container.newBackgroundContext()
    let canceller = Mutex<(@Sendable () -> Void)?>(nil)
    let (isReady, ready) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      // Until the test holds this task, which the fetch is to cancel from within.
      for await _ in isReady { break }
      return try await context.fetchAsynchronously(
        FetchRequest<Word>(), progress: { _ in canceller.withLock { $0 }?() }
      ) { $0.count }
    }
    canceller.withLock { $0 = { task.cancel() } }
    ready.yield()
    await #expect(throws: CancellationError.self) { try await task.value }
    let end = try #require(fetchEnd(fixture))
    #expect(end.error == "cancelled" && end.rows == 0)
    // The first report cancels it, 500 rows in; all 5,000 take ten times the steps.
    let whole = try await context.fetchAsynchronously(FetchRequest<Word>()) { $0.count }
    #expect(whole == 5000)
    var steps: [UInt64] = []
    for case .fetchEnd(let end) in fixture.observer.events { steps.append(end.counters.vmSteps) }
    #expect(steps.count == 2 && steps[0] * 5 < steps[1])
  }

  @Test func runsNothingOnceCancelled() async throws {
    let fixture = try makeStore()
    let context = fixture.container.newBackgroundContext()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await context.fetchAsynchronously(FetchRequest<Word>()) { $0.count }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(fixture.observer.sql.isEmpty)
  }

  @Test func reportsProblemsOfTheRequest() async throws {
    let fixture = try makeStore()
    let context = fixture.container.newBackgroundContext()
    let request = FetchRequest<Word>(predicate: try FetchPredicate("rnak == 1"))
    await #expect(throws: FetchPredicateError.self) {
      try await context.fetchAsynchronously(request) { $0.count }
    }
    #expect(fetchEnd(fixture)?.error.contains("rank") == true)
  }
}
