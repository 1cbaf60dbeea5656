// SPDX-License-Identifier: Apache-2.0

/// A plan's verdict, and all that speaks for it.
public struct PlanJudgement: Hashable, Sendable {
  /// One step that reads a table from end to end, or an index.
  public struct Scan: Hashable, Sendable {
    /// As the statement calls it.
    public var name: String
    public var table: String?
    public var size: TableSize?
    /// nil where the scan matters.
    public var harmlessBecause: HarmlessReason?
    /// The index that is walked from end to end for its order.
    public var index: String?
    /// Whether it runs once for every row of the outer SELECT.
    public var isInCorrelatedSubquery: Bool
    /// The columns that WHERE compares, equalities first.
    public var comparedColumns: [String]

    static func constantRow(isInCorrelatedSubquery: Bool) -> Scan {
      Scan(
        name: "", table: nil, size: nil, harmlessBecause: .constantRow, index: nil,
        isInCorrelatedSubquery: isInCorrelatedSubquery, comparedColumns: [])
    }
  }

  public var scans: [Scan] = []
  /// What is sorted or made distinct without an index, such as `ORDER BY`.
  public var temporaryBTrees: [String] = []
  /// The tables for which SQLite makes an index at every run.
  public var automaticIndexes: [String] = []
  /// Full-scan steps a run, where the trace counted many and this plan has no scan.
  public var unexplainedFullScanSteps: UInt64?

  public init() {}

  public var verdict: PlanVerdict {
    scans.contains { $0.harmlessBecause == nil }
      ? .fullScan : scans.isEmpty ? .search : .harmlessScan
  }

  public var sortsByTemporaryBTree: Bool { temporaryBTrees.contains { $0.hasSuffix("ORDER BY") } }
  public var scansInCorrelatedSubquery: Bool {
    scans.contains { $0.isInCorrelatedSubquery && $0.table != nil }
  }
}
