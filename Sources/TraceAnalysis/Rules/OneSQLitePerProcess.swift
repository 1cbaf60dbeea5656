// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct OneSQLitePerProcess: Rule {
  static let explanation = RuleExplanation(
    problem: "two copies of SQLite on one file",
    law: "A process opens a database through one copy of SQLite.",
    reason: """
      Each copy has its own list of the locks that the process holds. When one copy closes the file, the kernel
      cancels the locks of the other one, and its last close deletes the log that the other one writes.
      """,
    bad: """
      import sqlite3; a = sqlite3.connect("app.db")     # libsqlite3.so of the system
      import apsw; b = apsw.Connection("app.db")        # a copy of its own
      """,
    good: """
      import apsw; a = apsw.Connection("app.db"); b = apsw.Connection("app.db")
      """,
    limits: """
      Reported if a connection is opened while another one to the same file is open in the same process through
      another copy, with the line of the first statement of the second one. Copies that the probe does not observe are
      missing. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.copies ?? []).filter { !$0.libraries.isEmpty }.map { shared in
      Finding(
        rule: Self.name, confidence: .high, caller: shared.location ?? .unknown,
        object: shared.path,
        message: """
          \(shared.process) has '\(shared.path)' open through \(shared.libraries.joined(separator: " and ")): \
          a close by one of them cancels the locks of the other one.
          """,
        evidence: [.init("copies", shared.libraries.count)],
        fix: "open the database through one driver, or build both drivers with one library")
    }
  }
}
