// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// All runs of one SQL text by fetches, counts and faults.
public struct StatementProfile: Hashable, Sendable, Codable {
  /// The statement's id.
  public var id: StatementID
  /// The text, or nil if the source does not contain it.
  public var sql: String?
  /// The entity, or the table if there is no entity.
  public var entity: String
  /// The kinds of fetches that ran it, each once; empty if only faults did.
  public var kinds: [FetchKind] = []
  /// The counts and times of the runs.
  public var work = Work()
  /// Runs that fired faults caused: the work is in ``work`` as well.
  public var misses: UInt64 = 0
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// The runs with the same values.
  public var repeats = Repeats()
  /// Runs in a program without the store, which the probe reported; nil if there are none.
  public var observedRuns: UInt64?
  /// By total time, longest first.
  public var callers: [CallerProfile] = []

  /// Makes an empty profile of a statement.
  public init(id: StatementID, sql: String?, entity: String) {
    self.id = id
    self.sql = sql
    self.entity = entity
  }
}

/// Runs with values that had run before, with nothing committed by their process in between.
public struct Repeats: Hashable, Sendable, Codable {
  /// The first run of each value is not among them; of very many values, some are not followed.
  public var runs: UInt64 = 0
  /// The time of the repeated runs.
  public var time: Nanoseconds = 0
  /// The most runs with one value, the first included.
  public var mostOfOneValue: UInt64 = 0

  /// Makes a profile without repeats.
  public init() {}
}

/// The runs of one statement of one line of code.
public struct CallerProfile: Hashable, Sendable, Codable {
  /// The line of code.
  public var location: SourceLocation
  /// The counts and times of the runs.
  public var work = Work()
  /// Runs that faults caused on the objects that the line fetched.
  public var misses: UInt64 = 0
  /// The distribution of the runs' times.
  public var latency = Latency()

  /// Makes an empty profile of a line of code.
  public init(location: SourceLocation) { self.location = location }
}

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

  mutating func addMeasures(_ measures: Measures) {
    measured = (measured ?? []).union(measures)
    if measures.isDisjoint(with: .counters) { uncounted = (uncounted ?? 0).saturatingSum(1) }
  }

  mutating func add(_ fetch: FetchEnd, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.fetch))
    rows.add(fetch.rowsReturned)
    if !fetch.error.isEmpty { errors.add(1) }
    if fetch.limit > 0 { limited.add(1) }
    if fetch.batchSize > 0 { batched.add(1) }
    offset.add(fetch.offset)
    vmSteps.add(fetch.vmSteps)
    fullScanSteps.add(fetch.fullScanSteps)
    sorts.add(fetch.sorts)
    autoIndexRows.add(fetch.autoIndexRows)
    waitTime.add(fetch.waitTime)
    prepareTime.add(fetch.prepareTime)
    stepTime.add(fetch.stepTime)
    materializeTime.add(fetch.materializeTime)
    connectionTime.add(fetch.connectionTime)
    totalTime.add(fetch.totalTime)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, _ measures: Measures) {
    count.add(1)
    addMeasures(measures.intersection(.miss))
    self.rows.add(rows)
    vmSteps.add(miss.vmSteps)
    fullScanSteps.add(miss.fullScanSteps)
    connectionTime.add(miss.duration)
    totalTime.add(miss.duration)
  }
}

extension FetchEnd {
  /// The rows that SQLite returned; the event of a count has the count in place of its one row.
  var rowsReturned: UInt64 { kind == .count && error.isEmpty ? 1 : rows }
}

extension FixedWidthInteger {
  /// Adds without overflow: a trace is data, and data must not stop the report.
  mutating func add(_ other: Self) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension FixedWidthInteger {
  func saturatingSum(_ other: Self) -> Self {
    var sum = self
    sum.add(other)
    return sum
  }
}

extension StatementID: Codable {
  /// Reads the sixteen hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = UInt64(text, radix: 16) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no statement id"))
    }
    self.init(rawValue: value)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension StatementID: CustomStringConvertible {
  /// Sixteen hexadecimal digits, as `--statement` takes them.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension SourceLocation {
  /// `transit/Search.swift:42`, or nil where the source does not contain it.
  public var text: String? { file.isEmpty ? nil : "\(file):\(line)" }
}
