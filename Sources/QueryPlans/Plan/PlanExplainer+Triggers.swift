// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension PlanExplainer {
  /// The triggers and foreign keys by which a write reads tables, where it reads many rows.
  func addActions(_ explanation: inout Explanation) {
    guard var judgement = explanation.judgement else { return }
    let sql = explanation.sql
    if judgement.verdict == .fullScan {
      judgement.triggerScans = triggerScans(of: sql)
      judgement.unindexedReferences = unindexedReferences(of: sql)
    } else if judgement.isOfWrite, let work = judgement.work,
      WorkBound.isExceeded(steps: work.perRun(\.vmSteps), rows: work.perRun(\.rows))
    {
      // SQLite counts no full-scan steps of virtual tables.
      judgement.triggerScans = triggerScans(of: sql).filter(\.scan.isVirtual)
      judgement.triggerAggregates = triggerAggregates(of: sql)
      if !judgement.triggerScans.isEmpty || !judgement.triggerAggregates.isEmpty {
        judgement.verdict = .costlySearch
      }
    }
    explanation.judgement = judgement
  }

  /// The indexes by which triggers and foreign keys would find the rows that they read for a write.
  func actionCandidates(of sql: String) -> [IndexCandidate] {
    guard SQLTokenizer.tokens(of: sql).areOfWrite else { return [] }
    return unindexedReferences(of: sql).map {
      IndexCandidate(table: $0.table, equal: $0.columns, order: [])
    } + triggerScans(of: sql).flatMap { $0.scan.indexes ?? [] }
  }

  /// The scans of the triggers that a write fires: its own plan does not show them.
  func triggerScans(of sql: String) -> [PlanJudgement.TriggerScan] {
    triggeredStatements(of: sql).flatMap(scans)
  }

  private func triggeredStatements(of sql: String) -> [TriggeredStatement] {
    WrittenTable.all(in: sql).flatMap { write in
      triggers(of: write.table).flatMap {
        TriggeredStatement.all(inTrigger: $0, firedBy: write)
      }
    }
  }

  /// The sums and counts that the triggers of a write compute of large tables.
  ///
  /// An index finds their rows, and all of them are read; the extreme of a column is one row of an index.
  private func triggerAggregates(of sql: String) -> [PlanJudgement.TriggerAggregate] {
    triggeredStatements(of: sql).flatMap { statement in
      let outline = StatementOutline(statement.sql)
      return outline.scopes.compactMap { scope -> PlanJudgement.TriggerAggregate? in
        guard scope.hasAggregate, let source = scope.sources.first, let table = source.table,
          IndexProposals.extremes(of: scope, source, outline.tokens).isEmpty,
          let rows = size(of: table)?.rows, Double(rows) >= ScanBound.minRows
        else { return nil }
        return PlanJudgement.TriggerAggregate(trigger: statement.trigger, table: table)
      }
    }
  }

  private func scans(of statement: TriggeredStatement) -> [PlanJudgement.TriggerScan] {
    guard let plan = plan(of: statement.sql) else { return [] }
    let judge = PlanJudge(sql: qualified(statement.sql), source: source)
    return judge.judge(plan).suspects.filter { $0.table != nil }.map {
      PlanJudgement.TriggerScan(
        trigger: statement.trigger, scan: withIndexes($0, in: statement.sql))
    }
  }
}
