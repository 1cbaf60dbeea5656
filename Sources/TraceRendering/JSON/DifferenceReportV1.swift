// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

/// The output of `diff --json`, version 1; times are in nanoseconds.
public struct DifferenceReportV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var before: ReportV1.Totals
  public var after: ReportV1.Totals
  public var beforeCompleteness: ReportV1.Completeness
  public var afterCompleteness: ReportV1.Completeness
  /// The counts that the inputs of each side have; the others are unknown.
  ///
  /// Null in older reports.
  public var beforeMeasured: [String]?
  public var afterMeasured: [String]?
  public var statements: [Pair]
  /// The findings that came and went, and the counts that changed, in words; null in older reports.
  public var sentence: String?
  /// The findings that only the second run has; null in older reports.
  public var newFindings: [ReportV1.Finding]?
  /// The findings that only the first run has; null in older reports.
  public var goneFindings: [ReportV1.Finding]?
  /// How many findings exceptions suppress; null in older reports.
  public var excusedFindings: Int?

  public struct Pair: Codable, Hashable, Sendable {
    public var before: Side?
    public var after: Side?
    /// Mean time before, divided by mean time after; null where a side is missing.
    public var speedup: Double?
  }

  public struct Side: Codable, Hashable, Sendable {
    /// The fingerprint.
    public var sql: String
    public var caller: ReportV1.Place?
    public var count: UInt64
    public var rows: UInt64
    public var fullScanSteps: UInt64
    public var vmSteps: UInt64
    public var totalNs: Int64
  }

  /// The report of a comparison.
  public init(_ difference: ProfileDifference) {
    before = ReportV1.Totals(difference.before.totals)
    after = ReportV1.Totals(difference.after.totals)
    beforeCompleteness = ReportV1.Completeness(difference.before.completeness)
    afterCompleteness = ReportV1.Completeness(difference.after.completeness)
    sentence = difference.sentence
    let (shared, sharedBefore) = (
      SharedProfile(difference.after), SharedProfile(difference.before)
    )
    newFindings = difference.findings.new.map { ReportV1.Finding($0, in: shared) }
    goneFindings = difference.findings.gone.map { ReportV1.Finding($0, in: sharedBefore) }
    excusedFindings = difference.findings.suppressed
    beforeMeasured = difference.before.measures.names
    afterMeasured = difference.after.measures.names
    statements = difference.pairs.map {
      Pair(before: $0.before.map(Side.init), after: $0.after.map(Side.init), speedup: $0.speedup)
    }
  }
}

extension DifferenceReportV1.Side {
  fileprivate init(_ group: StatementGroup) {
    self.init(
      sql: "\(group.fingerprint)", caller: ReportV1.Place(group.caller), count: group.work.count,
      rows: group.work.rows, fullScanSteps: group.work.fullScanSteps,
      vmSteps: group.work.vmSteps, totalNs: group.work.totalTime)
  }
}
