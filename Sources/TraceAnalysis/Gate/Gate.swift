// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Holds a run against a baseline, by counts that do not vary.
public struct Gate: Sendable {
  /// By how much VM steps may differ, as a part of them; all other counts are exact.
  public var tolerance: Double
  // Some steps depend on where rows lie in their pages: 2 % is above what that was seen to do.
  public static let defaultTolerance = 0.02

  public init(tolerance: Double = Self.defaultTolerance) { self.tolerance = tolerance }

  /// Compares each statement by its fingerprint, then the totals.
  ///
  /// - Parameters:
  ///   - tags: what this run depends on; a tag that the baseline has with another value is a doubt.
  ///   - plan: explains a statement's SQL, or answers nil without a database.
  public func compare(
    _ profile: Profile, with baseline: BaselineV1, tags: [String: String] = [:],
    plan: (String) -> BaselineV1.Plan? = { _ in nil }
  ) -> GateResult {
    var result = GateResult()
    result.doubts = doubts(profile, baseline, tags)
    let isSameSQLite = profile.sqliteVersion == baseline.sqliteVersion
    if !isSameSQLite {
      result.reservations.append(
        "SQLite \(profile.sqliteVersion ?? "unknown") ran, the baseline is of "
          + "\(baseline.sqliteVersion ?? "unknown"): VM steps and plans cannot be compared")
    }
    let groups = profile.statementGroups
    let known = Dictionary(
      baseline.statements.map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
    let rewritten = Rewriting(from: baseline, to: groups).before
    var all: [BaselineV1.Statement] = []
    for group in groups.values.sorted(by: { $0.fingerprint < $1.fingerprint }) {
      let now = BaselineV1.Statement(
        group, plan: isSameSQLite ? group.statement.sql.flatMap(plan) : nil)
      all.append(now)
      guard let before = known[now.sql] ?? rewritten[now.sql] else {
        result.appeared.append(difference(nil, now, group, isSameSQLite: true))
        continue
      }
      sort(difference(before, now, group, isSameSQLite: isSameSQLite), into: &result)
    }
    let present = Set(groups.keys.map(\.description) + rewritten.values.map(\.sql))
    result.gone = baseline.statements.filter { !present.contains($0.sql) }.map(Self.gone)
    compareTotals(
      of: profile, all, with: baseline, isSameSQLite: isSameSQLite, into: &result)
    return result
  }

  private func doubts(
    _ profile: Profile, _ baseline: BaselineV1, _ tags: [String: String]
  ) -> [String] {
    if profile.isEmpty { return ["the trace holds no events of a store"] }
    var doubts = profile.completeness.doubts
    for (tag, value) in tags.sorted(by: { $0.key < $1.key }) {
      guard let known = baseline.tags[tag], known != value else { continue }
      doubts.append("the baseline is of \(tag)=\(known), this run of \(tag)=\(value)")
    }
    return doubts
  }

  // MARK: - Statements

  private func difference(
    _ before: BaselineV1.Statement?, _ now: BaselineV1.Statement, _ group: StatementGroup,
    isSameSQLite: Bool
  ) -> GateResult.Difference {
    var difference = GateResult.Difference(
      sql: now.sql, sqlBefore: before.flatMap { $0.sql == now.sql ? nil : $0.sql },
      statement: group.statement.id, caller: group.caller, changes: [])
    for (metric, path) in GateMetric.ofStatements where metric != .vmSteps || isSameSQLite {
      let change = GateResult.Change(
        metric: metric, before: before?[keyPath: path] ?? 0, after: now[keyPath: path],
        budget: before?.budget?[metric.rawValue])
      if differs(change) { difference.changes.append(change) }
    }
    if let planBefore = before?.plan, let planAfter = now.plan, planBefore != planAfter {
      difference.planBefore = planBefore
      difference.planAfter = planAfter
    }
    return difference
  }

  func differs(_ change: GateResult.Change) -> Bool {
    // Within its budget a count may rise; below the baseline it is worth a word all the same.
    if change.budget != nil { return change.isWorse || change.after < change.before }
    guard change.metric == .vmSteps else { return change.before != change.after }
    let (before, after) = (Double(change.before), Double(change.after))
    return abs(after - before) > before * tolerance
  }

  /// One count that rose makes the statement a regression, whatever else fell.
  private func sort(_ difference: GateResult.Difference, into result: inout GateResult) {
    if difference.planAfter?.verdict == "error", difference.planBefore?.verdict != "error" {
      result.reservations.append(
        "the database does not know what this statement needs: \(difference.sql ?? "")")
    }
    if difference.planAfter?.verdict == "mayScan", difference.planBefore?.verdict != "fullScan" {
      result.reservations.append(
        "whether this statement scans a table depends on values that are not known: "
          + (difference.sql ?? ""))
    }
    if difference.isWorse {
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

  private static func gone(_ statement: BaselineV1.Statement) -> GateResult.Difference {
    GateResult.Difference(
      sql: statement.sql, statement: nil, caller: .unknown,
      changes: [.init(metric: .count, before: statement.count, after: 0)])
  }
}

extension GateResult.Difference {
  /// The plan matters for the verdict only where it starts or stops to scan.
  fileprivate var isWorse: Bool {
    changes.contains(where: \.isWorse)
      || (planAfter?.verdict == "fullScan" && planBefore?.verdict != "fullScan")
  }

  fileprivate var hasBetterPlan: Bool {
    planBefore?.verdict == "fullScan" && planAfter != nil && planAfter?.verdict != "fullScan"
  }
}
