// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A connection goes back to its pool behind its last statement.
struct ReturnConnection: Rule {
  static let minWaits: UInt64 = 3

  static let explanation = RuleExplanation(
    problem: "a connection that is not returned",
    law: "A connection goes back to its pool behind its last statement.",
    reason: """
      A pool has a fixed number of connections. One that a request keeps is missing to all later ones: they wait for it, and
      fail at their time limit. SQLite sees nothing of that.
      """,
    bad: """
      connection = engine.connect(); rows = connection.execute(query).fetchall()      # and is kept: others wait for 30 s
      """,
    good: """
      with engine.connect() as connection: rows = connection.execute(query).fetchall()
      """,
    limits: """
      Reported when three waits for a connection of SQLAlchemy's QueuePool, or one that ended at its time limit, ended a second
      or more after the last statement of the process. The line is that of this statement: with several open connections,
      the pool's last one. Not reported if the next statement is that of another thread, which did not wait: it had the
      connection. Needs the probe's events of a CPython program; 'attach' examines the threads at its end instead.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.poolWaits ?? []).filter {
      $0.count >= Self.minWaits || $0.failures > 0
    }.map(finding)
  }

  private func finding(_ wait: PoolWaitSite) -> Finding {
    let lines = wait.waiters.compactMap(\.text).joined(separator: ", ")
    let connections =
      wait.connections == 1
      ? "the open connection ran no statement after this one"
      : "the \(wait.connections.grouped) open connections ran no statement after this one"
    return Finding(
      rule: Self.name, confidence: wait.connections == 1 ? .high : .medium,
      statement: wait.holder.statement, caller: wait.holder.location,
      message: """
        \(wait.count.counted("wait")) for a connection of \(wait.pool)'s pool\
        \(lines.isEmpty ? "" : " at \(lines)") took \(wait.time.millisecondsText)\
        \(wait.failures > 0 ? ", and \(wait.failures.grouped) gave up" : ""): \(connections).
        """,
      evidence: [
        .init("waits", wait.count), .init("gaveUp", wait.failures), .init("waitNs", wait.time),
        .init("connections", wait.connections),
      ],
      fix: """
        return the connection to the pool behind its last statement: with engine.connect() as \
        connection
        """,
      saving: .init(atMost: wait.time, basis: "the time the others waited"))
  }
}
