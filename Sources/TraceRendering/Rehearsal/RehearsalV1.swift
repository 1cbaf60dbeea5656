// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StatementReplay

/// `rehearse --json`, version 1; times in nanoseconds, sizes in bytes.
public struct RehearsalV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// `done`, `failed`, `exceedsTimeout` or `inconclusive`.
  public var verdict: String
  /// `wal` or `delete`.
  public var journalMode: String
  public var rows: UInt64
  public var pages: UInt64
  /// Whether the migration ran on all rows; otherwise the costs are extrapolated.
  public var isMeasured: Bool
  public var costs: Costs
  /// The shortest and the longest that the parts allow for `costs.longestLockNs`; none if it is measured.
  public var longestLockRange: Range?
  public var omission: String?
  /// Smallest first.
  public var runs: [Run]
  public var failure: Rehearsal.Failure?
  public var batches: [Batch]
  public var busyTimeoutMs: UInt64
  public var waits: [Wait]
  public var doubts: [String]

  public struct Costs: Codable, Hashable, Sendable {
    public var lockNs: UInt64
    public var longestLockNs: UInt64
    public var logBytes: UInt64
    public var journalBytes: UInt64
    public var diskBytes: UInt64
    public var checkpointNs: UInt64
    public var checkpointedFrames: UInt64
  }

  public struct Range: Codable, Hashable, Sendable {
    public var lowNs: UInt64
    public var highNs: UInt64
  }

  public struct Run: Codable, Hashable, Sendable {
    /// One of so many rows was in the copy.
    public var oneOf: Int
    public var rows: UInt64
    public var pages: UInt64
    public var costs: Costs
    public var statements: [Statement]
  }

  public struct Statement: Codable, Hashable, Sendable {
    public var line: Int
    public var sql: String
    public var timeNs: UInt64
    public var changes: UInt64
  }

  /// A statement that writes most of a table, in parts of so many rows.
  public struct Batch: Codable, Hashable, Sendable {
    public var line: Int
    public var table: String
    public var rows: UInt64
    public var batch: UInt64
    public var sql: String
  }

  public struct Wait: Codable, Hashable, Sendable {
    /// The fingerprint.
    public var sql: String
    public var runs: UInt64
    public var waiting: Double
    public var failing: Double
  }

  public init(_ report: RehearsalReport) {
    let rehearsal = report.rehearsal
    verdict =
      rehearsal.failure != nil
      ? "failed"
      : !report.isConclusive ? "inconclusive" : report.exceedsTimeout ? "exceedsTimeout" : "done"
    journalMode = rehearsal.journalMode
    rows = rehearsal.rows
    pages = rehearsal.pages
    isMeasured = rehearsal.isMeasured
    costs = Costs(rehearsal.estimate)
    longestLockRange = rehearsal.longestLockRange.map {
      Range(lowNs: $0.lowerBound, highNs: $0.upperBound)
    }
    omission = rehearsal.omission
    runs = rehearsal.runs.map { run in
      Run(
        oneOf: run.oneOf, rows: run.rows, pages: run.pages, costs: Costs(run.costs),
        statements: run.statements.map {
          Statement(line: $0.line, sql: $0.sql, timeNs: $0.time, changes: $0.changes)
        })
    }
    failure = rehearsal.failure
    batches = rehearsal.batches.map {
      Batch(line: $0.line, table: $0.table, rows: $0.rows, batch: $0.batch, sql: $0.batched)
    }
    busyTimeoutMs = report.busyTimeout
    waits = report.waits.map {
      Wait(sql: $0.form.description, runs: $0.runs, waiting: $0.waiting, failing: $0.failing)
    }
    doubts = report.doubts
  }
}

extension RehearsalV1.Costs {
  fileprivate init(_ costs: Rehearsal.Costs) {
    self.init(
      lockNs: costs.lock, longestLockNs: costs.longestLock, logBytes: costs.log,
      journalBytes: costs.journal, diskBytes: costs.disk, checkpointNs: costs.checkpoint,
      checkpointedFrames: costs.checkpointedFrames)
  }
}
