// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StatementReplay
public import TraceAnalysis

/// A rehearsal, with the recorded statements that would wait for its lock.
public struct RehearsalReport: Sendable {
  /// The runs of a statement's form that would meet the longest lock, at the rate of the recording.
  public struct Wait: Sendable {
    public var form: SQLFingerprint
    public var runs: UInt64
    /// While the lock is held.
    public var waiting: Double
    /// The number of statements that would wait longer than the timeout, and fail.
    public var failing: Double
  }

  public var rehearsal: Rehearsal
  /// Most runs first; empty without a recording.
  public var waits: [Wait] = []
  /// In milliseconds.
  public var busyTimeout: UInt64
  /// Why the recording supports no conclusion, one sentence each.
  public var doubts: [String] = []

  public init(_ rehearsal: Rehearsal, _ profile: Profile?, busyTimeout: UInt64) {
    (self.rehearsal, self.busyTimeout) = (rehearsal, busyTimeout)
    guard let profile, rehearsal.failure == nil else { return }
    let starts = profile.processes.compactMap(\.firstEvent)
    let ends = profile.processes.compactMap(\.lastEvent)
    guard let start = starts.min(), let end = ends.max(), end > start else {
      doubts.append("the recording has no times: statements that would wait are not known")
      return
    }
    let lock = Double(rehearsal.estimate.longestLock)
    let timeout = Double(busyTimeout) * 1e6
    var runs: [SQLFingerprint: UInt64] = [:]
    for statement in profile.statements {
      guard let sql = statement.sql else { continue }
      // Without a write-ahead log, readers wait as well.
      guard rehearsal.journalMode != "wal" || WrittenTable(sql: sql) != nil else { continue }
      runs[SQLFingerprint(sql: sql), default: 0] += statement.statementWork.executions
    }
    waits = runs.map { form, runs in
      let rate = Double(runs) / Double(end - start)
      return Wait(
        form: form, runs: runs, waiting: rate * lock, failing: rate * max(lock - timeout, 0))
    }.sorted { $0.runs == $1.runs ? $0.form < $1.form : $0.runs > $1.runs }
  }

  /// Whether the lock is held for longer than a recorded statement waits.
  public var exceedsTimeout: Bool { waits.contains { $0.failing > 0 } }

  public var isConclusive: Bool { doubts.isEmpty }
}
