// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The total work and cost of some runs of a statement.
public struct StatementCounts: Hashable, Sendable, Codable {
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
  /// Runs of the probe before which the statement was compiled; nil if there are none.
  public var compiled: UInt64?
  /// Compilations of a text that the connection had compiled before; nil if there are none.
  public var recompiled: UInt64?
  /// Rows inserted, updated or deleted; nil where the source does not count them.
  public var changes: UInt64?
  /// How often SQLite retried the lock of another connection; nil if no run waited.
  public var busyAttempts: UInt64?
  /// Runs that began while every reader of a store with the default number was in use; nil if none did.
  public var contended: UInt64?
  /// Runs without SQLite's counters; nil if there are none.
  public var uncounted: UInt64?
  /// Runs that returned no row; nil in reports of older versions.
  public var empty: UInt64?
  /// The measures of the runs; nil without runs, and in reports of older versions.
  public var measured: Measures?

  /// Makes counts of 0.
  public init() {}

  /// Makes counts of SQLite alone.
  public init(_ counters: StatementCounters) { self.counters = counters }

  /// SQLite's own counts.
  public var counters: StatementCounters {
    get {
      StatementCounters(
        vmSteps: vmSteps, fullScanSteps: fullScanSteps, sorts: sorts, autoIndexRows: autoIndexRows)
    }
    set {
      (vmSteps, fullScanSteps) = (newValue.vmSteps, newValue.fullScanSteps)
      (sorts, autoIndexRows) = (newValue.sorts, newValue.autoIndexRows)
    }
  }

  /// The mean time of a run, in nanoseconds.
  public var meanTime: Double { count == 0 ? 0 : Double(totalTime) / Double(count) }

  /// A sum of the work, per run that has it.
  public func perRun(_ sum: KeyPath<StatementCounts, UInt64>) -> Double {
    perRun(self[keyPath: sum], Self.measure(of: sum))
  }

  /// A counter, per run that has it.
  public func perRun(_ metric: WorkMetric) -> Double { perRun(counter(metric), metric.measure) }

  private func perRun(_ sum: UInt64, _ measure: Measures) -> Double {
    var runs = count
    if let uncounted, !measure.isDisjoint(with: .counters) { runs -= min(uncounted, count) }
    return runs == 0 ? 0 : Double(sum) / Double(runs)
  }
}

/// A count or a time of the runs of a statement: its names, and the fields that it is read from.
///
/// Sums, CSV, JSON, rows, metrics, spans and the gate are loops over ``all``.
public struct WorkMetric: Sendable {
  /// The field of the events, and the column of tables: `vm_steps`.
  public let column: String
  /// The bit of the inputs that have it; its name is the key in JSON.
  public let measure: Measures
  /// The words for it.
  public let title: String
  /// One of it, for a narrow column: `scan step`.
  public let short: String
  /// A sentence for a consumer of metrics.
  public let help: String
  /// The sum.
  public let work: Amount<StatementCounts>
  /// The field that it is read from; nil where an event does not have it.
  public var fetch: Amount<FetchEnd>?
  /// The field of a statement that the probe observed.
  public var run: Amount<StatementRun>?
  /// The field of a fault that went to the database.
  public var miss: Amount<CacheMiss>?

  /// The unit in OpenTelemetry's spelling: `{step}`.
  public var unit: String {
    measure == .fullScanSteps ? "{row}" : "{\(short.split(separator: " ").last ?? "")}"
  }

  /// The key in JSON: `vmSteps`.
  public var key: String { measure.names.joined() }

  /// In the order of their columns.
  public static let all = times + counters

  /// The parts of a run's time.
  public static let times = [
    Self("wait_ns", .waitTime, "waiting", .time(\.waitTime), fetch: .time(\.waitTime)),
    Self(
      "prepare_ns", .prepareTime, "preparing", .time(\.prepareTime), fetch: .time(\.prepareTime),
      run: .time(\.prepareTime)),
    Self(
      "step_ns", .stepTime, "in SQLite's steps", .time(\.stepTime), fetch: .time(\.stepTime),
      run: .time(\.stepTime)),
    Self(
      "materialize_ns", .materializeTime, "making objects", .time(\.materializeTime),
      fetch: .time(\.materializeTime)),
    Self(
      "connection_ns", .connectionTime, "on a connection", .time(\.connectionTime),
      fetch: .time(\.connectionTime)),
  ]

  /// The work that SQLite counts for a statement.
  public static let counters = [
    Self(
      "vm_steps", .vmSteps, "VM steps", help: "Steps of SQLite's virtual machine.",
      .count(\.vmSteps), fetch: .count(\.counters.vmSteps),
      run: .count(\.counters.vmSteps), miss: .count(\.vmSteps)),
    Self(
      "fullscan_steps", .fullScanSteps, "full-scan steps", short: "scan step",
      help: "Rows stepped through without an index.", .count(\.fullScanSteps),
      fetch: .count(\.counters.fullScanSteps), run: .count(\.counters.fullScanSteps),
      miss: .count(\.fullScanSteps)),
    Self(
      "sorts", .sorts, "sorts", help: "Sorts that no index served.", .count(\.sorts),
      fetch: .count(\.counters.sorts), run: .count(\.counters.sorts)),
    automaticIndexRows,
  ]

  /// What ``AvoidAutomaticIndex`` reports.
  static let automaticIndexRows = Self(
    "autoindex_rows", .autoIndexRows, "automatic index rows", short: "auto-index row",
    help: "Rows put into automatic indexes.", .count(\.autoIndexRows),
    fetch: .count(\.counters.autoIndexRows), run: .count(\.counters.autoIndexRows))

  private init(
    _ column: String, _ measure: Measures, _ title: String, short: String? = nil,
    help: String = "", _ work: Amount<StatementCounts>, fetch: Amount<FetchEnd>? = nil,
    run: Amount<StatementRun>? = nil, miss: Amount<CacheMiss>? = nil
  ) {
    (self.column, self.measure, self.title, self.work) = (column, measure, title, work)
    (self.short, self.help) = (short ?? String(title.dropLast()), help)
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

  /// The number as a count; below 0, it is 0.
  public func count(_ root: Root) -> UInt64 { UInt64(clamping: of(root)) }

  /// The number; the type has room for both.
  public func of(_ root: Root) -> Int128 {
    switch self {
    case .count(let path): Int128(root[keyPath: path])
    case .time(let path): Int128(root[keyPath: path])
    }
  }
}

extension StatementCounts {
  /// A count or a time; nil where no input measured it.
  public func known(_ metric: WorkMetric) -> Int128? {
    let value = metric.work.of(self)
    return value != 0 || measures.contains(metric.measure) ? value : nil
  }

  /// A counter; 0 where no input measured it.
  public func counter(_ metric: WorkMetric) -> UInt64 { metric.work.count(self) }
}
