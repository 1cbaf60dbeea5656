// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A count or a time of the runs of a statement: its names, and the fields that it is read from.
///
/// Sums, CSV, JSON, rows, metrics, spans and the gate are loops over ``all``.
public struct WorkMetric: Sendable {
  /// The field of the events, and the column of tables: `vm_steps`.
  public let column: String
  /// The words for it.
  public let title: String
  /// The bit of the inputs that have it; its name is the key in JSON.
  public let measure: Measures
  /// The sum.
  public let work: Amount<Work>
  /// The field that it is read from; nil where an event does not have it.
  public let fetch: Amount<FetchEnd>?
  /// The field of a statement that the probe observed.
  public let run: Amount<StatementRun>?
  /// The field of a fault that went to the database.
  public let miss: Amount<CacheMiss>?

  /// The key in JSON: `vmSteps`.
  public var key: String { measure.names.joined() }

  /// In the order of their columns.
  public static let all = times + counters

  /// The parts of a run's time.
  public static let times = [
    Self("wait_ns", "waiting", .waitTime, .time(\.waitTime), fetch: .time(\.waitTime)),
    Self(
      "prepare_ns", "preparing", .prepareTime, .time(\.prepareTime), fetch: .time(\.prepareTime)),
    Self(
      "step_ns", "stepping", .stepTime, .time(\.stepTime), fetch: .time(\.stepTime),
      run: .time(\.stepTime)),
    Self(
      "materialize_ns", "making objects", .materializeTime, .time(\.materializeTime),
      fetch: .time(\.materializeTime)),
    Self(
      "connection_ns", "on a connection", .connectionTime, .time(\.connectionTime),
      fetch: .time(\.connectionTime)),
  ]

  /// The work that SQLite counts for a statement.
  public static let counters = [
    Self(
      "vm_steps", "VM steps", .vmSteps, .count(\.vmSteps), fetch: .count(\.vmSteps),
      run: .count(\.vmSteps), miss: .count(\.vmSteps)),
    Self(
      "fullscan_steps", "full-scan steps", .fullScanSteps, .count(\.fullScanSteps),
      fetch: .count(\.fullScanSteps), run: .count(\.fullScanSteps), miss: .count(\.fullScanSteps)),
    Self(
      "sorts", "sorts", .sorts, .count(\.sorts), fetch: .count(\.sorts), run: .count(\.sorts)),
    Self(
      "autoindex_rows", "automatic index rows", .autoIndexRows, .count(\.autoIndexRows),
      fetch: .count(\.autoIndexRows), run: .count(\.autoIndexRows)),
  ]

  private init(
    _ column: String, _ title: String, _ measure: Measures, _ work: Amount<Work>,
    fetch: Amount<FetchEnd>? = nil, run: Amount<StatementRun>? = nil, miss: Amount<CacheMiss>? = nil
  ) {
    (self.column, self.title, self.measure, self.work) = (column, title, measure, work)
    (self.fetch, self.run, self.miss) = (fetch, run, miss)
  }
}

/// A stored count or time of a value.
public enum Amount<Root>: Sendable {
  /// A number.
  case count(any WritableKeyPath<Root, UInt64> & Sendable)
  /// A time, in nanoseconds.
  case time(any WritableKeyPath<Root, Nanoseconds> & Sendable)

  var path: PartialKeyPath<Root> {
    switch self {
    case .count(let path): path
    case .time(let path): path
    }
  }

  /// The number; the type has room for both.
  public func of(_ root: Root) -> Int128 {
    switch self {
    case .count(let path): Int128(root[keyPath: path])
    case .time(let path): Int128(root[keyPath: path])
    }
  }
}
