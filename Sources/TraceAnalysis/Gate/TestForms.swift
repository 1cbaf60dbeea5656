// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The statements of one test by form, as a baseline has them in one line.
///
///     5c3f6a0d1e2b4987 count=10 rows=10 vmSteps=120 in=Shop.books; 9a77c0be01d2f3e4 count=1 rows=10 vmSteps=43
///
/// A count of 0 is left out; `first` are the runs that were the first with their values in the process. `in` is the
/// function, where it is known: a line moves with each change above it.
struct TestForms: Hashable, Sendable {
  /// A form's counts at one line, or in one function, with its text.
  struct Form: Summed, Hashable {
    var counts: BaselineV1.Statement
    var shape: String
    var firstRuns: UInt64 = 0
    var function: String?
    var statement: StatementID?
    var caller = SourceLocation.unknown

    static let sums = Sums<Self, Self>(\.counts, \.firstRuns)

    /// The same in each run of the same code.
    var functionKey: String { "\(counts.sql)\n\(function ?? "")" }
  }

  var name: String
  /// The sums, with the budget; `sql` is `test NAME`.
  var total: BaselineV1.Statement
  var forms: [Form]

  /// `tests/test_app.py` of `tests/test_app.py::TestList::test_empty`; the name itself in other notations.
  var file: Substring { name.firstRange(of: "::").map { name[..<$0.lowerBound] } ?? name[...] }
  /// The test's name without its file, such as `::TestList::test_empty`.
  var nameInFile: Substring { name.dropFirst(file.count) }

  /// The line of a baseline.
  var baseline: BaselineV1.Statement {
    var result = BaselineV1.Statement(sql: total.sql, count: total.count, rows: total.rows)
    result.budget = total.budget
    result.forms = forms.merged(by: \.functionKey) { $0.add($1) }.map { Self.text(of: $0) }.sorted()
      .joined(separator: "; ")
    return result
  }

  // MARK: - From a run

  /// The tests of a run by name; nil without markers.
  static func tests(of profile: Profile) -> [TestForms]? {
    guard let tests = profile.observed?.tests else { return nil }
    let texts = Dictionary(
      profile.statements.map { ($0.id, $0.sql) }, uniquingKeysWith: { first, _ in first })
    let functions = profile.functions
    var shapes: [String: String] = [:]
    return tests.sorted { $0.name < $1.name }.map { test in
      TestForms(
        name: test.name, total: BaselineV1.Statement("test " + test.name, test.work),
        forms: (test.forms ?? []).map { form in
          let sql = (texts[form.statement] ?? nil).map { SQLFingerprint(sql: $0).description }
          var counts = BaselineV1.Statement(sql ?? "unknown_\(form.statement)", form.work)
          let isCommit = Self.isCommit(counts.sql)
          if !isCommit { counts.commits = form.autocommits ?? 0 }
          let shape = shapes[counts.sql] ?? StatementShape(sql: counts.sql).description
          shapes[counts.sql] = shape
          return Form(
            counts: counts, shape: shape,
            firstRuns: isCommit ? 0 : form.firstRuns,
            function: functions[form.caller].map(Self.word),
            statement: form.statement, caller: form.caller)
        })
    }
  }

  /// Whether a statement is compared as a commit, and not as a run: writes that are grouped need a COMMIT that they did
  /// not need before, and end fewer transactions.
  static func isCommit(_ sql: String) -> Bool {
    StatementCommand.commits(sql) || StatementCommand.releases(sql)
  }

  /// Whether a baseline counts the transactions that single statements are; older ones do not.
  static func countCommits(in baseline: BaselineV1) -> Bool {
    baseline.totals.measured?.contains(GateMetric.commits.rawValue) == true
      || baseline.tests?.contains { $0.forms?.contains(" commits=") == true } == true
  }

  static func sums(of tests: [TestForms]) -> [BaselineV1.Statement] {
    tests.flatMap(\.forms).map {
      BaselineV1.Statement(sql: $0.counts.sql, count: $0.counts.count, rows: $0.counts.rows)
    }.merged(by: \.sql) { $0.add($1) }.sorted { $0.sql < $1.sql }
  }

}

// MARK: - As a line

extension TestForms {
  fileprivate static func text(of form: Form) -> String {
    let counts = GateMetric.ofStatements.map { ($0.0.rawValue, $0.1(form.counts) ?? 0) }
    return StatementID(sql: form.counts.sql).description
      + (counts + [("first", form.firstRuns)]).filter { $0.1 > 0 }.map { " \($0.0)=\($0.1)" }
      .joined() + (form.function.map { " in=\($0)" } ?? "")
  }

  /// A function's name as one word of a line: that of C++ has its parameters.
  static func word(_ function: String) -> String {
    String(function.map { $0.isWhitespace || ";=".contains($0) ? "_" : $0 })
  }

  /// Reads a test of a baseline.
  ///
  /// - Parameter texts: the forms of the baseline, by their hashes, with their shapes.
  private init(
    _ test: BaselineV1.Statement, texts: [Substring: (sql: String, shape: String)]
  ) {
    name = String(test.sql.dropFirst("test ".count))
    forms = (test.forms ?? "").split(separator: ";").compactMap { line in
      let words = line.split(separator: " ")
      guard let id = words.first, let (sql, shape) = texts[id] else { return nil }
      var values: [Substring: UInt64] = [:]
      var function: String?
      for word in words.dropFirst() {
        let pair = word.split(separator: "=")
        guard pair.count == 2 else { continue }
        if pair[0] == "in" { function = String(pair[1]) } else { values[pair[0]] = UInt64(pair[1]) }
      }
      if Self.isCommit(sql) {
        // Older baselines have the runs of COMMIT.
        values["commits"] = values["commits"] ?? values["count"]
        (values["count"], values["first"]) = (0, 0)
      }
      return Form(
        counts: BaselineV1.Statement(sql) { values[Substring($0.rawValue)] ?? 0 },
        shape: shape, firstRuns: values["first"] ?? 0, function: function)
    }
    total = test
    guard !forms.isEmpty else { return }
    total = BaselineV1.Statement(test.sql) { metric in
      let value = GateMetric.ofStatements.first { $0.0 == metric }?.1
      return forms.reduce(0) { $0.saturatingSum(value?($1.counts) ?? 0) }
    }
    total.budget = test.budget
    total.forms = test.forms
  }

  /// The tests of a baseline; nil where tests had no names.
  static func tests(of baseline: BaselineV1) -> [TestForms]? {
    let texts = Dictionary(
      baseline.statements.map {
        (
          Substring(StatementID(sql: $0.sql).description),
          (sql: $0.sql, shape: StatementShape(sql: $0.sql).description)
        )
      },
      uniquingKeysWith: { first, _ in first })
    return baseline.tests?.map { TestForms($0, texts: texts) }
  }
}

extension BaselineV1.Statement {
  /// Runs and rows; the rest is unknown.
  fileprivate init(sql: String, count: UInt64, rows: UInt64) {
    self.init(
      fields: .init(sql: sql, count: count, rows: rows, cacheMisses: 0),
      counters: .init { _ in nil })
  }

  fileprivate init(_ sql: String, _ value: (GateMetric) -> UInt64) {
    self.init(
      fields: .init(
        sql: sql, count: value(.count), rows: value(.rows), cacheMisses: value(.cacheMisses),
        changes: value(.changes), errors: value(.errors), commits: value(.commits)),
      counters: .init { value(GateMetric(rawValue: $0.key)) })
  }

  fileprivate init(_ sql: String, _ work: StatementCounts) {
    let isCommit = TestForms.isCommit(sql)
    self.init(
      fields: .init(
        sql: sql, count: isCommit ? 0 : work.count, rows: work.rows, cacheMisses: 0,
        changes: work.changes ?? 0, errors: work.errors, commits: isCommit ? work.count : 0),
      counters: .init(work.counter))
  }
}
