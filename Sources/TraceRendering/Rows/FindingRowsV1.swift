// SPDX-License-Identifier: Apache-2.0

/// A statement that runs once for each row of another one, in `loops/…`.
public struct LoopRowV1: Codable, Hashable, Sendable {
  /// 1; fields are added, never renamed.
  public var schemaVersion: Int = 1
  /// The day in UTC, such as `2026-11-22`.
  public var date: String = ""
  /// "" where it is unknown.
  public var host: String = ""
  /// The label `version` of the recording.
  public var version: String = ""
  /// The other labels as JSON, `{}` for none.
  public var labels: String = ""
  /// The statement with the rows that are looped over, in short.
  public var parent: String = ""
  public var parentFile: String = ""
  public var parentLine: UInt64 = 0
  /// The statement that runs once for each of them.
  public var child: String = ""
  public var childFile: String = ""
  public var childLine: UInt64 = 0
  public var occurrences: UInt64 = 0
  public var parentRows: UInt64 = 0
  public var runs: UInt64 = 0
  public var timeNs: Int64 = 0

  private enum CodingKeys: String, CodingKey {
    case date, host, version, labels, parent, child, occurrences, runs
    case schemaVersion = "schema_version"
    case parentFile = "parent_file"
    case parentLine = "parent_line"
    case childFile = "child_file"
    case childLine = "child_line"
    case parentRows = "parent_rows"
    case timeNs = "time_ns"
  }
}

/// Waits for locks, and their holders, in `locks/…`.
public struct LockRowV1: Codable, Hashable, Sendable {
  /// 1; fields are added, never renamed.
  public var schemaVersion: Int = 1
  /// The day in UTC, such as `2026-11-22`.
  public var date: String = ""
  /// "" where it is unknown.
  public var host: String = ""
  /// The label `version` of the recording.
  public var version: String = ""
  /// The other labels as JSON, `{}` for none.
  public var labels: String = ""
  public var database: String = ""
  public var waiterProcess: String = ""
  public var waiterFile: String = ""
  public var waiterLine: UInt64 = 0
  /// "" where no holder was seen.
  public var holderProcess: String = ""
  /// `deferred`, `immediate` or `exclusive`.
  public var holderKind: String = ""
  public var holderFile: String = ""
  public var holderLine: UInt64 = 0
  public var waits: UInt64 = 0
  /// Waits that ended in SQLITE_BUSY.
  public var failures: UInt64 = 0
  public var waitNs: Int64 = 0
  public var longestNs: Int64 = 0

  private enum CodingKeys: String, CodingKey {
    case date, host, version, labels, database, waits, failures
    case schemaVersion = "schema_version"
    case waiterProcess = "waiter_process"
    case waiterFile = "waiter_file"
    case waiterLine = "waiter_line"
    case holderProcess = "holder_process"
    case holderKind = "holder_kind"
    case holderFile = "holder_file"
    case holderLine = "holder_line"
    case waitNs = "wait_ns"
    case longestNs = "longest_ns"
  }
}
