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
    public var vmSteps: GrowthFit?
    public var fullScanSteps: GrowthFit?
    public var rows: GrowthFit?
    /// Of the number of runs; decides no verdict.
    public var runs: GrowthFit?
    public var points: [Growth.Point]
  }

  public init(_ growth: Growth) {
    verdict = growth.verdict.rawValue
    sizes = growth.sizes
    doubts = growth.doubts
    statements = growth.statements.map { statement in
      Statement(
        sql: statement.fingerprint.description, statement: statement.statement.description,
        caller: ReportV1.Place(statement.caller), verdict: statement.verdict.rawValue,
        vmSteps: statement.vmSteps, fullScanSteps: statement.fullScanSteps, rows: statement.rows,
        runs: statement.runs, points: statement.points)
    }
  }
}
