// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidRepeatedFetch: Rule {
  // 10 is arbitrary: fewer repeats than a screen has rows.
  static let minRepeats: UInt64 = 10

  static let explanation = RuleExplanation(
    problem: "a query that is repeated",
    law: "A fetch is not repeated while its result has not changed.",
    reason: """
      A fetch always queries the database, even for objects that are registered in the context. In a loop, or for each
      row of a list, the same query runs each time.
      """,
    bad: """
      for photo in photos { photo.author = try context.fetch(me).first }
      -- SELECT … FROM ZAUTHOR t0 WHERE  t0.ZNAME = ?      184 times, with the same value
      """,
    good: """
      let author = try context.fetch(me).first
      for photo in photos { photo.author = author }
      -- SELECT … FROM ZAUTHOR t0 WHERE  t0.ZNAME = ?      once
      """,
    limits: """
      Reported when ten runs or more of one statement had values that it had run with before. A run after a commit of
      the same process is not a repeat, because the rows may have changed, and neither is a run with other values.
      Runs on another connection are none either: each request of a server may have its own. A note where most repeats
      have more than four other statements between them and the run before, or a second, or both five milliseconds and
      fifty times their own time: they may be of several requests, or polls. A note as well where no value ran more than
      twice. The repeats of a statement that
      AvoidQueryInLoop reports are part of that finding. Another process may have written in between, which the trace does
      not show. Of a text without parameters, all runs have the same values, unless SQLite changes the result by itself, as
      of random(). Needs the values' hashes: LTTng traces and debug logs have them, Core Data's log does not.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let loops = workload.profile.observed?.loops ?? []
    return workload.findings { statement in
      let repeats = statement.repeats
      guard repeats.runs >= Self.minRepeats, StatementCommand.isOwnWork(statement.sql ?? "") else {
        return nil
      }
      let all = runs(of: statement, in: workload)
      // The repeats of a loop are part of its finding; repeats of other lines are not.
      let isOfLoop = loops.contains {
        $0.child == statement.id && $0.childLocation == statement.profile.mainCaller
          && all.count < $0.runs.saturatingSum(Self.minRepeats)
      }
      guard !isOfLoop else { return nil }
      let lines = all.lines > 1 ? " at \(all.lines.grouped) lines" : ""
      // The requests of a server run the same statements on connections of a pool.
      // No value of a loop runs twice alone; some drivers run each query twice.
      let isNear =
        statement.profile.observedRuns == nil
        || repeats.mostOfOneValue > 2 && (repeats.near ?? 0) * 2 >= repeats.runs
      return Finding(
        rule: Self.name, severity: isNear ? .warning : .note,
        confidence: isNear ? .medium : .low, statement: statement.id,
        caller: statement.profile.mainCaller,
        message: """
          \(repeats.runs.grouped) of \(all.count.counted("run"))\(lines) had the same values as \
          a run before, with no commit in between; one value ran \
          \(repeats.mostOfOneValue.counted("time")).
          """,
        evidence: [
          .init("runs", all.count), .init("repeats", repeats.runs),
          .init("mostOfOneValue", repeats.mostOfOneValue), .init("repeatNs", repeats.time),
        ],
        fix: statement.clauses.isCount
          ? "count once, before the loop, and keep the number; count again when a "
            + (statement.isOfObjects ? "save" : "write") + " may have changed it"
          : statement.isOfObjects
            ? "fetch once, before the loop, and keep the objects; an object whose id is known comes "
              + "from the context without SQL" : "run it once, before the loop, and keep its rows",
        saving: .init(
          atMost: repeats.time, basis: "the time of all runs but the first of each value"))
    }
  }

  /// The runs among which the repeats of a statement were counted: the runs of all its lines.
  private func runs(
    of statement: JudgedStatement, in workload: Workload
  ) -> (count: UInt64, lines: UInt64) {
    let line = statement.profile.mainCaller
    let form = SQLFingerprint(sql: statement.sql ?? "")
    let texts = workload.profile.statements.filter { text in
      text.callers.contains { $0.location == line }
        && (text.id == statement.id
          || statement.texts > 1 && SQLFingerprint(sql: text.sql ?? "") == form)
    }
    let count = texts.reduce(UInt64(0)) { $0.saturatingSum($1.work.count) }
    let lines = Set(texts.flatMap(\.callers).map(\.location)).count
    return (max(count, statement.work.count), UInt64(lines))
  }
}
