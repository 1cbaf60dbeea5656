// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A statement that fails with SQLITE_BUSY is run again, or its failure is reported.
struct HandleBusy: Rule {
  static let explanation = RuleExplanation(
    law: "A statement that fails with SQLITE_BUSY is run again, or its failure is reported.",
    reason: """
      What the statement was to write is not in the file. A program that goes on as if it were loses data without a trace.
      """,
    bad: """
      try: db.execute("INSERT INTO event VALUES (?)", (7,))
      except sqlite3.OperationalError: pass
      """,
    good: """
      db.execute("PRAGMA busy_timeout = 5000"); db.execute("INSERT INTO event VALUES (?)", (7,))
      """,
    limits: """
      Reported from one failure on, where the same thread ran other statements afterwards and no thread of the process ran
      this one with the same values successfully. A program that keeps the values for later looks the same. Needs the probe's
      events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.abandoned ?? []).map { site in
      Finding(
        rule: Self.name, confidence: .medium, statement: site.statement, caller: site.location,
        message: """
          It failed \(site.count.counted("time")) with SQLITE_BUSY, the program went on, and it \
          did not run again with these values.
          """,
        evidence: [.init("failures", site.count)],
        fix: "run it again after a failure, set a busy timeout, or report the error to the user")
    }
  }
}
