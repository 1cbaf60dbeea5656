// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension StatementCounts: Summed {
  public static let sums = Sums<Self, Self>(
    \.count, \.rows, \.errors, \.limited, \.batched, \.offset, \.totalTime, \.changes,
    \.busyAttempts, \.contended, \.uncounted, \.empty, \.compiled, \.recompiled
  ).appending(WorkMetric.all) { ($0.work, $0.work) }
  private static let ofFetch = Sums<Self, FetchEnd>(
    (\.offset, \.offset), (\.totalTime, \.totalTime)
  ).appending(WorkMetric.all) { ($0.work, $0.fetch) }
  private static let ofMiss = Sums<Self, CacheMiss>(
    (\.connectionTime, \.duration), (\.totalTime, \.duration)
  ).appending(WorkMetric.all) { ($0.work, $0.miss) }
  private static let ofRun = Sums<Self, StatementRun>(
    (\.rows, \.rows), (\.connectionTime, \.stepTime), (\.totalTime, \.stepTime),
    (\.connectionTime, \.prepareTime), (\.totalTime, \.prepareTime)
  ).appending(WorkMetric.all) { ($0.work, $0.run) }

  /// Adds the work of other runs.
  public mutating func add(_ other: StatementCounts) {
    if other.count > 0 { measured = (count > 0 ? measures : nil) + other.measures }
    Self.sums.add(other, to: &self)
  }

  /// The sums that a live view shows; the others are 0.
  func since(_ earlier: StatementCounts) -> StatementCounts {
    var difference = self
    Self.sums.deduct(earlier, from: &difference)
    (difference.changes, difference.busyAttempts) = (nil, nil)
    (difference.contended, difference.measured, difference.empty) = (nil, nil, nil)
    (difference.compiled, difference.recompiled) = (nil, nil)
    difference.uncounted = uncounted.map { $0.since(earlier.uncounted ?? 0) }
    return difference
  }

  private mutating func addMeasures(_ measures: Measures) {
    measured.add(measures)
    if measures.isDisjoint(with: .counters) { uncounted.add(1) }
  }

  mutating func add(_ fetch: FetchEnd, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.fetch))
    rows.add(fetch.rowsReturned)
    empty.add(fetch.rowsReturned == 0 ? 1 : 0)
    if !fetch.error.isEmpty { errors.add(1) }
    if fetch.limit > 0 { limited.add(1) }
    if fetch.batchSize > 0 { batched.add(1) }
    Self.ofFetch.add(fetch, to: &self)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.miss))
    self.rows.add(rows)
    empty.add(rows == 0 ? 1 : 0)
    Self.ofMiss.add(miss, to: &self)
  }

  mutating func add(_ run: StatementRun, _ measures: Measures = .run) {
    count.add(1)
    addMeasures(measures.intersection(.run))
    if run.changes > 0 { changes.add(run.changes) }
    if run.prepareTime > 0 { compiled.add(1) }
    empty.add(run.rows == 0 ? 1 : 0)
    if !run.error.isEmpty { errors.add(1) }
    Self.ofRun.add(run, to: &self)
  }
}

extension FetchEnd {
  /// The rows that SQLite returned; the event of a count has the count instead of its one row.
  var rowsReturned: UInt64 { kind == .count && error.isEmpty ? 1 : rows }
}
