// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct UseBeginImmediate: Rule {
  static let explanation = RuleExplanation(
    problem: "a transaction that becomes a writer late",
    law: "A transaction that reads and then writes begins with BEGIN IMMEDIATE.",
    reason: """
      A deferred transaction that has read has a snapshot. If another connection writes in the meantime, the first write
      cannot wait, because the snapshot would be stale. SQLite fails it at once, whatever the busy timeout is.
      """,
    bad: """
      BEGIN; SELECT stock FROM item WHERE id = 7; UPDATE item SET stock = 3 WHERE id = 7; COMMIT
      -- UPDATE: SQLITE_BUSY after 0 ms
      """,
    good: """
      BEGIN IMMEDIATE; SELECT stock FROM item WHERE id = 7; UPDATE item SET stock = 3 WHERE id = 7; COMMIT
      -- waits at BEGIN, and does not fail later
      """,
    limits: """
      Reported from the first failure on: SQLITE_BUSY without an attempt to wait, in a transaction that had read and not
      yet written. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.upgrades ?? []).map { site in
      Finding(
        rule: Self.name, confidence: .high, statement: site.statement, caller: site.location,
        message: """
          It failed at once with SQLITE_BUSY \(site.count.counted("time")): its transaction had \
          read before, and another connection wrote.
          """,
        evidence: [.init("failures", site.count)],
        fix: "begin this transaction with BEGIN IMMEDIATE; the busy timeout then takes effect")
    }
  }
}
