// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceAnalysis

/// The runs of a form from one origin, in `sums/date=…/host=…/*.jsonl`; no field is null.
public struct SumRowV1: CountedFields {
  public var fields: SumRowFieldsV1
  public var counters: CounterValues<ColumnNames>

  public init(
    fields: SumRowFieldsV1 = SumRowFieldsV1(),
    counters: CounterValues<ColumnNames> = CounterValues()
  ) {
    (self.fields, self.counters) = (fields, counters)
  }
}

/// The fields of a sum that are not SQLite's counters.
public struct SumRowFieldsV1: Codable, Hashable, Sendable {
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
  public var database: String = ""
  public var sqliteVersion: String = ""
  /// The hash of the statement without its values; 0 for the row of all others.
  public var form: String = ""
  /// The steps of the plan, "" where it is unknown.
  public var plan: String = ""
  /// `SELECT book author`.
  public var summary: String = ""
  /// The statement without its values.
  public var sql: String = ""
  /// The forms in the row of all others.
  public var otherForms: UInt64 = 0
  public var runs: UInt64 = 0
  public var rows: UInt64 = 0
  public var errors: UInt64 = 0
  public var changes: UInt64 = 0
  public var cacheMisses: UInt64 = 0
  public var waitNs: Int64 = 0
  public var stepNs: Int64 = 0
  public var totalNs: Int64 = 0
  public var maxNs: Int64 = 0
  /// The columns that the input has, joined by commas; the others are unknown, and not 0.
  public var measured: String = ""

  public init() {}

  private enum CodingKeys: String, CodingKey {
    case date, host, version, labels, database, form, plan, summary, sql, runs, rows, errors,
      changes, measured
    case schemaVersion = "schema_version"
    case sqliteVersion = "sqlite_version"
    case otherForms = "other_forms"
    case cacheMisses = "cache_misses"
    case waitNs = "wait_ns"
    case stepNs = "step_ns"
    case totalNs = "total_ns"
    case maxNs = "max_ns"
  }
}

/// Runs of a form of about one length, in `buckets/…`: HdrHistogram's buckets at two digits add up.
public struct BucketRowV1: Codable, Hashable, Sendable {
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
  public var sqliteVersion: String = ""
  /// The hash of the statement without its values; 0 for the row of all others.
  public var form: String = ""
  /// The steps of the plan, "" where it is unknown.
  public var plan: String = ""
  /// The longest duration that falls into the bucket.
  public var upperNs: Int64 = 0
  public var runs: UInt64 = 0

  private enum CodingKeys: String, CodingKey {
    case date, host, version, labels, database, form, plan, runs
    case schemaVersion = "schema_version"
    case sqliteVersion = "sqlite_version"
    case upperNs = "upper_ns"
  }
}
