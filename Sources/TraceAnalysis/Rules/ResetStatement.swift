// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct ResetStatement: Rule {
  static let explanation = RuleExplanation(
    problem: "a statement that stays open",
    law: "A statement is read to its end, or reset, before another one needs its lock.",
    reason: """
      A SELECT that was not read to its end keeps its snapshot and its locks. On the same connection an UPDATE of a
      database that another connection has changed since fails at once with SQLITE_BUSY, DROP TABLE with
      SQLITE_LOCKED, and VACUUM with "SQL statements in progress". A busy timeout has no effect on them.
      """,
    bad: """
      for row in db.execute("SELECT id FROM item"): db.execute("UPDATE item SET seen = 1 WHERE id = ?", row)
      """,
    good: """
      for row in db.execute("SELECT id FROM item").fetchall(): db.execute("UPDATE item SET seen = 1 WHERE id = ?", row)
      """,
    limits: """
      Reported from the first failure on, if a statement of the same connection was open when it happened, or, for
      SQLITE_LOCKED, one of another connection of the process. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.failures ?? []).compactMap { failure in
      failure.obstacle.map { finding(failure, $0) }
    }
  }

  private func finding(_ failure: FailureSite, _ open: LockSite) -> Finding {
    let locationText = open.location.text.map { " at \($0)" } ?? ""
    let name = open.sql.map { "the \(StatementCommand.name(of: $0))" } ?? "a statement"
    let connection = failure.sharesCache ? "of another connection" : "of the same connection"
    let others =
      failure.isBusy ? ", and another connection has committed since it began" : ""
    return Finding(
      rule: Self.name, confidence: .high, statement: failure.site.statement,
      caller: failure.site.location,
      message: """
        It failed \(failure.site.count.counted("time")) with \(failure.error): \(name)\(locationText) \
        \(connection) was still open\(others).
        """,
      evidence: [.init("failures", failure.site.count)],
      fix: failure.isBusy
        ? """
        read all of its rows first (fetchall), or run BEGIN IMMEDIATE before it; a busy timeout has \
        no effect here
        """
        : failure.sharesCache
          ? "end the other connection's statement or transaction first, or open without shared cache"
          : "read it to its end, close its cursor, or fetch its only row with LIMIT 1 and fetchall")
  }
}
