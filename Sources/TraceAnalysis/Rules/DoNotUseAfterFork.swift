// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct DoNotUseAfterFork: Rule {
  static let explanation = RuleExplanation(
    problem: "a connection used after fork()",
    law: "A child process does not use a connection that its parent opened.",
    reason: """
      fork() copies the connection, but not its locks. Parent and child write with one state
      of the locks and of the log, and overwrite each other.
      """,
    bad: """
      db = sqlite3.connect("app.db")
      if os.fork() == 0: db.execute("INSERT INTO t VALUES (1)")
      """,
    good: """
      if os.fork() == 0:
          db = sqlite3.connect("app.db"); db.execute("INSERT INTO t VALUES (1)")
      """,
    limits: """
      Reported with the line of the first statement of the child. Not reported if the child leaves the connection
      alone, opens its own, or executes another program, and for databases in memory. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.touches ?? []).filter { $0.operation == "fork" }.map { touch in
      Finding(
        rule: Self.name, confidence: .high, caller: touch.location, object: touch.path,
        message: """
          \(touch.count.counted("child process", "child processes")) of \(touch.process) used a connection to \
          '\(touch.path)' that was opened before fork(): it has none of the locks.
          """,
        evidence: [.init("processes", touch.count)],
        fix:
          "open the connection in the child: after fork(), in post_fork of the server, or with the start method 'spawn'"
      )
    }
  }
}
