// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Plans: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plans",
    abstract: "Explains the plan of every statement, and marks full scans that cost time.",
    discussion: """
      trace-report plans trace/ --database transit.sqlite --fail-on scan
      trace-report plans --database transit.sqlite --sql 'SELECT * FROM ZSTOP WHERE ZNAME = ?'
      trace-report plans --capsule production.capsule
      trace-report plans plan.txt

      Plans as text are an input as well: the output of EXPLAIN QUERY PLAN of any version of SQLite, also within \
      other text, and logs that have plans. They need no database.
      """)

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case scan }

  @Argument(
    help: """
      CTF folders, debug logs, saved reports and plans as text; - is standard input; the newest recording in this \
      folder by default.
      """,
    completion: .file())
  var paths: [String] = []

  @Option(
    help: """
      The program's database; it is only read. By default the file that the program opened, if it is still there.
      """, completion: .file())
  var database: String?

  @OptionGroup var capsule: CapsuleOption

  @OptionGroup var model: ModelOption

  @Option(help: "The SQL to explain in place of a trace; - reads it from standard input.")
  var sql: [String] = []

  @Option(help: "Exit with 2 if a plan contains: scan.")
  var failOn: FailOn?

  @OptionGroup var exceptions: Exceptions

  @Option(
    name: .customLong("statement"),
    help: "Only the statement with this id, or with this beginning of one.")
  var statementID: String?

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @OptionGroup var forms: FormsOption

  mutating func validate() throws {
    if !paths.isEmpty, !sql.isEmpty {
      throw ValidationError("Pass either traces or logs, or --sql.")
    }
    // A capsule has statements of its own.
    if paths.isEmpty, sql.isEmpty, capsule.capsule == nil { paths = [try Recordings.newest()] }
    try forms.validate(json: json)
    if database == nil, capsule.capsule == nil, !sql.isEmpty {
      throw ValidationError("--sql needs --database FILE.")
    }
  }

  func run() throws {
    let result = try report { report in
      guard json else { return Output.print(report.text(.ofStandardOutput)) }
      let plans = PlansV1(report)
      try Output.print(JSONText.encoded(forms.forms ? plans.withForms : plans))
    }
    try judge(result.report, result.list)
  }

  /// Makes the report, and passes it on before the database is found to be damaged.
  @discardableResult
  func report(
    _ output: (PlansReport) throws -> Void
  ) throws -> (report: PlansReport, list: [StatementSource.Statement]) {
    let texts = try PlanTextSource.listings(in: paths)
    let statements = try statements(of: texts)
    let (report, explainer) = try explained(texts, statements)
    try output(report)
    if let explainer, let path = report.database { try explainer.checkIntegrity(of: path) }
    return (report, statements.list)
  }

  private func statements(
    of texts: [String: [PlanTranscript.Listing]]
  ) throws -> StatementSource.Statements {
    let traces = paths.filter { texts[$0] == nil }
    var statements =
      if !traces.isEmpty || !sql.isEmpty {
        try StatementSource(paths: traces, sql: sql).read()
      } else {
        try StatementSource.Statements(ofCapsule: paths.isEmpty ? capsule.capsule : nil)
      }
    if let statementID {
      statements.list.removeAll {
        !$0.id.hasPrefix(statementID)
          && !"\(SharedStatement(sql: $0.sql).id)".hasPrefix(statementID)
      }
    }
    return statements
  }

  private func explained(
    _ texts: [String: [PlanTranscript.Listing]], _ statements: StatementSource.Statements
  ) throws -> (PlansReport, PlanExplainer?) {
    let listings = paths.flatMap { texts[$0] ?? [] }
    let isPlanned = !listings.isEmpty || !statements.plans.isEmpty
    let named = try capsule.path(or: database)
    guard let database = named ?? (isPlanned ? nil : statements.database) else {
      var report = PlansReport(listings, plansOf: statements)
      report.doubts = statements.doubts
      report.names = try model.names(in: nil)
      if let trace = paths.first(where: { texts[$0] == nil }), report.entries.isEmpty {
        throw Failure.noPlan(trace)
      }
      return (report, nil)
    }
    let file = try ReportedDatabase.open(database)
    ReadingInterruption.endProcess()
    let explainer = PlanExplainer(
      file.connection, conditions: statements.conditions(database), values: statements.values)
    var report = PlansReport(
      database: database, sqliteVersion: Connection.libraryVersion,
      entries: listings.map { .init($0, explanation: explainer.explain($0)) }
        + statements.list.map {
          .init(
            id: $0.id, explanation: explainer.explain($0.sql, work: $0.work, on: $0.database),
            work: $0.work, unended: $0.unended)
        }, byForm: sql.isEmpty && listings.isEmpty)
    report.doubts = statements.doubts + CapsuleV1.doubts(of: file.connection)
    report.isFromCapsule = explainer.isFromCapsule
    report.names = try model.names(in: explainer.isFromCapsule ? nil : database)
    // Plans of another database prove nothing; one of them is enough to report the reason.
    let match = report.schemaMatch
    if match.isOtherDatabase {
      try explainer.checkIntegrity(of: database)
      throw Failure.otherDatabase(database, match)
    }
    return (report, explainer)
  }

  /// Full scans that the file of exceptions suppresses at each line that runs them.
  private func suppressedScans(
    _ report: PlansReport, _ statements: [StatementSource.Statement]
  ) throws -> Int {
    let file = try exceptions.file(commentsOf: statements.flatMap(\.callers))
    guard !file.exceptions.isEmpty else { return 0 }
    var book = ExceptionBook(file, today: Exceptions.today)
    func isSuppressed(_ statement: StatementSource.Statement, at caller: SourceLocation) -> Bool {
      Rules.ofScans.sorted().contains {
        book.exception(
          rule: $0, caller: caller,
          statement: UInt64(statement.id, radix: 16).map(StatementID.init(rawValue:)),
          sql: statement.sql) != nil
      }
    }
    let byID = Dictionary(statements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return report.entries.count { entry in
      entry.explanation.verdict.isCostly
        && entry.ids.allSatisfy { id in
          guard let statement = byID[id] else { return false }
          let callers = statement.callers.isEmpty ? [.unknown] : statement.callers
          return callers.allSatisfy { isSuppressed(statement, at: $0) }
        }
    }
  }

  private func judge(_ report: PlansReport, _ statements: [StatementSource.Statement]) throws {
    if report.entries.isEmpty && report.withoutPlan == 0 {
      throw Failure(
        "no statement to explain; was the store traced?", status: ExitStatus.inconclusive)
    }
    guard failOn == .scan else { return }
    let suppressed = try suppressedScans(report, statements)
    if suppressed > 0 {
      Output.complain("\(suppressed.counted("full scan is", "full scans are")) excused")
    }
    let costly = report.count(.fullScan) + report.count(.costlySearch) - suppressed
    if costly > 0 {
      let verb =
        report.count(.costlySearch) == 0
        ? "\(costly == 1 ? "scans" : "scan") a table from end to end"
        : "\(costly == 1 ? "reads" : "read") far more rows than \(costly == 1 ? "it returns" : "they return")"
      throw Failure(
        "\(costly) of \(report.entries.count.counted("statement")) \(verb)",
        status: ExitStatus.regression)
    }
    if report.count(.error) > 0 || report.count(.mayScan) > 0 || !report.doubts.isEmpty {
      throw Failure(
        "no full scan found, but not every statement could be judged; see the report",
        status: ExitStatus.inconclusive)
    }
  }
}
