// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The input of a rule: the runs of one form of a statement at one line of code.
///
/// Statements that differ only in their values are one form. A finding is one rule, one form, one
/// line of code.
@dynamicMemberLookup
struct JudgedStatement {
  /// The statement; it has one caller.
  var profile: StatementProfile
  var judgement: PlanJudgement
  var plan: QueryPlan?
  /// The clauses of its SQL.
  ///
  /// A text may have thousands of parameters, and many rules need them.
  let clauses: StatementClauses
  /// The SQL; each column of a join has its table, if the database is known.
  var qualifiedSQL: String
  /// Functions and collations that only the program has, as far as the database showed.
  var standIns: [String] = []
  /// Whether it names a table or a column that the program removed later, so that no index was tried.
  var isOfEarlierSchema = false
  /// Whether Core Data's log reported it.
  var isFromCoreData = false
  /// The names of the program's data model, if it was passed.
  var names: ModelNames?
  /// The number of texts of the form, which differ in their values.
  var texts = 1
  /// The name of the database of these runs, where the statement takes far fewer steps on another; otherwise nil.
  var database: String?

  subscript<T>(dynamicMember path: KeyPath<StatementProfile, T>) -> T { profile[keyPath: path] }
}

/// A form of a statement at one line of code, as a whole and text by text.
struct StatementForm {
  var whole: JudgedStatement
  /// By their work, most first; empty if the form has one text.
  var texts: [JudgedStatement] = []

  /// The finding of a rule for the whole form, otherwise for the text that did most work.
  func finding(_ check: (JudgedStatement) -> Finding?) -> Finding? {
    check(whole) ?? texts.lazy.compactMap(check).first
  }
}

extension Workload {
  /// The findings of a rule for each form at each line of code.
  func findings(_ check: (JudgedStatement) -> Finding?) -> [Finding] {
    forms.compactMap { $0.finding(check) }
  }

  static func forms(
    of profile: Profile, names: ModelNames?,
    _ explain: (StatementProfile, _ database: String?) -> PlanExplainer.Explanation?
  ) -> [StatementForm] {
    let hasCoreData = profile.hasCoreDataLog
    let groups = Dictionary(grouping: profile.statements) {
      SQLFingerprint(sql: $0.sql ?? "unknown_\($0.id)")
    }
    return groups.sorted { $0.key < $1.key }.flatMap { _, texts in
      let byLine = Dictionary(
        grouping: texts.flatMap { text in
          text.byCaller.map { DatabasePart($0, of: profile.databaseRuns[text.id] ?? []) }
        }
      ) { $0.statement.mainCaller }
      return byLine.sorted { $0.key.sortKey < $1.key.sortKey }.map { _, runs -> StatementForm in
        var form = form(
          runs.sorted { $0.statement.isHeavier(than: $1.statement) }, explain)
        form.whole.isFromCoreData = hasCoreData && form.whole.isOfObjects && !form.whole.isCounted
        form.whole.names = names
        for index in form.texts.indices {
          form.texts[index].names = names
          form.texts[index].isFromCoreData = form.whole.isFromCoreData
        }
        return form
      }
    }
  }

  /// - Parameter runs: the texts of the form at one line, by their work.
  private static func form(
    _ runs: [DatabasePart],
    _ explain: (StatementProfile, _ database: String?) -> PlanExplainer.Explanation?
  ) -> StatementForm {
    func judged(_ part: DatabasePart) -> JudgedStatement {
      let statement = part.statement
      let explanation = explain(statement, part.database?.path)
      let isOfEarlierSchema = explanation?.isOfEarlierSchema ?? false
      let clauses = StatementClauses(sql: statement.sql ?? "")
      // Statements on an attached database or a temporary table have no plan, but their counts.
      guard let explanation, let judgement = explanation.judgement else {
        let judge = PlanJudge(sql: statement.sql ?? "", work: statement.statementWork)
        return JudgedStatement(
          profile: statement, judgement: judge.judge(nil), clauses: clauses,
          qualifiedSQL: statement.sql ?? "", isOfEarlierSchema: isOfEarlierSchema,
          database: part.database?.name)
      }
      return JudgedStatement(
        profile: statement, judgement: judgement, plan: explanation.plan, clauses: clauses,
        qualifiedSQL: explanation.qualifiedSQL,
        standIns: explanation.standIns, database: part.database?.name)
    }
    guard runs.count > 1, var whole = runs.first else {
      return StatementForm(whole: judged(runs[0]))
    }
    for other in runs.dropFirst() {
      whole.statement.add(other.statement)
      if whole.database?.path != other.database?.path { whole.database = nil }
    }
    var form = StatementForm(whole: judged(whole))
    form.whole.texts = runs.count
    // 100 is arbitrary: the texts that did most work are among them.
    form.texts = runs.prefix(100).map(judged)
    return form
  }
}

/// The runs of a statement at one line of code: on the database with most steps a run, where another takes far fewer.
private struct DatabasePart {
  var statement: StatementProfile
  var database: DatabaseRuns?

  init(_ statement: StatementProfile, of databases: [DatabaseRuns]) {
    self.statement = statement
    var heaviest: StatementCounts?
    for runs in databases {
      guard let work = runs.callers[statement.mainCaller] else { continue }
      if let heaviest, !work.isHeavier(than: heaviest) { continue }
      (heaviest, database) = (work, runs)
    }
    if let heaviest { self.statement.work = heaviest }
  }
}

extension StatementProfile {
  /// The runs of each line of code; repeats belong to the line with most runs.
  fileprivate var byCaller: [Self] {
    guard callers.count > 1 else { return [self] }
    let busiest = callers.max {
      ($0.work.count, $1.location.sortKey) < ($1.work.count, $0.location.sortKey)
    }
    return callers.map { caller in
      var part = self
      part.work = caller.work
      part.misses = caller.misses
      part.latency = caller.latency
      part.callers = [caller]
      if caller.location != busiest?.location { part.repeats = Repeats() }
      return part
    }
  }
}

extension SourceLocation {
  /// A key that orders lines of code independently of times.
  var sortKey: String { "\(file):\(String(repeating: "0", count: 20 - "\(line)".count))\(line)" }
}
