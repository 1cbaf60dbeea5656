// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceAnalysis

/// The output of `summary --json`, version 1; times are in nanoseconds.
///
/// Fields are added, never renamed.
public struct ReportV1: Codable, Equatable, Sendable {
  public var schemaVersion = 1
  public var sources: [Source]
  public var completeness: Completeness
  /// The counts that the inputs have; a count that is not in the list is unknown, and not 0.
  ///
  /// Null in older reports.
  public var measured: [String]?
  public var totals: Totals
  /// Null if the source does not contain it.
  public var tracing: Tracing?
  public var statements: [Statement]
  public var faults: [Fault]
  public var saves: [Save]
  public var findings: [Finding]
  /// Statements that failed, most failures first; null in older reports.
  public var errors: [Failure]?
  /// The judgement of the run; null in older reports.
  public var verdict: Verdict?
  /// Findings that the file of exceptions suppresses.
  public var excused: [Excused]
  /// Exceptions that are expired, or that match nothing.
  public var exceptionProblems: [String]
  /// By the key of `--group-by`; null without it.
  public var groups: [Group]?
  /// The tests that ran; null without tests.
  public var tests: Tests?
  /// All counts, exactly, in nanoseconds, from which a saved report is read; null with `--without-profile`.
  public var profile: Profile?
  /// A hash of the profile, by which damage is found; null without it and in older reports.
  public var check: String?

  public struct Verdict: Codable, Hashable, Sendable {
    /// The verdict in words.
    public var sentence: String
    public var warnings: Int
    public var notes: Int
    /// The maximum time that all fixes together save; null where it is unknown.
    public var savesAtMostNs: Int64?
    /// The time in SQLite, or in the object store; null where it is unknown.
    public var timeNs: Int64?
    /// The problem of the first finding: `a query in a loop on 'loan' at app.py:42`; null without findings.
    public var worst: String?
    /// The reasons why a finding may be missing; empty if nothing is missing.
    public var gaps: [String]
  }

  /// The failures of one statement at one line with one error.
  public struct Failure: Codable, Hashable, Sendable {
    public var count: UInt64
    /// SQLite's code and text: `SQLITE_LOCKED: database table is locked`.
    public var error: String
    public var statement: String
    /// Null if the source does not contain it.
    public var sql: String?
    /// Null if it is unknown.
    public var caller: String?
    /// The obstacle, or how to avoid it; null if it is unknown.
    public var cause: String?
  }

  public struct Source: Codable, Hashable, Sendable {
    public var path: String
    /// `ctf` or `log`.
    public var kind: String
    public var eventsRead: UInt64
    public var eventsLost: UInt64
    public var unrecognizedLines: UInt64
  }

  public struct Completeness: Codable, Hashable, Sendable {
    public var eventsRead: UInt64
    public var eventsLost: UInt64
    public var unrecognizedLines: UInt64
    /// The reasons why the report may be incomplete; empty if it is complete.
    public var doubts: [String]
    /// The data that the sources cannot contain; null in older reports.
    public var remarks: [String]?
  }

  public struct Totals: Codable, Hashable, Sendable {
    public var fetches: UInt64
    public var counts: UInt64
    public var rows: UInt64
    public var faults: UInt64
    public var relationshipFaults: UInt64
    public var cacheMisses: UInt64
    public var saves: UInt64
    public var connectionNs: Int64
    public var totalNs: Int64
    public var nestedFetches: UInt64
    public var cacheHits: UInt64
    public var faultNs: Int64
    public var saveNs: Int64
    public var errors: UInt64
  }

  /// The cost of tracing in the program's time, estimated from a sample of its events.
  public struct Tracing: Codable, Hashable, Sendable {
    public var timeNs: Int64
    public var timePerEventNs: Int64
  }

  public struct Statement: CountedFields {
    public var fields: StatementFields
    public var counters: CounterValues<JSONKeys>

    public init(fields: StatementFields, counters: CounterValues<JSONKeys>) {
      (self.fields, self.counters) = (fields, counters)
    }
  }

  public struct StatementFields: Codable, Hashable, Sendable {
    /// Sixteen hexadecimal digits.
    public var id: String
    /// Null if the source does not contain it.
    public var sql: String?
    public var entity: String
    public var count: UInt64
    public var rows: UInt64
    public var connectionNs: Int64
    public var totalNs: Int64
    public var p50Ns: Int64
    public var p95Ns: Int64
    public var p99Ns: Int64
    public var maxNs: Int64
    public var cacheMisses: UInt64
    public var callers: [Caller]
    /// The SQL without its values; null where the text is.
    public var fingerprint: String?
    public var meanNs: Double
    public var waitNs: Int64
    public var prepareNs: Int64
    public var stepNs: Int64
    public var materializeNs: Int64
    /// The counts that its inputs have; null if they are the same as the report's.
    public var measured: [String]?
  }

  public struct Group: Codable, Hashable, Sendable {
    public var name: String
    public var count: UInt64
    public var rows: UInt64
    public var vmSteps: UInt64
    public var fullScanSteps: UInt64
    public var totalNs: Int64
    public var meanNs: Double
    public var p50Ns: Int64
    public var p95Ns: Int64
    public var p99Ns: Int64
    public var maxNs: Int64
    public var cacheHits: UInt64
    public var cacheMisses: UInt64
    public var faultNs: Int64
    public var saves: UInt64
    public var saveNs: Int64
  }

  public struct Caller: Codable, Hashable, Sendable {
    public var file: String
    public var line: UInt64
    public var count: UInt64
    public var rows: UInt64
    public var totalNs: Int64
  }

  public struct Fault: Codable, Hashable, Sendable {
    public var entity: String
    /// "" for object faults.
    public var relationship: String
    public var caller: Place?
    public var cacheHits: UInt64
    public var cacheMisses: UInt64
    public var missNs: Int64
  }

  public struct Save: Codable, Hashable, Sendable {
    public var caller: Place?
    public var count: UInt64
    public var inserted: UInt64
    public var updated: UInt64
    public var deleted: UInt64
    public var waitNs: Int64
    public var writeNs: Int64
    public var commitNs: Int64
    public var totalNs: Int64
  }

  public struct Place: Codable, Hashable, Sendable {
    public var file: String
    public var line: UInt64
  }

  /// The tests' own calls, without set-up and tear-down.
  public struct Tests: Codable, Hashable, Sendable {
    public var count: Int
    public var statements: UInt64
  }

  public struct Excused: Codable, Hashable, Sendable {
    public var finding: Finding
    public var reason: String
    /// The last day, such as `2027-03-01`; null if it does not expire.
    public var expires: String?
  }

  public struct Finding: Codable, Hashable, Sendable {
    public var rule: String
    /// `note` or `warning`.
    public var severity: String
    public var statement: String?
    public var caller: Place?
    public var message: String
    public var evidence: [String: Int64]
    public var fix: String
    public var savesAtMostNs: Int64?
    /// The basis of the saving; null where it is unknown.
    public var savingBasis: String?
    /// `high`, `medium` or `low`.
    public var confidence: String
    /// The index, table, column or relationship of a finding that has no statement.
    public var object: String?
    /// The VM steps of a run before and after the fix, tried on a copy of the database; null where it was not.
    public var trial: Trial?
    /// The tests that ran its statement or its line; null without tests.
    public var tests: [String]?

    public struct Trial: Codable, Hashable, Sendable {
      public var stepsBefore: UInt64
      public var stepsAfter: UInt64
    }
  }
}
