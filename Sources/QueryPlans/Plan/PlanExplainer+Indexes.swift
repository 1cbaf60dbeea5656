// SPDX-License-Identifier: Apache-2.0

extension PlanExplainer {
  /// Finds the indexes that SQLite would use for the scans and the sort of a statement.
  func tryIndexes(_ explanation: inout Explanation) {
    guard var judgement = explanation.judgement else { return }
    let sorts = judgement.sortsByTemporaryBTree
    let scans = judgement.verdict == .fullScan || judgement.verdict == .mayScan
    guard scans || sorts, let trial = currentTrial() else { return }
    let sql = explanation.sql
    let proposals = proposals(for: sql, trial)
    if scans {
      for index in judgement.scans.indices {
        judgement.scans[index].indexes = indexes(
          for: judgement.scans[index], in: sql, proposals, trial)
      }
    }
    if sorts { judgement.sortIndexes = trial.sorting(proposals.sorting(), in: sql) }
    explanation.judgement = judgement
  }

  /// A scan by a trigger, with the indexes that SQLite would use for it.
  func withIndexes(_ scan: PlanJudgement.Scan, in sql: String) -> PlanJudgement.Scan {
    guard let trial = currentTrial() else { return scan }
    var scan = scan
    scan.indexes = indexes(for: scan, in: sql, proposals(for: sql, trial), trial)
    return scan
  }

  private func indexes(
    for scan: PlanJudgement.Scan, in sql: String, _ proposals: IndexProposals, _ trial: IndexTrial
  ) -> [IndexCandidate]? {
    guard scan.harmlessBecause == nil, let table = scan.table else { return nil }
    if scan.isVirtual { return [] }
    return trial.finding(proposals.finding(rowsOf: table), for: scan, in: sql)
  }

  private func proposals(for sql: String, _ trial: IndexTrial) -> IndexProposals {
    IndexProposals(sql: sql, viewSQL: viewSQL, qualified: qualified, columns: trial.columns)
  }
}
