// SPDX-License-Identifier: Apache-2.0

import StoreInstruments
public import Testing

/// The expected counts of a store's work; counts that are not set are not checked.
struct StoreExpectation {
  var counts: [(name: String, expected: ExpectedCount?, of: KeyPath<StoreCounts, Int>)]

  /// Records one issue for all that was otherwise, with the statements that ran.
  func check(_ counted: StoreCounts, at location: Testing.SourceLocation) {
    let wrong = counts.compactMap { name, expected, path -> String? in
      let count = counted[keyPath: path]
      guard let expected, !expected.range.contains(count) else { return nil }
      return "expected \(expected.text) \(name), counted \(count)"
    }
    guard !wrong.isEmpty else { return }
    Issue.record(
      Comment(rawValue: wrong.joined(separator: "; ") + "\n" + counted.report),
      sourceLocation: location)
  }
}

/// Expects counts of a store's work during a body, and records an issue if they differ.
///
///     @Test func showsTheListWithOneFetch() throws {
///       try expectStore(container, fetches: 1, faults: 0, cacheMisses: 0, fullScans: 0) {
///         try list.show()
///       }
///     }
///
/// The issue names the statements that ran, how often, and the lines that requested them. Work of
/// other containers meanwhile does not count; given a context, work of other contexts does not
/// either.
///
/// - Parameters:
///   - store: A container, or one of its contexts.
///   - fetches: Fetch requests; counts, prefetches and batches left out.
///   - counts: Requests for a number of objects.
///   - rows: Objects, ids or dictionaries that the fetches returned.
///   - faults: Faults fired, from the row cache or the database.
///   - cacheMisses: Faults that had to go to the database.
///   - saves: Saves, failed ones too.
///   - fullScans: Runs that stepped through a table without an index.
///   - sourceLocation: The line of the test.
///   - body: The code under test.
/// - Returns: the body's result.
@discardableResult
public func expectStore<Result, Failure: Error>(
  _ store: some WatchedStore, fetches: ExpectedCount? = nil, counts: ExpectedCount? = nil,
  rows: ExpectedCount? = nil, faults: ExpectedCount? = nil, cacheMisses: ExpectedCount? = nil,
  saves: ExpectedCount? = nil, fullScans: ExpectedCount? = nil,
  sourceLocation: Testing.SourceLocation = #_sourceLocation,
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let expectation = StoreExpectation(
    fetches, counts, rows, faults, cacheMisses, saves, fullScans)
  let watched = store.watchedInstruments
  let watcher = StoreWatcher(contextID: watched.contextID)
  watched.instruments.watch(watcher)
  defer {
    watched.instruments.unwatch(watcher)
    expectation.check(watcher.counts, at: sourceLocation)
  }
  return try body()
}

/// Expects counts of a store's work during an asynchronous body; see the synchronous function.
@discardableResult
public func expectStore<Result, Failure: Error>(
  _ store: some WatchedStore, fetches: ExpectedCount? = nil, counts: ExpectedCount? = nil,
  rows: ExpectedCount? = nil, faults: ExpectedCount? = nil, cacheMisses: ExpectedCount? = nil,
  saves: ExpectedCount? = nil, fullScans: ExpectedCount? = nil,
  sourceLocation: Testing.SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  let expectation = StoreExpectation(
    fetches, counts, rows, faults, cacheMisses, saves, fullScans)
  let watched = store.watchedInstruments
  let watcher = StoreWatcher(contextID: watched.contextID)
  watched.instruments.watch(watcher)
  defer {
    watched.instruments.unwatch(watcher)
    expectation.check(watcher.counts, at: sourceLocation)
  }
  return try await body()
}

extension StoreExpectation {
  fileprivate init(
    _ fetches: ExpectedCount?, _ counts: ExpectedCount?, _ rows: ExpectedCount?,
    _ faults: ExpectedCount?, _ cacheMisses: ExpectedCount?, _ saves: ExpectedCount?,
    _ fullScans: ExpectedCount?
  ) {
    self.counts = [
      ("fetches", fetches, \.fetches), ("counts", counts, \.counts), ("rows", rows, \.rows),
      ("faults", faults, \.faults), ("cache misses", cacheMisses, \.cacheMisses),
      ("saves", saves, \.saves), ("full scans", fullScans, \.fullScans),
    ]
  }
}
