// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StatementReplay
import StoreEvents

/// `replay --json`, version 1; it contains forms, and no values.
public struct ReplayV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// `better`, `worse`, `same` or `inconclusive`.
  public var verdict: String
  public var sqliteVersion: String
  public var changedVersion: String
  public var recordedVersions: [String]
  public var recordedRuns: UInt64
  public var before: ReplayWork
  public var after: ReplayWork
  public var timeRatio: Ratio?
  public var statements: [Statement]
  public var divergences: [Divergent]
  public var failedPreparations: [String]

  /// The value with the change as a multiple of that without it, with its 95% interval.
  public struct Ratio: Codable, Hashable, Sendable {
    /// The ratio of the sums.
    public var median: Double
    public var low: Double
    public var high: Double
  }

  public struct Statement: Codable, Hashable, Sendable {
    /// The fingerprint.
    public var sql: String
    public var before: ReplayWork
    public var after: ReplayWork
    public var timeRatio: Ratio?
    public var planBefore: [String]?
    public var planAfter: [String]?
    /// Runs that returned or changed other rows, or failed, with the change alone.
    public var differences: UInt64
    public var isWorse: Bool
  }

  /// Runs that were not replayed, or not as recorded.
  public struct Divergent: Codable, Hashable, Sendable {
    public var sql: String
    public var runs: UInt64
    public var reason: String
  }

  public init(_ replay: Replay, _ change: ReplayChange) {
    verdict =
      !replay.isConclusive
      ? "inconclusive"
      : replay.isWorse
        ? "worse" : replay.after.vmSteps < replay.before.vmSteps ? "better" : "same"
    sqliteVersion = SQLiteLibrary.own.version
    changedVersion = change.library.version
    recordedVersions = replay.recordedVersions
    recordedRuns = replay.recordedRuns
    (before, after) = (replay.before, replay.after)
    timeRatio = replay.timeRatio.map(Ratio.init)
    statements = replay.forms.map {
      Statement(
        sql: $0.form.description, before: $0.before, after: $0.after,
        timeRatio: $0.timeRatio.map(Ratio.init), planBefore: $0.plans?.before,
        planAfter: $0.plans?.after, differences: $0.differences, isWorse: $0.isWorse)
    }
    divergences = replay.divergences.map {
      Divergent(sql: $0.form.description, runs: $0.runs, reason: $0.divergence.reason)
    }
    failedPreparations = replay.failedPreparations.map(\.sql)
  }
}

extension ReplayV1.Ratio {
  fileprivate init(_ ratio: TimeRatio) {
    self.init(median: ratio.value, low: ratio.low, high: ratio.high)
  }
}
