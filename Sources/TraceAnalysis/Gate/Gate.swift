// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Compares a run with a baseline, by counts that do not vary.
public struct Gate: Sendable {
  /// The tolerated relative difference of VM steps; all other counts are exact.
  public var tolerance: Double
  // Some steps depend on the position of rows in their pages; 2% is above the observed variation.
  /// The default tolerance, 2%.
  public static let defaultTolerance = 0.02
  /// Whether an input that cannot show that it has all is taken for whole.
  public var assumesComplete = false
  /// Whether the work of a program that failed is compared.
  public var allowsMissing = false
  /// Whether the caller compares the rows of statements with changed SQL, which shows that it is
  /// the same program.
  var comparesRows = false

  /// Makes a gate that tolerates this relative increase of a count.
  public init(tolerance: Double = Self.defaultTolerance) { self.tolerance = tolerance }

  /// Compares each statement by its fingerprint, then the totals.
  ///
  /// - Parameters:
  ///   - profile: the run.
  ///   - baseline: the counts to compare with.
  ///   - tags: the conditions of this run; a tag that the baseline has with another value is a
  ///     doubt.
  ///   - findings: the findings of the run with its database; nil without one.
  ///   - plan: explains a statement's SQL, or returns nil without a database.
  public func compare(
    _ profile: Profile, with baseline: BaselineV1, tags: [String: String] = [:],
    findings: [Finding]? = nil, plan: (String) -> BaselineV1.Plan? = { _ in nil }
  ) -> GateResult {
    let baseline = baseline.withCurrentForms
    var result = GateResult()
    result.doubts = doubts(profile, baseline, tags)
    result.reservations = profile.reservations(
      assumingComplete: assumesComplete, allowingMissing: allowsMissing)
    // Older baselines of logs without a version have "".
    let isSameSQLite = profile.sqliteVersion ?? "" == baseline.sqliteVersion ?? ""
    if !isSameSQLite {
      result.reservations.append(
        "SQLite \(profile.sqliteVersion ?? "unknown") ran, the baseline is of "
          + "\(baseline.sqliteVersion ?? "unknown"): VM steps and plans cannot be compared")
    }
    var isNoMore: (KnownFinding) -> Bool = { _ in false }
    if let known = TestForms.tests(of: baseline), !known.isEmpty {
      let tests = TestForms.tests(of: profile) ?? []
      let countsCommits = TestForms.countCommits(in: baseline)
      if !countsCommits {
        result.remarks.append(
          "Commits are not compared: the baseline is older than this count. Write it again with --update."
        )
      }
      compareTests(
        tests, profile.observed?.testProcesses ?? 1, with: known, countsCommits: countsCommits,
        isSameSQLite: isSameSQLite, into: &result)
      let (before, now) = (WorkPerTest(known), WorkPerTest(tests))
      isNoMore = { now.isNoMore($0, than: before) }
    } else {
      compareStatements(of: profile, with: baseline, isSameSQLite, plan, into: &result)
    }
    let isFromDatabase = baseline.warningsNeedDatabase == true
    compareFindings(
      isFromDatabase ? findings ?? profile.findings : profile.findings, of: profile, with: baseline,
      without: isNoMore, into: &result)
    return result
  }

  private func compareStatements(
    of profile: Profile, with baseline: BaselineV1, _ isSameSQLite: Bool,
    _ plan: (String) -> BaselineV1.Plan?, into result: inout GateResult
  ) {
    let groups = profile.statementGroups
    let known = Dictionary(
      baseline.statements.map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
    let rewritten = Rewriting(from: baseline, to: groups).before
    let ordered = groups.values.sorted { $0.fingerprint < $1.fingerprint }
    let all = ordered.map {
      BaselineV1.Statement($0, plan: isSameSQLite ? $0.statement.sql.flatMap(plan) : nil)
    }
    var uncounted = UncountedMetrics()
    var uncomparedPlans: UInt64 = 0
    for (group, now) in zip(ordered, all) {
      guard let before = known[now.sql] ?? rewritten[now.sql] else {
        var difference = difference(nil, now, group, isSameSQLite: true)
        if let plan = now.plan, plan.isCostly || plan.verdict == "error" {
          difference.planAfter = plan
        }
        addAppeared(difference, into: &result)
        continue
      }
      uncounted.compare(before, now)
      if isSameSQLite, before.plan != nil, now.plan == nil { uncomparedPlans += 1 }
      let difference = difference(before, now, group, isSameSQLite: isSameSQLite)
      let joined =
        difference.sqlBefore != nil && difference.isWorse
        ? joined(
          difference, before, now, baseline.statements, all, isSameSQLite: isSameSQLite) : nil
      sort(joined ?? difference, into: &result)
    }
    let present = Set(groups.keys.map(\.description) + rewritten.values.map(\.sql))
    if !comparesRows { result.reservations += Self.doubtOfProgram(baseline, present) }
    result.gone = baseline.statements.filter { !present.contains($0.sql) }.map(Self.gone)
    uncounted.compare(baseline.totals, BaselineV1.Totals(profile))
    result.reservations += uncounted.sentences
    if uncomparedPlans > 0 {
      result.reservations.append(
        "the baseline has the plans of \(uncomparedPlans.counted("statement")) that this run has no "
          + "plan of: pass the database with --database")
    }
    let grouped = GroupedWrites(from: baseline.statements, to: all)
    var (old, now) = (baseline, all)
    let control = grouped.removeControl(from: &old.statements, &now, &result.appeared)
    compareTotals(of: profile, now, with: old, isSameSQLite: isSameSQLite, into: &result)
    result.appeared += control
  }

  /// A warning that the baseline's run did not have is a regression, however little it is of the whole.
  private func compareFindings(
    _ findings: [Finding], of profile: Profile, with baseline: BaselineV1,
    without isNoMore: (KnownFinding) -> Bool, into result: inout GateResult
  ) {
    guard let known = baseline.warnings else { return }
    // A budget accepts the work of its statement.
    let accepted = Set(baseline.statements.filter { $0.budget != nil }.map(\.sql))
    let all = KnownFinding.gating(findings, in: profile)
    var reported: Set<KnownFinding> = []
    let comparison = FindingComparison(
      known, all.map(\.known),
      functions: Set(profile.functions.map { .init($0.key.file, $0.value) }))
    for index in comparison.new {
      let (finding, own) = all[index]
      guard own.sql.map(accepted.contains) != true, !isNoMore(own), reported.insert(own).inserted
      else { continue }
      // The statement that does more may be reported already, with its tests.
      if let index = result.regressions.firstIndex(where: {
        $0.finding == nil && $0.sql != nil && $0.sql == own.sql
      }) {
        result.regressions[index].finding = finding
      } else {
        result.regressions.append(
          GateResult.Difference(
            sql: own.sql, statement: finding.statement, caller: finding.caller, finding: finding,
            changes: []))
      }
    }
  }

  private func doubts(
    _ profile: Profile, _ baseline: BaselineV1, _ tags: [String: String]
  ) -> [String] {
    if profile.isEmpty { return ["the trace holds no events of a store"] }
    let names = Set(tags.keys).union(baseline.tags.keys).sorted()
    return profile.comparisonDoubts
      + names.compactMap { tag in
        switch (baseline.tags[tag], tags[tag]) {
        case (let known?, let value?) where known != value:
          "the baseline has \(tag)=\(known), this run has \(tag)=\(value)"
        case (let known?, nil):
          "the baseline has \(tag)=\(known), this run has no tag \(tag); if it is the same, pass "
            + "--tag \(tag)=\(known)"
        case (nil, let value?): "this run has \(tag)=\(value), the baseline has no tag \(tag)"
        default: nil
        }
      }
  }

  /// Another program does less of everything that the baseline counts.
  private static func doubtOfProgram(_ baseline: BaselineV1, _ present: Set<String>) -> [String] {
    let own = baseline.statements.filter { !StatementCommand.isTransactionControl($0.sql) }
    // All one or two statements of a test may have been rewritten.
    guard own.count > 2, !own.contains(where: { present.contains($0.sql) }) else { return [] }
    return [
      "none of the baseline's \(own.count) statements ran: if this is the program that it was made "
        + "of, and all of its SQL has changed, make a new baseline"
    ]
  }

  // MARK: - Statements

  private func difference(
    _ before: BaselineV1.Statement?, _ now: BaselineV1.Statement, _ group: StatementGroup,
    isSameSQLite: Bool
  ) -> GateResult.Difference {
    var difference = GateResult.Difference(
      sql: now.sql, sqlBefore: before.flatMap { $0.sql == now.sql ? nil : $0.sql },
      statement: group.statement.sharedID, caller: group.caller,
      changes: changes(before, now, isSameSQLite: isSameSQLite))
    if let planBefore = before?.plan, let planAfter = now.plan, planBefore != planAfter {
      difference.planBefore = planBefore
      difference.planAfter = planAfter
    }
    return difference
  }

  func changes(
    _ before: BaselineV1.Statement?, _ now: BaselineV1.Statement, isSameSQLite: Bool
  ) -> [GateResult.Change] {
    let budget = before?.budget
    return GateMetric.ofStatements.compactMap { metric, value in
      // A count that one side lacks is not 0: it is a reservation.
      guard metric != .vmSteps || isSameSQLite && now.fields.hasOwnSteps, let after = value(now),
        let before = before.map(value) ?? 0
      else { return nil }
      return GateResult.Change(
        metric: metric, before: before, after: after, budget: budget?[metric.rawValue])
    }.filter(differs)
  }

  func differs(_ change: GateResult.Change) -> Bool {
    // A count may increase within its budget; a decrease below the baseline is still reported.
    if change.budget != nil { return change.isWorse || change.after < change.before }
    guard change.metric == .vmSteps else { return change.before != change.after }
    let (before, after) = (Double(change.before), Double(change.after))
    return abs(after - before) > before * tolerance
  }

  /// A new statement is no regression by itself, unless its plan is one.
  private func addAppeared(_ difference: GateResult.Difference, into result: inout GateResult) {
    if difference.planAfter?.verdict == "error" {
      result.reservations.append(
        "the database lacks what this new statement needs: \(difference.sql ?? "")")
    }
    result.appeared.append(difference)
  }

  /// One count that rose makes the statement a regression, unless it is a little more of one for
  /// far less of another.
  private func sort(_ difference: GateResult.Difference, into result: inout GateResult) {
    if difference.planAfter?.verdict == "error", difference.planBefore?.verdict != "error" {
      result.reservations.append(
        "the database lacks what this statement needs: \(difference.sql ?? "")")
    }
    if difference.planAfter?.verdict == "mayScan", difference.planBefore?.isCostly != true {
      result.reservations.append(
        "whether this statement scans a table depends on values that are not known: "
          + (difference.sql ?? ""))
    }
    if difference.isMixed {
      result.mixed.append(difference)
    } else if difference.isWorse {
      result.regressions.append(difference)
    } else if difference.sqlBefore != nil {
      result.rewritten.append(difference)
    } else if !difference.changes.isEmpty || difference.hasBetterPlan {
      result.improvements.append(difference)
    } else if difference.planAfter != nil {
      result.replanned.append(difference)
    } else {
      result.unchanged += 1
    }
  }

  static func gone(_ statement: BaselineV1.Statement) -> GateResult.Difference {
    GateResult.Difference(
      sql: statement.sql, statement: nil, caller: .unknown,
      changes: [.init(metric: .count, before: statement.count, after: 0)])
  }
}

extension GateResult.Difference {
  /// The plan matters for the verdict only where it starts or stops to scan.
  var isWorse: Bool { changes.contains(where: \.isWorse) || hasWorsePlan }

  var hasWorsePlan: Bool {
    planAfter?.isCostly == true && planBefore?.isCostly != true
  }

  /// Whether a small increase of VM steps or rows comes with a large decrease of runs or cache
  /// misses.
  var isMixed: Bool {
    !hasWorsePlan && changes.contains(where: \.isWorse) && changes.contains(where: \.isLargeFall)
      && changes.allSatisfy { !$0.isWorse || $0.isSmallRise }
  }

  fileprivate var hasBetterPlan: Bool {
    planBefore?.isCostly == true && planAfter?.isCostly == false
  }
}
