// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Decides whether a statement scans: the one judge of all commands.
///
/// Counters are decisive if they exist: counters of a trace, or of one run on the database. The
/// plan names the tables, shows counters that belong to another plan, and is used alone if nothing
/// was counted. If the verdict depends on values, it is ``PlanVerdict/mayScan``.
public struct PlanJudge {
  /// One run of the statement on the database, or some with the values that were recorded.
  public struct Measurement: Hashable, Sendable {
    public var work: StatementWork
    /// Whether values were sampled because the program's own are not known.
    public var isSampled: Bool
    /// Whether the run was ended before its end, at a number of VM steps.
    public var isCut: Bool
    /// Bytes returned in each column of text or blobs, by its name.
    public var columnBytes: [String: UInt64] = [:]
    /// Pages that were looked up.
    var pages: UInt64 = 0
    /// A sum over the rows, whatever their order; 0 where nothing is compared with them.
    var digest: UInt64 = 0

    public init(work: StatementWork, isSampled: Bool = false, isCut: Bool = false) {
      self.work = work
      self.isSampled = isSampled
      self.isCut = isCut
    }

    /// The runs of both; the bytes are of the run that returned more.
    func adding(_ other: Self) -> Self {
      var sum = self
      sum.work.add(other.work)
      sum.pages += other.pages
      sum.digest &+= other.digest
      sum.isCut = isCut || other.isCut
      sum.columnBytes.merge(other.columnBytes, uniquingKeysWith: max)
      return sum
    }
  }

  /// An index of the rows for which its WHERE is true.
  public struct PartialIndex {
    public var columns: Set<String>
    /// The words of each AND term, in lower case except for literals.
    var terms: Set<[String]> = []
    public var size: TableSize?
  }

  /// The data that the judge reads from a database.
  public struct Source {
    /// The number of rows of a table; nil where that is unknown.
    public var size: (String) -> TableSize?
    /// The part of its table that an index holds; nil for an index of all rows.
    public var partialIndex: (String) -> PartialIndex?
    /// The module of a virtual table, in lower case; nil for other tables and for functions.
    public var module: (String) -> String?
    /// The column that an index begins with, in lower case; nil for an expression and where that is unknown.
    public var firstColumn: (String) -> String?
    /// Runs the statement; nil where that is impossible.
    public var measure: () -> Measurement?
    /// Whether the schema may be newer than the trace.
    var mayHaveChanged = true
    /// Whether the database is as the program had it.
    var isAsTraced = false
    /// The attached database that has a table; nil for a table of the main one.
    var attachedDatabase: (String) -> String? = { _ in nil }
    /// The columns of a table; nil for a table or view that cannot have an index.
    var columns: (String) -> TableColumns? = { _ in nil }

    public init(
      size: @escaping (String) -> TableSize? = { _ in nil },
      partialIndex: @escaping (String) -> PartialIndex? = { _ in nil },
      module: @escaping (String) -> String? = { _ in nil },
      firstColumn: @escaping (String) -> String? = { _ in nil },
      measure: @escaping () -> Measurement? = { nil }
    ) {
      self.size = size
      self.partialIndex = partialIndex
      self.module = module
      self.firstColumn = firstColumn
      self.measure = measure
    }
  }

  /// A table up to here is small for an index on trial: 100 rows fit in a few pages.
  public static let smallTableRows = 100

  let outline: StatementOutline
  let source: Source
  let work: StatementWork

  public init(sql: String, work: StatementWork = StatementWork(), source: Source = Source()) {
    outline = StatementOutline(sql)
    self.source = source
    self.work = work
  }

  /// Judges a statement by its plan; nil without a database, where only counters decide.
  public func judge(_ plan: QueryPlan?) -> PlanJudgement {
    var judgement = PlanJudgement()
    guard outline.hasPlan else {
      judgement.verdict = .noPlan
      return judgement
    }
    judgement.isOfWrite = outline.tokens.areOfWrite
    judgement.replacesRows = outline.tokens.replaceRows
    if let plan { read(plan.roots, in: .init(), into: &judgement) }
    for index in judgement.scans.indices {
      judgement.scans[index].isBesideAutomaticIndex = judgement.hasLargeAutomaticIndex
    }
    if work.isCounted {
      judgeByCounters(&judgement, hasPlan: plan != nil)
    } else if plan != nil, let measurement = source.measure() {
      judge(&judgement, by: measurement)
    } else {
      judgeByPlan(&judgement)
    }
    if let plan { judgeExcess(&judgement, plan) }
    return judgement
  }

  // MARK: - By counters of a trace

  // A run here that takes as many steps returns more rows: the program did not read all of them.
  private func judgeByCounters(_ judgement: inout PlanJudgement, hasPlan: Bool) {
    if isExceeded(by: work, judgement) {
      if hasPlan, judgement.suspects.isEmpty, judgement.automaticIndexes.isEmpty,
        !stillScans(judgement), let now = source.measure(), !now.isCut,
        !isExceeded(by: now.work, judgement),
        now.work.perRun(\.fullScanSteps) < work.perRun(\.fullScanSteps) / 2,
        !(now.isSampled && insertsRows)
      {
        guard source.mayHaveChanged else {
          judgement.change = .otherPlan
          return condemn(&judgement, .counted, work)
        }
        judge(&judgement, by: now)
        judgement.change = .noLongerScans
        return
      }
      return condemn(&judgement, .counted, work)
    }
    if nowScans(judgement) {
      judgement.change = .nowScans
      let now = source.measure()
      return condemn(&judgement, now == nil ? .plan : .measured, now?.work)
    }
    acquit(&judgement, .counted, work, .countedFew)
  }

  /// Whether the plan reads a table to its end, however small it is: the trace's may have been larger.
  private func stillScans(_ judgement: PlanJudgement) -> Bool {
    judgement.scans.contains {
      $0.harmlessBecause == .smallTable || $0.harmlessBecause == .returnsAll
    }
  }

  /// Whether the inserted row decides which rows are read: a conflict has triggers of its own.
  private var insertsRows: Bool { ["INSERT", "REPLACE"].contains(outline.verb) }

  /// Whether the plan reads a table to its end, and the trace counted far fewer steps.
  private func nowScans(_ judgement: PlanJudgement) -> Bool {
    // The program may have failed before the last row, or read the first ones alone.
    guard work.failed == 0, !source.isAsTraced else { return false }
    let rows = work.perRun(\.rows)
    let steps = work.perRun(\.fullScanSteps)
    let isContradicted = judgement.suspects.contains { scan in
      guard scan.isMandatory, let size = scan.size else { return false }
      return steps < Double(size.rows) / 2
        && ScanBound.isExceeded(steps: Double(size.rows), rows: rows)
    }
    let hasNewIndex = judgement.hasLargeAutomaticIndex && work.automaticIndexRows == 0 && steps == 0
    guard isContradicted || hasNewIndex else { return false }
    // A WHERE that is false whatever the rows are reads none of them.
    return source.measure().map { isExceeded(by: $0.work, judgement) } ?? isContradicted
  }

  // MARK: - By a run on the database

  private func judge(_ judgement: inout PlanJudgement, by measurement: Measurement) {
    var run = measurement.work
    let measured = run
    if measurement.isSampled, work.executions > 0, work.rows > 0 {
      // The rows that the log counted were found with the program's own values.
      run.rows = work.wholePerRun(\.rows)
    } else if measurement.isSampled, Double(run.rows) < Double(run.fullScanSteps) * 0.8 {
      // The number of rows that a WHERE matches is not known, only that it discards some.
      run.rows = 0
    }
    let evidence = measurement.isSampled ? PlanJudgement.Evidence.sampled : .measured
    if isExceeded(by: run, judgement) { return condemn(&judgement, evidence, measured) }
    if measurement.isCut {
      judgeByPlan(&judgement)
      return doubtUnended(&judgement, evidence, measured)
    }
    let mayScan = measurement.isSampled && judgement.suspects.contains { !$0.isCertain }
    if mayScan {
      judgement.verdict = .mayScan
      judgement.evidence = evidence
      judgement.work = run
    } else {
      acquit(&judgement, evidence, run, .measuredFew)
    }
  }

  /// A run that did not end, and had returned little or repeats its own rows, is not harmless.
  private func doubtUnended(
    _ judgement: inout PlanJudgement, _ evidence: PlanJudgement.Evidence, _ work: StatementWork
  ) {
    guard judgement.verdict == .search || judgement.verdict == .harmlessScan,
      WorkBound.isExceeded(
        steps: work.perRun(\.vmSteps), rows: judgement.isRecursive ? 0 : work.perRun(\.rows))
    else { return }
    judgement.verdict = .mayScan
    judgement.evidence = evidence
    judgement.work = work
    judgement.unendedSteps = work.vmSteps
  }

  // MARK: - By the plan alone

  private func judgeByPlan(_ judgement: inout PlanJudgement) {
    let rows = work.executions > 0 && work.rows > 0 ? work.perRun(\.rows) : nil
    for index in judgement.scans.indices where judgement.scans[index].harmlessBecause == nil {
      guard let rows, let size = judgement.scans[index].size, !size.isEstimate,
        judgement.scans[index].isMandatory,
        !ScanBound.isExceeded(steps: Double(size.rows), rows: rows)
      else { continue }
      judgement.scans[index].harmlessBecause = .returnsAll
    }
    let suspects = judgement.suspects
    if judgement.hasLargeAutomaticIndex || suspects.contains(where: \.isCertain) {
      judgement.verdict = .fullScan
    } else if !suspects.isEmpty {
      judgement.verdict = .mayScan
    } else {
      judgement.verdict = judgement.scans.isEmpty ? .search : .harmlessScan
    }
  }

  // MARK: - The bound

  private func isExceeded(by work: StatementWork, _ judgement: PlanJudgement) -> Bool {
    work.fillsAutomaticIndex
      || ScanBound.isExceeded(
        steps: max(work.perRun(\.fullScanSteps) - partialSteps(judgement), 0)
          + virtualSteps(of: work, judgement),
        rows: work.perRun(\.rows) + skippedRows)
  }

  /// The entries of partial indexes that hold just the rows of the WHERE.
  private func partialSteps(_ judgement: PlanJudgement) -> Double {
    judgement.scans.filter { $0.harmlessBecause == .partialIndex }
      .reduce(0) { $0 + Double($1.size?.rows ?? 0) }
  }

  /// The rows that modules were read for: SQLite counts no full-scan steps of virtual tables.
  ///
  /// A row costs three VM steps at least, to move on, to read a column and to compare it.
  private func virtualSteps(of work: StatementWork, _ judgement: PlanJudgement) -> Double {
    let scans = judgement.scans.filter(\.isVirtual)
    guard !scans.isEmpty else { return 0 }
    let steps = work.perRun(\.vmSteps) / 3
    let size = scans.compactMap(\.size?.rows).max().map(Double.init) ?? steps
    return min(steps, size)
  }

  private func condemn(
    _ judgement: inout PlanJudgement, _ evidence: PlanJudgement.Evidence, _ work: StatementWork?
  ) {
    judgement.verdict = .fullScan
    judgement.evidence = evidence
    judgement.work = work
    guard judgement.suspects.isEmpty, judgement.automaticIndexes.isEmpty, let work else { return }
    let real = judgement.scans.indices.filter { judgement.scans[$0].table != nil }
    // A scan that looked harmless is not harmless if nothing else can have caused the steps.
    if let largest = real.max(by: { judgement.scans[$0].rows < judgement.scans[$1].rows }) {
      judgement.scans[largest].harmlessBecause = nil
    } else {
      judgement.unexplainedFullScanSteps = work.wholePerRun(\.fullScanSteps)
    }
  }

  private func acquit(
    _ judgement: inout PlanJudgement, _ evidence: PlanJudgement.Evidence, _ work: StatementWork,
    _ reason: HarmlessReason
  ) {
    let isFew = work.perRun(\.fullScanSteps) < ScanBound.minRows
    for index in judgement.scans.indices where judgement.scans[index].harmlessBecause == nil {
      judgement.scans[index].harmlessBecause = isFew ? reason : .returnsAll
    }
    judgement.verdict = judgement.scans.isEmpty ? .search : .harmlessScan
    judgement.evidence = evidence
    judgement.work = work
  }
}

extension PlanJudgement.Scan {
  fileprivate var rows: Int { size?.rows ?? 0 }
}
