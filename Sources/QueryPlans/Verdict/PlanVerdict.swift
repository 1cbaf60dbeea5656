// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The meaning of a plan for the program that runs it.
public enum PlanVerdict: String, CaseIterable, Hashable, Sendable, Codable {
  /// Every table is searched, or none is read.
  case search
  /// Some table is scanned, and it does not matter.
  case harmlessScan
  /// Tables are searched, and far more rows are read or sorted than are returned.
  case costlySearch
  /// Some table may be scanned from end to end, depending on values that are not known.
  case mayScan
  /// Some table is scanned, and far more rows are read than are returned.
  case fullScan
  /// SQLite does not compile the statement against this database.
  case error
  /// SQLite plans nothing, or not for the program: the statement is DDL, PRAGMA, begins or ends a transaction, reads the
  /// schema alone, or is the own SQL of a virtual table's module.
  case noPlan

  /// Whether far more rows are read than are returned.
  public var isCostly: Bool { self == .fullScan || self == .costlySearch }
}

/// When a scan matters: the same bound for counts of a trace, for counts measured on the database,
/// and for sizes of tables.
public enum ScanBound {
  // 500 is arbitrary: fewer rows are read in less time than the rest of a query takes.
  public static let minRows = 500.0
  // A scan that returns a quarter of the rows that it reads is about as fast as an index.
  public static let minStepsPerRow = 4.0

  /// Whether one run reads far more than it returns or changes.
  public static func isExceeded(steps: Double, rows: Double) -> Bool {
    // A scan of n rows takes n - 1 steps.
    steps + 1 >= minRows && steps >= rows * minStepsPerRow
  }
}

/// The reason why a scan does not matter.
public enum HarmlessReason: String, Hashable, Sendable, Codable {
  case constantRow
  /// The rows of a subquery or a common table; the steps that make them are judged by themselves.
  case subqueryResult
  case limit
  case smallTable
  /// `SELECT count(*) FROM t`: SQLite adds up the entries of each page and steps through none.
  case entryCount
  /// It returns or changes most rows that it reads.
  case returnsAll
  /// A partial index contains exactly the rows that the WHERE selects.
  case partialIndex
  /// The module of a virtual table finds the rows, as fts5 does for MATCH.
  case virtualTable
  /// `_Z_intarray0` and similar tables: the values of an IN list.
  case valueList
  /// The trace counted too few full-scan steps a run to matter.
  case countedFew
  /// The statement was run here, and did too few full-scan steps to matter.
  case measuredFew
}

/// The number of rows of a table.
public struct TableSize: Hashable, Sendable {
  public var rows: Int
  /// Whether counting stopped there.
  public var isAtLeast: Bool
  /// Whether it is SQLite's estimate of the rows that its WHERE keeps, from the words of a plan.
  public var isEstimate = false

  public init(rows: Int, isAtLeast: Bool = false) {
    self.rows = rows
    self.isAtLeast = isAtLeast
  }

  /// - Parameter terms: the number of terms of the WHERE: SQLite takes each to keep a tenth of the rows, or more.
  init(_ rows: TableAccess.Rows, terms: Int?) {
    switch rows {
    case .counted(let rows): self.init(rows: rows)
    case .estimated(let rows):
      var most = terms.map { _ in Double(rows) } ?? .infinity
      for _ in 0..<(terms ?? 0) where most < ScanBound.minRows { most *= 10 }
      self.init(rows: rows, isAtLeast: most >= ScanBound.minRows)
      isEstimate = true
    }
  }
}

/// The work that runs of one statement did, as a trace counted it or as it was measured.
@dynamicMemberLookup
public struct StatementWork: Hashable, Sendable {
  public var executions: UInt64
  /// Executions without counters, beside others that have them.
  public var uncounted: UInt64 = 0
  /// Executions that failed: they may have ended before their last row.
  public var failed: UInt64 = 0
  /// Returned or changed; a count returns one row.
  public var rows: UInt64
  /// Each 0 where the source has no counters.
  public var counters: StatementCounters

  public init(
    executions: UInt64 = 0, rows: UInt64 = 0, fullScanSteps: UInt64 = 0,
    autoIndexRows: UInt64 = 0, vmSteps: UInt64 = 0, sorts: UInt64 = 0
  ) {
    self.executions = executions
    self.rows = rows
    counters = StatementCounters(
      vmSteps: vmSteps, fullScanSteps: fullScanSteps, sorts: sorts, autoIndexRows: autoIndexRows)
  }

  /// A counter.
  public subscript(dynamicMember path: KeyPath<StatementCounters, UInt64>) -> UInt64 {
    counters[keyPath: path]
  }

  /// Whether the source has counters of SQLite.
  public var isCounted: Bool { executions > 0 && counters.vmSteps > 0 }

  /// Adds the work of other runs.
  public mutating func add(_ other: Self) {
    let sums = [\Self.executions, \.uncounted, \.failed, \.rows]
    for sum in sums { self[keyPath: sum].add(other[keyPath: sum]) }
    counters.add(other.counters)
  }

  /// The executions that have a sum.
  private func executions(with sum: KeyPath<Self, UInt64>) -> UInt64 {
    sum == \.rows ? executions : executions - min(uncounted, executions)
  }

  /// A sum of the work per run, rounded down.
  func wholePerRun(_ sum: KeyPath<Self, UInt64>) -> UInt64 {
    let runs = executions(with: sum)
    return runs == 0 ? 0 : self[keyPath: sum] / runs
  }

  /// A sum of the work per run.
  public func perRun(_ sum: KeyPath<Self, UInt64>) -> Double {
    let runs = executions(with: sum)
    return runs == 0 ? 0 : Double(self[keyPath: sum]) / Double(runs)
  }

  /// Rows that a run puts into automatic indexes.
  public var automaticIndexRows: Double { perRun(\.autoIndexRows) }

  /// Whether a run puts enough rows into automatic indexes to matter, whatever it returns.
  public var fillsAutomaticIndex: Bool { automaticIndexRows >= ScanBound.minRows }
}
