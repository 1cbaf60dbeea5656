// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct BindParameters: Rule {
  // 100 is arbitrary: compiling 100 statements takes a millisecond or more.
  static let minCompiled: UInt64 = 100
  // A statement with more values is a list, whose length varies.
  static let maxValues = 32
  // Compiling a statement takes as long as 100 to 200 steps.
  static let maxStepsOfSmallRun = 100.0

  static let explanation = RuleExplanation(
    problem: "a statement compiled for each run",
    law: "A statement is compiled once, and its values are bound.",
    reason: """
      SQLite compiles each text that it is passed: 5 to 50 µs, more than a search by key takes. A driver keeps compiled
      statements by their text, so values in the text defeat its cache. They also have to be quoted.
      """,
    bad: """
      for id in ids: db.execute(f"SELECT name FROM item WHERE id = {id}")     -- 500 texts, compiled 500 times
      """,
    good: """
      for id in ids: db.execute("SELECT name FROM item WHERE id = ?", (id,))  -- one text, compiled once
      """,
    limits: """
      Reported when one line ran 100 texts or more that differ only in their values, and nearly each run was preceded by
      a compilation. A note when a connection compiled one text 100 times or more again, and a run takes so few VM steps
      that compiling is the larger part. Lists of different lengths, the values of LIMIT and OFFSET, DDL, PRAGMAs and
      scripts of several statements are not reported. Needs the probe's events; compilations in sqlite3_exec() are not
      counted.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.forms.compactMap { form in
      let statement = form.whole
      guard let compiled = statement.profile.work.compiled, compiled >= Self.minCompiled,
        statement.profile.mainCaller != .unknown,
        StatementCommand.isOwnWork(statement.sql ?? ""),
        !StatementCommand.isTransactionControl(statement.sql ?? "")
      else { return nil }
      return pastedValues(form, compiled) ?? missingCache(statement)
    }
  }

  private func pastedValues(_ form: StatementForm, _ compiled: UInt64) -> Finding? {
    let statement = form.whole
    let texts = UInt64(statement.texts)
    // The others are found in the driver's cache.
    guard texts >= Self.minCompiled, compiled >= statement.profile.work.count / 10 * 9,
      Self.differInValues(form.texts.map { $0.sql ?? "" })
    else { return nil }
    return finding(
      statement, compiled, of: compiled, severity: .warning,
      """
      \(texts.counted("text")) that differ only in their values were compiled \
      \(compiled.counted("time")) for \(statement.profile.work.count.counted("run"))
      """,
      fix: "write ? for each value and bind it, so that the driver compiles one text once")
  }

  private func missingCache(_ statement: JudgedStatement) -> Finding? {
    let work = statement.profile.work
    guard statement.texts == 1, let again = work.recompiled, again >= Self.minCompiled,
      work.perRun(\.vmSteps) <= Self.maxStepsOfSmallRun
    else { return nil }
    return finding(
      statement, again, of: work.compiled ?? again, severity: .note,
      """
      Connections that had compiled this text compiled it \(again.counted("time")) again, \
      for \(work.count.counted("run"))
      """,
      fix: "prepare it once, outside of the loop, and bind other values, or use a cached statement")
  }

  private func finding(
    _ statement: JudgedStatement, _ saved: UInt64, of compiled: UInt64,
    severity: Finding.Severity, _ counts: String, fix: String
  ) -> Finding {
    let time = statement.profile.work.prepareTime
    return Finding(
      rule: Self.name, severity: severity, confidence: .high, statement: statement.id,
      caller: statement.profile.mainCaller,
      message: "\(counts); compiling took \(time.millisecondsText).",
      evidence: [
        .init("texts", statement.texts), .init("compiled", compiled), .init("prepareNs", time),
      ],
      fix: fix,
      saving: .init(
        atMost: Int64(Double(time) / Double(compiled) * Double(max(saved, 1) - 1)),
        basis: "the time of compiling it, but for one time"))
  }

  /// Whether texts have the same number of values, and others than those of LIMIT and OFFSET differ.
  private static func differInValues(_ texts: [String]) -> Bool {
    let values = texts.map { sql -> [Substring] in
      let tokens = SQLTokenizer.tokens(of: sql)
      return tokens.indices.filter { index in
        guard [.number, .text].contains(tokens[index].kind) else { return false }
        return index == 0 || !["LIMIT", "OFFSET"].contains(where: tokens[index - 1].isWord)
      }.map { tokens[$0].text }
    }
    return Set(values).count > values.count / 2 && Set(values.map(\.count)).count == 1
      && values[0].count <= maxValues
  }
}
