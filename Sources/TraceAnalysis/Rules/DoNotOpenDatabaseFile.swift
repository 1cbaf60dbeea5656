// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct DoNotOpenDatabaseFile: Rule {
  static let explanation = RuleExplanation(
    problem: "a database file opened beside SQLite",
    law: "A process that has a database open in SQLite does not open its file.",
    reason: """
      SQLite locks the database and the -shm file with POSIX locks, which belong to the process. When any descriptor of
      the file is closed, the kernel cancels all locks of the process on it. Other programs then write during a
      transaction, or overwrite pages that are being read: the file gets malformed.
      """,
    bad: """
      db = sqlite3.connect("app.db")
      open("app.db", "rb").read(16)        # its close cancels the locks of db
      """,
    good: """
      db = sqlite3.connect("app.db")
      db.execute("PRAGMA application_id")  # or: in a process that has no connection
      """,
    limits: """
      Reported with the line that opened the file, otherwise the one that closed it. A note for -wal and -journal, which
      have no locks: a copy of them in use may be torn. Not reported for copies of the file, for a file that no
      connection of the process has open, for descriptors of O_PATH, for connections with nolock or immutable, and for
      SQLite's own calls. Raw system calls, as those of Go, are not seen. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.touches ?? []).filter { $0.operation == "close" }.map { touch in
      let count = touch.count.counted("time")
      return Finding(
        rule: Self.name, severity: touch.isHazard ? .warning : .note, confidence: .high,
        caller: touch.location, object: touch.path,
        message: touch.isHazard
          ? """
          \(touch.process) opened and closed '\(touch.path)' \(count) while it had the database open in SQLite: each \
          close cancels its locks.
          """
          : """
          \(touch.process) opened '\(touch.path)' \(count) while it had the database open in SQLite: what it reads may \
          be torn.
          """,
        evidence: [.init("closes", touch.count)],
        fix:
          "read through the connection (PRAGMA, backup(), VACUUM INTO, sqlite3_serialize), or in a process that has no connection to it"
      )
    }
  }
}
