// SPDX-License-Identifier: Apache-2.0

/// What a plan means for whoever pays for it.
public enum PlanVerdict: String, CaseIterable, Hashable, Sendable, Codable {
  /// Every table is searched, or none is read.
  case search
  /// Some table is scanned, and it does not matter.
  case harmlessScan
  /// Some table is scanned from end to end.
  case fullScan
  /// SQLite does not compile the statement against this database.
  case error
}

/// Why a scan does not matter.
public enum HarmlessReason: String, Hashable, Sendable, Codable {
  case constantRow
  /// The rows of a subquery or a common table; the steps that make them are judged by themselves.
  case subqueryResult
  case limit
  case smallTable
  /// Only an index is read, as for COUNT(*): smaller than the table, though read to its end.
  case coveringIndex
  /// SQLite says SCAN for every virtual table, whatever its module does.
  case virtualTable
  /// `_Z_intarray0` and its like: the values of an IN list.
  case valueList
  /// The trace counted fewer full-scan steps a run than a small table has rows.
  case countedFew
}

/// How many rows a table has.
public struct TableSize: Hashable, Sendable {
  public var rows: Int
  /// Whether counting stopped there.
  public var isAtLeast: Bool

  public init(rows: Int, isAtLeast: Bool = false) {
    self.rows = rows
    self.isAtLeast = isAtLeast
  }
}

/// The work that runs of one statement did, as a trace counted it.
public struct StatementWork: Hashable, Sendable {
  public var executions: UInt64
  public var fullScanSteps: UInt64
  /// 0 where the source has no counters.
  public var vmSteps: UInt64

  public init(executions: UInt64 = 0, fullScanSteps: UInt64 = 0, vmSteps: UInt64 = 0) {
    self.executions = executions
    self.fullScanSteps = fullScanSteps
    self.vmSteps = vmSteps
  }

  /// nil where nothing was counted.
  var fullScanStepsPerRun: UInt64? {
    executions > 0 && vmSteps > 0 ? fullScanSteps / executions : nil
  }
}
