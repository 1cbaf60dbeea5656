// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct BindParameters: Rule {
  // 100 is arbitrary: compiling 100 statements takes a millisecond or more.
  static let minCompiled: UInt64 = 100
  // A statement with more values is a list of varying length.
  static let maxValues = 32
  // Compiling a statement takes as long as 100 to 200 steps.
  static let maxStepsOfSmallRun = 100.0
  // 0.5 ms is arbitrary: ten times the cost of compiling a text. The first statement of a
  // connection reads the schema as well.
  static let minSchemaTime: Nanoseconds = 500_000

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
      a compilation. A note when a connection compiled one text 100 times or more again, and compiling is the larger
      part: a run takes few VM steps, or less time, as of a join of many tables; and when 100 connections or more
      compiled a text for the first time, and read a schema for it that takes half a millisecond or more, and longer than
      the runs. Lists of different lengths, the values of LIMIT and OFFSET, DDL, PRAGMAs and scripts of several statements
      are not reported. Needs the probe's events; compilations in sqlite3_exec() are not counted.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let forms = workload.forms.filter { Self.isCompiledOften($0.whole) }
    let found = forms.compactMap { pastedValues($0) ?? missingCache($0.whole) }
    let reported = Set(found.compactMap(\.statement))
    let others = forms.map(\.whole).filter { !reported.contains($0.id) }
    return found + [newConnections(others, workload.profile)].compactMap { $0 }
  }

  private static func isCompiledOften(_ statement: JudgedStatement) -> Bool {
    guard let compiled = statement.profile.work.compiled, compiled >= minCompiled,
      statement.profile.mainCaller != .unknown
    else { return false }
    let sql = statement.sql ?? ""
    return StatementCommand.isOwnWork(sql) && !StatementCommand.isTransactionControl(sql)
  }

  private func pastedValues(_ form: StatementForm) -> Finding? {
    let statement = form.whole
    let compiled = statement.profile.work.compiled ?? 0
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
      work.perRun(\.vmSteps) <= Self.maxStepsOfSmallRun || work.prepareTime > work.totalTime / 2
    else { return nil }
    return finding(
      statement, again, of: work.compiled ?? again, severity: .note,
      """
      Connections that had compiled this text compiled it \(again.counted("time")) again, \
      for \(work.count.counted("run"))
      """,
      fix: "prepare it once, outside of the loop, and bind other values, or use a cached statement")
  }

  /// The first statements of connections, each of which reads the schema.
  ///
  /// One finding, since one connection is the fix of all.
  private func newConnections(_ statements: [JudgedStatement], _ profile: Profile) -> Finding? {
    // Each process needs one.
    let needed = UInt64(profile.processes.count)
    guard profile.observed?.connections ?? 0 >= needed.saturatingSum(Self.minCompiled) else {
      return nil
    }
    let first = statements.filter(Self.readsSchemas)
      .sorted(by: { $0.profile.work.prepareTime }, then: { $0.profile.id.rawValue }).first
    guard let first, let compiled = first.profile.work.compiled else { return nil }
    let work = first.profile.work
    return finding(
      first, compiled, of: compiled, severity: .note,
      """
      Connections that had not compiled this text compiled it \(compiled.counted("time")), for \
      \(work.count.counted("run")), and read the whole schema for it
      """,
      fix: "keep the connection open, or take it from a pool, so that the schema is read once")
  }

  private static func readsSchemas(_ statement: JudgedStatement) -> Bool {
    let work = statement.profile.work
    guard statement.texts == 1, let compiled = work.compiled, work.recompiled == nil else {
      return false
    }
    return work.prepareTime / Int64(clamping: compiled) >= minSchemaTime
      && work.prepareTime > work.totalTime / 2
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

  /// Whether texts have the same number of values, and values differ elsewhere than in LIMIT and
  /// OFFSET.
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
