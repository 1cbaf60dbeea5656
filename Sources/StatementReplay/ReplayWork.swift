// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// What runs cost.
public struct ReplayWork: Hashable, Sendable {
  public var runs: UInt64 = 0
  /// In `sqlite3_step`, in nanoseconds.
  public var time: UInt64 = 0
  public var vmSteps: UInt64 = 0
  public var fullScanSteps: UInt64 = 0
  public var sorts: UInt64 = 0
  public var autoIndexRows: UInt64 = 0

  /// See <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>.
  static let counters: [Int32] = [
    SQLITE_STMTSTATUS_VM_STEP, SQLITE_STMTSTATUS_FULLSCAN_STEP, SQLITE_STMTSTATUS_SORT,
    SQLITE_STMTSTATUS_AUTOINDEX,
  ]

  mutating func read(_ counter: (Int32) -> UInt64) {
    vmSteps = counter(Self.counters[0])
    fullScanSteps = counter(Self.counters[1])
    sorts = counter(Self.counters[2])
    autoIndexRows = counter(Self.counters[3])
  }

  mutating func add(_ other: Self) {
    for field in [
      \Self.runs, \.time, \.vmSteps, \.fullScanSteps, \.sorts, \.autoIndexRows,
    ] as [WritableKeyPath<Self, UInt64>] { self[keyPath: field] &+= other[keyPath: field] }
  }
}
