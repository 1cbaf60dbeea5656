// SPDX-License-Identifier: Apache-2.0

import QueryPlans

extension AdviceWorkload {
  /// Merges the statements that differ only in the length of their lists of parameters.
  ///
  ///     SELECT name FROM node WHERE id IN (?, ?)       12 runs
  ///     SELECT name FROM node WHERE id IN (?, ?, ?)     5 runs
  ///
  /// The statement with runs that take about the mean of all stands for them, with the runs of all.
  public mutating func mergeLists() {
    let groups = Dictionary(grouping: statements.indices) { ListForm(sql: statements[$0].sql) }
    statements = groups.values.map { $0.map { statements[$0] }.merged(at: $0[0]) }
      .sorted { $0.index < $1.index }.map(\.statement)
  }
}

/// A statement's form with the values in its text, which decide over partial indexes and plans.
private struct ListForm: Hashable {
  private let form: SQLFingerprint
  private let literals: [Substring]

  init(sql: String) {
    form = SQLFingerprint(sql: sql)
    literals = SQLTokenizer.tokens(of: sql).filter { $0.kind == .number || $0.kind == .text }.map(
      \.text)
  }
}

extension [WorkloadStatement] {
  fileprivate func merged(at index: Int) -> (index: Int, statement: WorkloadStatement) {
    let runs = reduce(0) { $0 &+ $1.runs }
    let steps = reduce(0) { $0 + Double($1.runs) * ($1.counted.vmSteps ?? 0) }
    let mean = steps / Double(Swift.max(runs, 1))
    func distance(_ statement: WorkloadStatement) -> Double {
      abs((statement.counted.vmSteps ?? 0) - mean)
    }
    var middle = self.min { distance($0) < distance($1) } ?? self[0]
    middle.runs = runs
    return (index, middle)
  }
}
