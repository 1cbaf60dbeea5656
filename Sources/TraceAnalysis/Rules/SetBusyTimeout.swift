// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct SetBusyTimeout: Rule {
  static let explanation = RuleExplanation(
    problem: "a connection without a busy timeout",
    law: "A connection that shares its database has a busy timeout.",
    reason: """
      Without a busy timeout, a statement fails as soon as another connection holds the lock it needs, even if it is
      released a millisecond later. A timeout applies to one connection: each connection needs its own.
      """,
    bad: """
      sqlite3_open("app.db", &db)                      -- INSERT: SQLITE_BUSY after 0 ms
      """,
    good: """
      sqlite3_open("app.db", &db); sqlite3_busy_timeout(db, 5000)
      """,
    limits: """
      Reported from the first failure on: SQLITE_BUSY without a second attempt, for a statement that did not upgrade a
      read transaction (see UseBeginImmediate). A timeout that was set on another connection, or after the statement,
      has this effect as well. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.refusals ?? []).map { site in
      Finding(
        rule: Self.name, confidence: .high, statement: site.statement, caller: site.location,
        message: """
          It failed \(site.count.counted("time")) with SQLITE_BUSY without a second attempt: the \
          connection has no busy timeout.
          """,
        evidence: [.init("failures", site.count)],
        fix: """
          call sqlite3_busy_timeout(), or run PRAGMA busy_timeout = 5000, on each connection after \
          it is opened
          """)
    }
  }
}
