// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A test in the baseline and in the run, its statements by their shape.
struct TestPair {
  var before: TestForms
  var now: TestForms
  var formsBefore: [String: TestForms.Form]
  var formsNow: [String: TestForms.Form]

  init(_ before: TestForms, _ now: TestForms) {
    self.before = before
    self.now = now
    formsBefore = Self.byShape(before.forms)
    formsNow = Self.byShape(now.forms)
  }

  private static func byShape(_ forms: [TestForms.Form]) -> [String: TestForms.Form] {
    var result: [String: TestForms.Form] = [:]
    for form in forms {
      let shape = StatementShape(sql: form.counts.sql).description
      if result[shape] == nil { result[shape] = form } else { result[shape]?.add(form) }
    }
    return result
  }

  /// The sums of a count before and now; those of the test itself where the baseline has no forms.
  func sums(
    _ value: GateMetric.OfStatement, without moved: Set<String>
  ) -> (before: UInt64?, now: UInt64?) {
    guard before.total.forms != nil else { return (value(before.total), value(now.total)) }
    func sum(_ forms: [String: TestForms.Form]) -> UInt64 {
      forms.reduce(0) { sum, form in
        moved.contains(form.key) ? sum : sum.saturatingSum(value(form.value.counts) ?? 0)
      }
    }
    return (sum(formsBefore), sum(formsNow))
  }

  /// The VM steps of the statements of both, for as many runs: nil within the tolerance.
  ///
  /// Each column more takes one step to read and one to store, for each row and each run; a statement that inserts a row
  /// does not name a column that the table gained.
  func stepsChange(without moved: Set<String>, _ tolerance: Double) -> GateResult.Change? {
    var (old, new, allowed) = (0.0, 0.0, 0.0)
    for (shape, now) in formsNow where !moved.contains(shape) {
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
  static func lookupsThatMoved(_ pairs: [TestPair], processes: UInt64) -> Set<String> {
    struct Sum { var runs: UInt64 = 0, firstRuns: UInt64 = 0 }
    func sums(_ forms: KeyPath<TestPair, [String: TestForms.Form]>) -> [String: Sum] {
      var result: [String: Sum] = [:]
      for (shape, form) in pairs.flatMap({ $0[keyPath: forms] }) {
        result[shape, default: Sum()].runs.add(form.counts.count)
        result[shape, default: Sum()].firstRuns.add(form.firstRuns)
      }
      return result
    }
    let before = sums(\.formsBefore)
    return Set(
      sums(\.formsNow).filter { shape, now in
        guard let before = before[shape] else { return false }
        return now.runs == now.firstRuns && before.runs == before.firstRuns
          && now.runs <= before.runs.multipliedReportingOverflow(by: max(1, processes)).partialValue
      }.keys)
  }
}
