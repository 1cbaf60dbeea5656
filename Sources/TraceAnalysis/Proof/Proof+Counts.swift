// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Proof {
  /// Runs and rows that were returned and changed, and the counts that differ by more than the tolerance of VM steps.
  static func counts(of before: [StatementCounts], _ after: [StatementCounts], tolerance: Double)
    -> [GateResult.Change]
  {
    let (old, new) = (before.sum(from: StatementCounts()), after.sum(from: StatementCounts()))
    func count(_ metric: GateMetric, _ value: (StatementCounts) -> UInt64?) -> GateResult.Change? {
      guard let old = value(old), let new = value(new) else { return nil }
      return GateResult.Change(metric: metric, before: old, after: new)
    }
    let always = [
      count(.count, \.count), count(.rows, \.rows), count(.changes) { $0.changes ?? 0 },
    ]
    .compactMap(\.self)
    let others = WorkMetric.counters.map { metric in
      count(.init(rawValue: metric.key)) { $0.known(metric).map { UInt64(clamping: $0) } }
    }
    return always
      + others.compactMap(\.self).filter { count in
        guard count.metric == .vmSteps else { return count.before != count.after }
        let change = Double(count.after) - Double(count.before)
        return abs(change) > Double(count.before) * tolerance
      }
  }

  /// The counts of whole runs that differ, which tests do not divide.
  static func counts(of before: Profile, _ after: Profile) -> [GateResult.Change] {
    let sums: [(GateMetric, Measures, (Profile) -> UInt64)] = [
      (.commits, [], { $0.waits.commits }),
      (.cacheMisses, .cacheMisses, { $0.totals.cacheMisses }),
      (.faults, .faults, { $0.totals.faults.saturatingSum($0.totals.relationshipFaults) }),
      (.init(rawValue: "saves"), .saves, { $0.totals.saves }),
    ]
    return sums.compactMap { metric, measure, sum in
      guard
        [before, after].allSatisfy({
          $0.measures.contains(measure) && ($0.observed != nil || metric != .commits)
        })
      else { return nil }
      let count = GateResult.Change(metric: metric, before: sum(before), after: sum(after))
      return count.before == count.after ? nil : count
    }
  }
}

extension Proof.Pair {
  init(before: [ProvenForm], after: [ProvenForm], basis: Proof.Basis) {
    func sides(_ forms: [ProvenForm]) -> [Proof.Side] {
      forms.map { .init(sql: $0.sql, runs: $0.work.count, rows: $0.comparedRows) }
    }
    self.init(before: sides(before), after: sides(after), basis: basis)
    works = [
      before.map(\.work).sum(from: StatementCounts()),
      after.map(\.work).sum(from: StatementCounts()),
    ]
    guard isRewritten else { return }
    // One step to read a column and one to store it.
    let columns = [before, after].map { forms in
      forms.map { $0.columns.multipliedReportingOverflow(by: 2 * $0.comparedRows).partialValue }
        .sum(from: 0)
    }
    stepsOfColumns = columns[1].since(columns[0])
  }

  /// Whether other statements have the rows now.
  var isRewritten: Bool { before.map(\.sql) != after.map(\.sql) }

  /// The counts of SQLite's work that rose; one sentence each.
  func worse(tolerance: Double) -> [Proof.Reason] {
    guard isRewritten, works.count == 2, works.allSatisfy({ $0.known(\.vmSteps) != nil }) else {
      return []
    }
    return WorkMetric.counters.compactMap { metric in
      let (old, new) = (works[0].counter(metric), works[1].counter(metric))
      let isSteps = metric.measure == .vmSteps
      let most = isSteps ? Double(old) * (1 + tolerance) + Double(stepsOfColumns) : Double(old)
      guard Double(new) > most else { return nil }
      return .init("\(metric.title) \(old.grouped) → \(new.grouped)", after.first?.sql)
    }
  }

  /// Whether it is more than the same statement with the same runs.
  public var isChanged: Bool { before != after }
}
