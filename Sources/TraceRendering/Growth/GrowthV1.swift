// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import TraceAnalysis

/// `growth --json`, version 1.
public struct GrowthV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// `search`, `growsLikeScan` or `inconclusive`.
  public var verdict: String
  public var sizes: [UInt64]
  public var statements: [Statement]
  public var doubts: [String]

  public struct Statement: Codable, Hashable, Sendable {
    /// The fingerprint.
    public var sql: String
    public var statement: String
    public var caller: ReportV1.Place?
    /// `search`, `growsLikeScan`, `growsWithRows` or `inconclusive`.
    public var verdict: String
    public var vmSteps: Fit?
    public var fullScanSteps: Fit?
    public var rows: Fit?
    /// Of the number of runs; decides no verdict.
    public var runs: Fit?
    public var points: [Point]
  }

  public struct Fit: Codable, Hashable, Sendable {
    public var slope: Double
    public var quality: Double
  }

  /// Per run.
  public struct Point: Codable, Hashable, Sendable {
    public var size: UInt64
    public var runs: UInt64
    public var vmSteps: Double
    public var fullScanSteps: Double
    public var rows: Double
  }

  public init(_ growth: Growth) {
    verdict = growth.verdict.rawValue
    sizes = growth.sizes
    doubts = growth.doubts
    statements = growth.statements.map { statement in
      Statement(
        sql: statement.fingerprint.description, statement: statement.statement.description,
        caller: ReportV1.Place(statement.caller), verdict: statement.verdict.rawValue,
        vmSteps: statement.vmSteps.map(Fit.init),
        fullScanSteps: statement.fullScanSteps.map(Fit.init),
        rows: statement.rows.map(Fit.init), runs: statement.runs.map(Fit.init),
        points: statement.points.map {
          Point(
            size: $0.size, runs: $0.runs, vmSteps: $0.vmSteps, fullScanSteps: $0.fullScanSteps,
            rows: $0.rows)
        })
    }
  }
}

extension GrowthV1.Fit {
  fileprivate init(_ fit: GrowthFit) { self.init(slope: fit.slope, quality: fit.quality) }
}
