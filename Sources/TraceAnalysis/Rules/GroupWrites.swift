// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Writes that belong together are one transaction.
struct GroupWrites: Rule {
  static let minRuns: UInt64 = 100

  static let explanation = RuleExplanation(
    law: "Writes that belong together are one transaction.",
    reason: """
      Outside of a transaction, each INSERT, UPDATE or DELETE is a transaction of its own: it takes the lock, writes the
      log or the journal, and waits for the disk. A thousand of them wait a thousand times, and other writers wait for
      them.
      """,
    bad: """
      for row in rows: db.execute("INSERT INTO item VALUES (?)", row)        -- 1,000 commits
      """,
    good: """
      with db: db.executemany("INSERT INTO item VALUES (?)", rows)           -- 1 commit
      """,
    limits: """
      Reported when one line ran one statement that writes 100 times or more in a row on one thread, outside of a
      transaction, with no statement in between. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.autocommits ?? []).filter { $0.count >= Self.minRuns }.map { site in
      Finding(
        rule: Self.name, confidence: .high, statement: site.statement, caller: site.location,
        message: "It ran \(site.count.counted("time")) in a row, each in a transaction of its own.",
        evidence: [.init("runs", site.count)],
        fix: "run BEGIN IMMEDIATE before the loop and COMMIT after it, or every thousand rows")
    }
  }
}
