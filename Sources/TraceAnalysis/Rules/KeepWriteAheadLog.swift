// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A program does not delete, rename, replace or truncate the files of a database that is open.
struct KeepWriteAheadLog: Rule {
  static let explanation = RuleExplanation(
    problem: "a file of an open database changed",
    law:
      "A program does not delete, rename, replace or truncate the files of a database that is open.",
    reason: """
      The connection keeps the old file open. It commits into a file without a name, which no other program reads, and
      which is gone when the program ends. The -wal file contains committed rows, and the -journal file is needed to
      undo a transaction.
      """,
    bad: """
      db = sqlite3.connect("app.db"); db.execute("PRAGMA journal_mode = WAL")
      os.remove("app.db-wal")              # the next commits are lost
      """,
    good: """
      db.execute("PRAGMA wal_checkpoint(TRUNCATE)")   # SQLite empties the log
      backup.backup(db)                               # restores into the open database
      """,
    limits: """
      Reported with the line of the call. A note if no statement ran on the connections afterwards, as where a test
      removes its folder. SQLite's own calls, as those of the last close, and raw system calls, as those of Go, are not
      seen; 'trace-report locks' finds such files while the program runs. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let operations: Set = ["truncate", "delete", "rename", "replace"]
    return (workload.profile.locks?.touches ?? []).filter { operations.contains($0.operation) }
      .map { touch in
        let isUsed = touch.usedAfterwards > 0 || touch.operation == "truncate"
        return Finding(
          rule: Self.name, severity: isUsed ? .warning : .note, confidence: .high,
          caller: touch.location, object: touch.path,
          message: """
            \(touch.process) \(touch.action), '\(touch.path)', \(touch.count.counted("time")) while it had the database \
            open\(touch.usedAfterwards > 0 ? ", and ran further statements on it" : "").
            """,
          evidence: [
            .init("calls", touch.count), .init("followedByStatements", touch.usedAfterwards),
          ],
          fix: touch.file == "database"
            ? "close all connections first, or restore with SQLite's backup API into the open database"
            : "leave the file to SQLite: PRAGMA wal_checkpoint(TRUNCATE) empties a log, and the last close removes it"
        )
      }
  }
}
