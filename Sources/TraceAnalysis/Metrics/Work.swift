// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The total work and cost of some runs of a statement.
public struct Work: Hashable, Sendable, Codable {
  /// Runs.
  public var count: UInt64 = 0
  /// Rows returned; a count returns one.
  public var rows: UInt64 = 0
  /// Runs that failed.
  public var errors: UInt64 = 0
  /// Runs with a limit.
  public var limited: UInt64 = 0
  /// Runs with a batch size.
  public var batched: UInt64 = 0
  /// Rows that an offset left out.
  public var offset: UInt64 = 0
  /// Instructions of SQLite's virtual machine.
  public var vmSteps: UInt64 = 0
  /// Steps through tables without an index.
  public var fullScanSteps: UInt64 = 0
  /// Sorts without an index.
  public var sorts: UInt64 = 0
  /// Rows inserted into automatic indexes.
  public var autoIndexRows: UInt64 = 0
  /// The time spent waiting for a connection.
  public var waitTime: Nanoseconds = 0
  /// The time of preparing the statement.
  public var prepareTime: Nanoseconds = 0
  /// The time in `sqlite3_step`.
  public var stepTime: Nanoseconds = 0
  /// The time of making objects.
  public var materializeTime: Nanoseconds = 0
  /// The time that a connection was in use.
  public var connectionTime: Nanoseconds = 0
  /// The time from begin to end.
  public var totalTime: Nanoseconds = 0
  /// Rows inserted, updated or deleted; nil where the source does not count them.
  public var changes: UInt64?
  /// How often SQLite retried the lock of another connection; nil if no run waited.
  public var busyAttempts: UInt64?
  /// Runs that began while every reader of a store with the default number was in use; nil if none did.
  public var contended: UInt64?
  /// Runs without SQLite's counters; nil if there are none.
  public var uncounted: UInt64?
  /// The measures of the runs; nil without runs, and in reports of older versions.
  public var measured: Measures?

  /// Makes counts of 0.
  public init() {}

  /// The mean time of a run, in nanoseconds.
  public var meanTime: Double { count == 0 ? 0 : Double(totalTime) / Double(count) }

  /// A sum of the work, per run that has it.
  public func perRun(_ sum: KeyPath<Work, UInt64>) -> Double {
    var runs = count
    if let uncounted, !Self.measure(of: sum).isDisjoint(with: .counters) {
      runs -= min(uncounted, count)
    }
    return runs == 0 ? 0 : Double(self[keyPath: sum]) / Double(runs)
  }

  private mutating func addMeasures(_ measures: Measures) {
    measured.add(measures)
    if measures.isDisjoint(with: .counters) { uncounted.add(1) }
  }
}

extension Work: Summed {
  public static let sums = Sums<Self, Self>(
    \.count, \.rows, \.errors, \.limited, \.batched, \.offset, \.totalTime, \.changes,
    \.busyAttempts, \.contended, \.uncounted
  ).appending(WorkMetric.all) { ($0.work, $0.work) }
  private static let ofFetch = Sums<Self, FetchEnd>(
    (\.offset, \.offset), (\.totalTime, \.totalTime)
  ).appending(WorkMetric.all) { ($0.work, $0.fetch) }
  private static let ofMiss = Sums<Self, CacheMiss>(
    (\.connectionTime, \.duration), (\.totalTime, \.duration)
  ).appending(WorkMetric.all) { ($0.work, $0.miss) }
  private static let ofRun = Sums<Self, StatementRun>(
    (\.rows, \.rows), (\.connectionTime, \.stepTime), (\.totalTime, \.stepTime)
  ).appending(WorkMetric.all) { ($0.work, $0.run) }

  /// Adds the work of other runs.
  public mutating func add(_ other: Work) {
    if other.count > 0 { measured = (count > 0 ? measures : nil) + other.measures }
    Self.sums.add(other, to: &self)
  }

  /// Leaves the sums that a live view shows, and no others.
  public mutating func deduct(_ earlier: Work) {
    Self.sums.deduct(earlier, from: &self)
    (changes, busyAttempts, contended, measured) = (nil, nil, nil, nil)
  }

  mutating func add(_ fetch: FetchEnd, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.fetch))
    rows.add(fetch.rowsReturned)
    if !fetch.error.isEmpty { errors.add(1) }
    if fetch.limit > 0 { limited.add(1) }
    if fetch.batchSize > 0 { batched.add(1) }
    Self.ofFetch.add(fetch, to: &self)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.miss))
    self.rows.add(rows)
    Self.ofMiss.add(miss, to: &self)
  }

  mutating func add(_ run: StatementRun) {
    count.add(1)
    measured.add(.run)
    if run.changes > 0 { changes.add(run.changes) }
    if !run.error.isEmpty { errors.add(1) }
    Self.ofRun.add(run, to: &self)
  }
}

extension FetchEnd {
  /// The rows that SQLite returned; the event of a count has the count in place of its one row.
  var rowsReturned: UInt64 { kind == .count && error.isEmpty ? 1 : rows }
}
