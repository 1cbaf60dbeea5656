// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct HandleBusy: Rule {
  static let explanation = RuleExplanation(
    problem: "a failed write that is not repeated",
    law: "A statement that fails with SQLITE_BUSY is run again, or its failure is reported.",
    reason: """
      The data of the failed statement is not in the file. A program that continues as if it were loses the data
      silently.
      """,
    bad: """
      try: db.execute("INSERT INTO event VALUES (?)", (7,))
      except sqlite3.OperationalError: pass
      """,
    good: """
      db.execute("PRAGMA busy_timeout = 5000"); db.execute("INSERT INTO event VALUES (?)", (7,))
      """,
    limits: """
      Reported from the first failure on, if the same thread ran other statements afterwards and no thread of the
      process ran this statement successfully with the same values. A program that keeps the values for later looks the
      same. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let obstructed = workload.profile.locks?.obstructed ?? []
    let refused = Set((workload.profile.locks?.refusals ?? []).map(\.key))
    return (workload.profile.locks?.abandoned ?? []).map { site in
      Finding(
        rule: Self.name, confidence: .medium, statement: site.statement, caller: site.location,
        message: """
          It failed \(site.count.counted("time")) with SQLITE_BUSY; the program \
          continued and did not run it again with these values.
          """,
        evidence: [.init("failures", site.count)],
        fix: obstructed.contains(site.key)
          ? "run it again once the open statement has ended, or report the error to the user"
          : """
          run it again after a failure, \(refused.contains(site.key) ? "set a busy timeout, " : "")\
          or report the error to the user
          """)
    }
  }
}
