// SPDX-License-Identifier: Apache-2.0

extension PlanExplainer {
  /// The scans of the triggers that a write fires: its own plan does not show them.
  func triggerScans(of sql: String) -> [PlanJudgement.TriggerScan] {
    WrittenTable.all(in: sql).flatMap { write in
      triggers(of: write.table).flatMap { trigger in
        TriggeredStatement.all(inTrigger: trigger, firedBy: write).flatMap(scans)
      }
    }
  }

  private func scans(of statement: TriggeredStatement) -> [PlanJudgement.TriggerScan] {
    guard let plan = plan(of: statement.sql) else { return [] }
    let judge = PlanJudge(sql: qualified(statement.sql), source: .init(size: size))
    return judge.judge(plan).suspects.filter { $0.table != nil }.map {
      PlanJudgement.TriggerScan(
        trigger: statement.trigger, scan: withIndexes($0, in: statement.sql))
    }
  }
}
