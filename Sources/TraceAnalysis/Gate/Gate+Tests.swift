// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Gate {
  /// Compares a run test by test: a test is worse where one of its sums rose; the statements that did more there are
  /// reported, each once for all tests.
  func compareTests(
    _ tests: [TestForms], _ processes: UInt64, with known: [TestForms], countsCommits: Bool,
    isSameSQLite: Bool, into result: inout GateResult
  ) {
    let before = Self.counterparts(of: tests, in: known)
    let names = Set(before.values.map(\.name))
    let moved = TestPair.lookupsThatMoved(known, tests, processes: processes)
    let pairs = tests.compactMap { now in before[now.name].map { TestPair($0, now, moved) } }
    if pairs.isEmpty {
      result.reservations.append(
        "none of the baseline's \(known.count.counted("test")) ran: pass the baseline of these tests"
      )
    }
    var causes: [String: GateResult.Difference] = [:]
    for pair in pairs {
      let changes = changes(of: pair, isSameSQLite: isSameSQLite).filter {
        countsCommits || $0.metric != .commits
      }
      let worse = changes.filter(\.isWorse)
      let difference = GateResult.Difference(
        sql: pair.now.total.sql, statement: nil, caller: .unknown, changes: changes)
      if worse.isEmpty {
        if changes.isEmpty { result.unchanged += 1 } else { result.improvements.append(difference) }
      } else if difference.isMixed {
        result.mixed.append(difference)
      } else {
        add(worse, of: pair, to: &causes)
      }
    }
    result.regressions += causes.sorted { $0.key < $1.key }.map(\.value)
    result.appeared += tests.filter { before[$0.name] == nil }.map {
      GateResult.Difference(
        sql: $0.total.sql, statement: nil, caller: .unknown,
        changes: [.init(metric: .count, before: 0, after: $0.total.count)])
    }
    result.gone += known.filter { !names.contains($0.name) }.map { Self.gone($0.total) }
  }

  /// The tests of the baseline by the names in the run: tests of a renamed file have other names.
  private static func counterparts(
    of tests: [TestForms], in known: [TestForms]
  ) -> [String: TestForms] {
    let names = Set(tests.map(\.name))
    var before = Dictionary(
      known.filter { names.contains($0.name) }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    let (files, knownFiles) = (Set(tests.map(\.file)), Set(known.map(\.file)))
    let gone = Dictionary(
      grouping: known.filter { !files.contains($0.file) }, by: \.nameInFile)
    let new = Dictionary(
      grouping: tests.filter { !knownFiles.contains($0.file) }, by: \.nameInFile)
    for (name, tests) in new where tests.count == 1 && !name.isEmpty {
      if let old = gone[name], old.count == 1 { before[tests[0].name] = old[0] }
    }
    return before
  }

  /// The sums of a test that differ.
  private func changes(of pair: TestPair, isSameSQLite: Bool) -> [GateResult.Change] {
    let budget = pair.before.total.budget
    return GateMetric.ofStatements.compactMap { metric, value in
      let budget = budget?[metric.rawValue]
      if metric == .vmSteps {
        guard isSameSQLite else { return nil }
        return budget == nil
          ? pair.stepsChange(tolerance)
          : change(metric, value(pair.before.total), value(pair.now.total), budget: budget)
      }
      let (before, now) = metric == .commits ? pair.commits : pair.sums(value)
      return change(metric, before, now, budget: budget)
    }
  }

  /// The statements that did more in a test, for each count of the test that rose.
  private func add(
    _ changes: [GateResult.Change], of pair: TestPair,
    to causes: inout [String: GateResult.Difference]
  ) {
    var isExplained = false
    for (shape, now) in pair.formsNow.sorted(by: { $0.key < $1.key }) {
      let before = pair.formsBefore[shape]
      let own = changes.compactMap { change -> GateResult.Change? in
        guard let value = change.metric.ofStatement else { return nil }
        let (old, new) = (before.flatMap { value($0.counts) } ?? 0, value(now.counts) ?? 0)
        return new > old ? .init(metric: change.metric, before: old, after: new) : nil
      }
      guard !own.isEmpty else { continue }
      isExplained = true
      let cause = own[0].metric.ofStatement.flatMap { pair.cause(of: shape, $0) } ?? now
      causes[shape, default: .init(of: cause)].add(own, in: pair.now.name)
    }
    guard !isExplained else { return }
    // A budget that was lowered: no statement did more.
    causes["test " + pair.now.name] = GateResult.Difference(
      sql: pair.now.total.sql, statement: nil, caller: .unknown, changes: changes)
  }
}

extension GateResult.Difference {
  fileprivate init(of form: TestForms.Form) {
    self.init(
      sql: form.counts.sql, statement: form.statement, caller: form.caller, changes: [])
  }

  fileprivate mutating func add(_ others: [GateResult.Change], in test: String) {
    tests.append(test)
    for other in others {
      if let index = changes.firstIndex(where: { $0.metric == other.metric }) {
        changes[index].before.add(other.before)
        changes[index].after.add(other.after)
      } else {
        changes.append(other)
      }
    }
  }
}
