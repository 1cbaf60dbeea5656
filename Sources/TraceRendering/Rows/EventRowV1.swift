// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceAnalysis

/// An event of `export --format rows`, in `events/date=…/host=…/*.jsonl`; no field is null.
public struct EventRowV1: CountedFields {
  public var fields: EventRowFieldsV1
  public var counters: CounterValues<ColumnNames>

  public init(
    fields: EventRowFieldsV1 = EventRowFieldsV1(),
    counters: CounterValues<ColumnNames> = CounterValues()
  ) {
    (self.fields, self.counters) = (fields, counters)
  }
}

/// The fields of an event that are not SQLite's counters.
public struct EventRowFieldsV1: Codable, Hashable, Sendable {
  /// 1; fields are added, never renamed.
  public var schemaVersion: Int = 1
  /// The day in UTC, such as `2026-11-22`; "" where the input has no dates.
  public var date: String = ""
  /// "" where it is unknown.
  public var host: String = ""
  /// The label `version` of the recording.
  public var version: String = ""
  /// The other labels as JSON, `{}` for none.
  public var labels: String = ""
  /// The end of the row's event, since 1970-01-01 00:00 UTC; 0 if the input has no dates.
  public var timeNs: Int64 = 0
  public var process: String = ""
  public var pid: Int64 = 0
  public var tid: Int64 = 0
  /// As in Documentation/Vocabulary.md: `statement_run`, `fetch_end`, `cache_miss`, `fault`, `save_end`, `transaction`, `busy`, `checkpoint`.
  public var event: String = ""
  /// The id of a fetch, a fault, a transaction or a checkpoint.
  public var kind: String = ""
  /// The path of the database.
  public var database: String = ""
  public var sqliteVersion: String = ""
  /// The hash of the statement without its values.
  public var form: String = ""
  /// `SELECT book author`.
  public var summary: String = ""
  public var entity: String = ""
  public var relationship: String = ""
  public var callerFile: String = ""
  public var callerLine: UInt64 = 0
  public var durationNs: Int64 = 0
  public var waitNs: Int64 = 0
  public var stepNs: Int64 = 0
  public var rows: UInt64 = 0
  /// Rows inserted, updated or deleted.
  public var changes: UInt64 = 0
  /// The size of the log after a commit.
  public var walBytes: UInt64 = 0
  /// Frames in the log at a checkpoint.
  public var walFrames: UInt64 = 0
  /// 1 for a wait that ended in SQLITE_BUSY.
  public var gaveUp: UInt64 = 0
  /// The code, such as `SQLITE_BUSY`; "" for success.
  public var error: String = ""
  /// The columns that the input has, joined by commas; the others are unknown, and not 0.
  public var measured: String = ""

  public init() {}

  private enum CodingKeys: String, CodingKey {
    case date, host, version, labels, process, pid, tid, event, kind, database, form, summary,
      entity, relationship, rows, changes, error, measured
    case schemaVersion = "schema_version"
    case timeNs = "time_ns"
    case sqliteVersion = "sqlite_version"
    case callerFile = "caller_file"
    case callerLine = "caller_line"
    case durationNs = "duration_ns"
    case waitNs = "wait_ns"
    case stepNs = "step_ns"
    case walBytes = "wal_bytes"
    case walFrames = "wal_frames"
    case gaveUp = "gave_up"
  }
}
