// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The work that a statement did, as SQLite counts it.
///
/// See <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>.
public struct StatementCounters: Hashable, Sendable {
  /// Virtual-machine operations.
  public var vmSteps: UInt64
  /// Forward steps of a table scan.
  public var fullScanSteps: UInt64
  /// Sorts that no index served.
  public var sorts: UInt64
  /// Rows put into automatic indexes.
  public var autoIndexRows: UInt64

  /// Makes counters, each 0 where not given.
  public init(
    vmSteps: UInt64 = 0, fullScanSteps: UInt64 = 0, sorts: UInt64 = 0, autoIndexRows: UInt64 = 0
  ) {
    self.vmSteps = vmSteps
    self.fullScanSteps = fullScanSteps
    self.sorts = sorts
    self.autoIndexRows = autoIndexRows
  }
}

extension Statement {
  /// Reads the counters since they were last taken, and sets them to zero.
  public func takeCounters() -> StatementCounters {
    StatementCounters(
      vmSteps: take(SQLITE_STMTSTATUS_VM_STEP),
      fullScanSteps: take(SQLITE_STMTSTATUS_FULLSCAN_STEP),
      sorts: take(SQLITE_STMTSTATUS_SORT), autoIndexRows: take(SQLITE_STMTSTATUS_AUTOINDEX))
  }

  private func take(_ counter: Int32) -> UInt64 {
    // SQLite counts in 32 bits, unsigned.
    UInt64(UInt32(bitPattern: sqlite3_stmt_status(handle, counter, 1)))
  }
}
