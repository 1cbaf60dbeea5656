// SPDX-License-Identifier: Apache-2.0

import CSQLite
public import StoreEvents

extension StatementCounters {
  /// Reads counters by SQLite's numbers of them.
  public init(_ status: (Int32) -> Int32) {
    // SQLite counts in 32 bits, unsigned.
    func count(_ counter: Int32) -> UInt64 { UInt64(UInt32(bitPattern: status(counter))) }
    self.init(
      vmSteps: count(SQLITE_STMTSTATUS_VM_STEP),
      fullScanSteps: count(SQLITE_STMTSTATUS_FULLSCAN_STEP),
      sorts: count(SQLITE_STMTSTATUS_SORT), autoIndexRows: count(SQLITE_STMTSTATUS_AUTOINDEX))
  }
}

extension Statement {
  /// Reads the counters since they were last taken, and sets them to zero.
  public func takeCounters() -> StatementCounters {
    StatementCounters { sqlite3_stmt_status(handle, $0, 1) }
  }
}
