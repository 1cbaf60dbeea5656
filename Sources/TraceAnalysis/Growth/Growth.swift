// SPDX-License-Identifier: Apache-2.0

import Glibc
public import QueryPlans
public import StoreEvents

/// How the work of each statement grows with the size of the store.
public struct Growth: Hashable, Sendable {
  /// How the work of a statement grows with the size of the store.
  public enum Verdict: String, Hashable, Sendable, Codable {
    /// It does about as much work as it returns rows, at every size.
    case search
    /// Its work grows with the store, and its rows do not.
    case growsLikeScan
    /// Its rows grow as its work does: more is requested.
    case growsWithRows
    /// Too few sizes, or the work follows no line, or VM steps do not show it.
    case inconclusive
  }

  /// A statement and its growth.
  public struct Statement: Hashable, Sendable {
    /// The statement's form, without its values.
    public var fingerprint: SQLFingerprint
    /// The statement's id.
    public var statement: StatementID
    /// The line of code.
    public var caller: SourceLocation
    /// The counts at each size, smallest first.
    public var points: [Point]
    /// The fit of its VM steps; nil without a fit.
    public var vmSteps: GrowthFit?
    /// The fit of its full-scan steps; nil without a fit.
    public var fullScanSteps: GrowthFit?
    /// The fit of its rows; nil without a fit.
    public var rows: GrowthFit?
    /// The fit of the number of its runs; nil without a fit.
    ///
    /// It decides no verdict: a program may do more of the same in a larger store.
    public var runs: GrowthFit?
    /// The verdict.
    public var verdict: Verdict
  }

  /// The average work of one run of a statement at one size.
  public struct Point: Codable, Hashable, Sendable {
    /// The size of the store.
    public var size: UInt64
    /// The number of runs.
    public var runs: UInt64
    /// VM steps per run.
    public var vmSteps: Double
    /// Full-scan steps per run.
    public var fullScanSteps: Double
    /// Rows per run.
    public var rows: Double
  }

  // Two points fit any line.
  /// The minimum number of sizes.
  public static let minSizes = 3
  static let minQuality = 0.9
  // Half the growth of the store. A search grows only by the depth of a tree, a few hundredths.
  static let maxSlope = 0.5

  /// Statements that grow like a scan first, then by their work at the largest size.
  public var statements: [Statement]
  /// The sizes that were run, smallest first.
  public var sizes: [UInt64]
  /// The limitations of the comparison; one sentence each.
  public var doubts: [String]

  /// Compares runs of the same work on stores of several sizes.
  public init(_ runs: [(size: UInt64, profile: Profile)]) {
    sizes = Set(runs.map(\.size)).sorted()
    var statements: [SQLFingerprint: Statement] = [:]
    for run in runs.sorted(by: { $0.size < $1.size }) {
      for (fingerprint, group) in run.profile.statementGroups {
        let point = Point(
          size: run.size, runs: group.work.count, vmSteps: group.work.perRun(\.vmSteps),
          fullScanSteps: group.work.perRun(\.fullScanSteps), rows: group.work.perRun(\.rows))
        statements[
          fingerprint,
          default: Statement(
            fingerprint: fingerprint, statement: group.statement.id, caller: group.caller,
            points: [], verdict: .inconclusive)
        ].points.append(point)
      }
    }
    doubts = runs.flatMap { run in
      run.profile.completeness.doubts.map { "size \(run.size): \($0)" }
    }
    if sizes.count < Self.minSizes {
      doubts.append(
        "\(sizes.count.counted("size fits", "sizes fit")) any line; pass \(Self.minSizes) or more"
      )
    }
    let wanted = sizes.count
    self.statements = statements.values.map { $0.judged(sizes: wanted) }.sorted { a, b in
      let (x, y) = (a.verdict == .growsLikeScan, b.verdict == .growsLikeScan)
      if x != y { return x }
      let (m, n) = (a.points.last?.vmSteps ?? 0, b.points.last?.vmSteps ?? 0)
      return m != n ? m > n : a.fingerprint < b.fingerprint
    }
  }

  /// The worst verdict of all statements.
  public var verdict: Verdict {
    if statements.contains(where: { $0.verdict == .growsLikeScan }) { return .growsLikeScan }
    let isUnsure =
      !doubts.isEmpty || statements.isEmpty
      || statements.contains { $0.verdict == .inconclusive }
    return isUnsure ? .inconclusive : .search
  }
}

extension Growth.Statement {
  /// Whether it runs more often the larger the store is.
  public var runsGrow: Bool {
    runs.map { $0.slope >= Growth.maxSlope && $0.quality >= Growth.minQuality } ?? false
  }

  fileprivate func judged(sizes: Int) -> Self {
    func fit(_ amount: KeyPath<Growth.Point, Double>) -> GrowthFit? {
      GrowthFit(points.map { (Double($0.size), $0[keyPath: amount]) })
    }
    var copy = self
    copy.vmSteps = fit(\.vmSteps)
    copy.fullScanSteps = fit(\.fullScanSteps)
    copy.rows = fit(\.rows)
    copy.runs = GrowthFit(points.map { (Double($0.size), Double($0.runs)) })
    guard points.count == sizes, sizes >= Growth.minSizes, let work = copy.work,
      let rows = copy.rows, points.contains(where: { $0.vmSteps > 0 })
    else { return copy }
    if work.slope < Growth.maxSlope {
      // One instruction of SQLite counts or deletes all rows, however many there are.
      copy.verdict =
        StatementClauses(sql: fingerprint.description).isOfWholeTable
        ? .inconclusive : .search
    } else if work.quality < Growth.minQuality {
      copy.verdict = .inconclusive
    } else {
      // The rows increase as much as the work: the result itself grows.
      let wastes = points.last.map {
        ScanBound.isExceeded(steps: $0.fullScanSteps, rows: $0.rows)
      }
      copy.verdict =
        wastes != true && rows.slope >= work.slope / 2 ? .growsWithRows : .growsLikeScan
    }
    return copy
  }

  /// The steeper of the two.
  private var work: GrowthFit? {
    [vmSteps, fullScanSteps].compactMap { $0 }.max { $0.slope < $1.slope }
  }
}

/// How an amount grows with a size: the slope of a straight line through their logarithms.
///
/// A slope of 0 is the same work at every size, 1 is twice the work for twice the size, 2 is four
/// times. Least squares; see N. R. Draper and H. Smith, "Applied Regression Analysis", chapter 1.
public struct GrowthFit: Codable, Hashable, Sendable {
  /// The slope on logarithmic scales: 1 grows like the size.
  public var slope: Double
  /// The part of the variance that the line explains, from 0 to 1.
  public var quality: Double

  /// - Returns: nil unless there are two sizes that differ.
  public init?(_ points: [(size: Double, amount: Double)]) {
    // One more than the amount: nothing at all has a logarithm then, and it is 0.
    let xs = points.map { log($0.size) }
    let ys = points.map { log($0.amount + 1) }
    let count = Double(points.count)
    guard points.count > 1, points.allSatisfy({ $0.size > 0 && $0.amount >= 0 }) else { return nil }
    let (meanX, meanY) = (xs.reduce(0, +) / count, ys.reduce(0, +) / count)
    let sumXX = xs.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    let sumYY = ys.reduce(0) { $0 + ($1 - meanY) * ($1 - meanY) }
    let sumXY = zip(xs, ys).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    guard sumXX > 0 else { return nil }
    slope = sumXY / sumXX
    let rest = sumYY - slope * sumXY
    // Work that hardly varies has no variance to explain: the line is flat, and fits.
    quality = sumYY < 0.01 * count ? 1 : max(0, 1 - rest / sumYY)
  }
}
