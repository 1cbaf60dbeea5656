// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A test in the baseline and in the run, its statements by their shape.
struct TestPair {
  var before: TestForms
  var now: TestForms
  /// The shapes that both sides compare.
  private(set) var formsBefore: [String: TestForms.Form]
  private(set) var formsNow: [String: TestForms.Form]

  init(_ before: TestForms, _ now: TestForms, _ moved: Set<String>) {
    self.before = before
    self.now = now
    (formsBefore, formsNow) = (before.byShape, now.byShape)
    for shape in moved where formsBefore[shape]?.counts.count != formsNow[shape]?.counts.count {
      formsBefore[shape] = nil
      formsNow[shape] = nil
    }
  }

  /// The sums of a count before and now; the test's own sums if the baseline has no forms.
  func sums(_ value: GateMetric.OfStatement) -> (before: UInt64?, now: UInt64?) {
    guard before.total.forms != nil else { return (value(before.total), value(now.total)) }
    func sum(_ forms: [String: TestForms.Form]) -> UInt64 {
      forms.values.reduce(0) { $0.saturatingSum(value($1.counts) ?? 0) }
    }
    return (sum(formsBefore), sum(formsNow))
  }

  /// The transactions that ended.
  ///
  /// Within a transaction of the test itself, a write is no commit, but would be one outside of it: a savepoint for
  /// several of them is no more.
  var commits: (before: UInt64?, now: UInt64?) {
    let (before, now) = sums(\.commits)
    guard before == 0, let now,
      formsNow.values.allSatisfy({
        ($0.counts.commits ?? 0) == 0 || StatementCommand.releases($0.counts.sql)
      })
    else { return (before, now) }
    let writes = formsBefore.values.reduce(0 as UInt64) {
      $0.saturatingSum(min($1.counts.count, $1.counts.changes ?? 0))
    }
    return (min(writes, now), now)
  }

  /// The line that did more: in a function that did more, the line with as many runs as were added, or with most.
  func cause(of shape: String, _ value: GateMetric.OfStatement) -> TestForms.Form? {
    func lines(_ test: TestForms) -> [TestForms.Form] {
      test.forms.filter { $0.shape == shape }
    }
    func count(_ form: TestForms.Form) -> UInt64 { value(form.counts) ?? 0 }
    let (old, all) = (lines(before), lines(now))
    func sum(_ forms: [TestForms.Form], in function: String?) -> UInt64 {
      forms.reduce(0) { sum, form in
        let isSame = function.flatMap { mine in
          form.function.map { CallerFunction.isSame(mine, $0) }
        }
        return isSame ?? true ? sum.saturatingSum(count(form)) : sum
      }
    }
    let worse = all.filter { sum(all, in: $0.function) > sum(old, in: $0.function) }
      .sorted { ($0.caller.file, $0.caller.line) < ($1.caller.file, $1.caller.line) }
    return worse.last { form in
      count(form) == sum(all, in: form.function) &- sum(old, in: form.function)
    } ?? worse.last { $0.runs == worse.map(\.runs).max() } ?? all.last
  }

  /// The VM steps of the statements of both, for as many runs: nil within the tolerance.
  func stepsChange(_ tolerance: Double) -> GateResult.Change? {
    var (old, new, allowed) = (0.0, 0.0, 0.0)
    for (shape, now) in formsNow where now.counts.fields.hasOwnSteps {
      guard let before = formsBefore[shape], before.counts.count > 0 else { continue }
      let steps = Double(before.counts.counters[.vmSteps] ?? 0) / Double(before.counts.count)
      old += steps * Double(now.counts.count)
      new += Double(now.counts.counters[.vmSteps] ?? 0)
      let columns =
        StatementShape(sql: now.counts.sql).columns - StatementShape(sql: before.counts.sql).columns
      let rows = now.counts.count.saturatingSum(now.counts.rows)
        .saturatingSum(now.counts.changes ?? 0)
      allowed += 2 * Double(max(1, columns)) * Double(rows)
    }
    guard new > old * (1 + tolerance) + allowed else { return nil }
    // A damaged baseline may have any number.
    return .init(
      metric: .vmSteps, before: UInt64(exactly: old.rounded()) ?? .max,
      after: UInt64(exactly: new.rounded()) ?? .max)
  }

  /// The shapes of look-ups that a process keeps: whichever test comes first runs them, once for each process and value.
  ///
  /// All of them together do no more than in the baseline, in each process.
  static func lookupsThatMoved(
    _ before: [TestForms], _ now: [TestForms], processes: UInt64
  ) -> Set<String> {
    func sums(_ tests: [TestForms]) -> [String: TestForms.Form] {
      tests.reduce(into: [:]) { $0.merge($1.byShape) { $0.added($1) } }
    }
    let before = sums(before)
    return Set(
      sums(now).filter { shape, now in
        guard let before = before[shape], now.counts.count == now.firstRuns,
          before.counts.count == before.firstRuns
        else { return false }
        return GateMetric.ofStatements.allSatisfy { metric, value in
          let (old, new) = (value(before.counts) ?? 0, value(now.counts) ?? 0)
          return metric == .vmSteps
            || new <= old.multipliedReportingOverflow(by: max(1, processes)).partialValue
        }
      }.keys)
  }
}

extension TestForms {
  /// Its statements by their shapes.
  fileprivate var byShape: [String: Form] {
    var result: [String: Form] = [:]
    for form in forms {
      result[form.shape] = result[form.shape]?.added(form) ?? form
    }
    return result
  }
}

extension TestForms.Form {
  fileprivate var runs: UInt64 { max(counts.count, counts.commits ?? 0) }

  fileprivate func added(_ other: Self) -> Self {
    var sum = self
    sum.add(other)
    return sum
  }
}
