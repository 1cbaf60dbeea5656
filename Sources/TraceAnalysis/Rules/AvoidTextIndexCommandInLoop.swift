// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidTextIndexCommandInLoop: Rule {
  // As of AvoidQueryInLoop.
  static let minRuns: UInt64 = 10

  static let explanation = RuleExplanation(
    problem: "a full-text command in a loop",
    law: "A full-text index is rebuilt, optimized or checked once, not for each row.",
    reason: """
      'rebuild' reads all rows and indexes them again, 'optimize' writes the whole index again, and 'integrity-check'
      reads both. SQLite counts few VM steps for it, since the module of the table does the work.
      """,
    bad: """
      for body in bodies:
        db.execute("INSERT INTO doc(body) VALUES (?)", (body,))
        db.execute("INSERT INTO doc_text(doc_text) VALUES ('rebuild')")        -- reads all of doc, each time
      """,
    good: """
      for body in bodies:
        row = db.execute("INSERT INTO doc(body) VALUES (?)", (body,)).lastrowid
        db.execute("INSERT INTO doc_text(rowid, body) VALUES (?, ?)", (row, body))
      """,
    limits: """
      Reported when 'rebuild', 'optimize' or 'integrity-check' of an FTS3, FTS4 or FTS5 table ran ten times or more at one
      line, with the command in the SQL. A command that is bound as a value, and 'merge', which does a part of the work,
      are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      let work = statement.work
      guard work.count >= Self.minRuns, work.errors < work.count,
        let command = statement.sql.flatMap(TextIndexCommand.init(sql:))
      else { return nil }
      return Finding(
        rule: Self.name, confidence: .high, statement: statement.id,
        caller: statement.profile.mainCaller,
        message: """
          '\(command.kind.rawValue)' of the text index '\(command.table)' ran \(work.count.counted("time")): each run \
          \(command.work).
          """,
        evidence: [.init("runs", work.count), .init("connectionNs", work.connectionTime)],
        fix: command.fix,
        saving: .init(
          atMost: work.connectionTime - work.connectionTime / Int64(clamping: work.count),
          basis: "the time in SQLite of all runs but one"))
    }
  }
}

extension TextIndexCommand {
  fileprivate var work: String {
    switch kind {
    case .rebuild: "reads all rows and indexes them again"
    case .optimize: "writes the whole index again if it has changed"
    case .integrityCheck: "reads the whole index and all rows"
    }
  }

  fileprivate var fix: String {
    switch kind {
    case .rebuild:
      """
      index the row that was written alone: INSERT INTO \(table)(rowid, …) VALUES (?, …), or triggers that do; run \
      'rebuild' once, after rows were loaded without it
      """
    case .optimize:
      "run 'optimize' once, after many rows were loaded: SQLite merges the index by itself after each write"
    case .integrityCheck: "check the index once, not after each write"
    }
  }
}
