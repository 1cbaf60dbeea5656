// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Plans: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explains the plan of every statement, and tells full scans from harmless ones.",
    discussion: """
      trace-report plans trace/ --database transit.sqlite --fail-on scan
      trace-report plans --database transit.sqlite --sql 'SELECT * FROM ZSTOP WHERE ZNAME = ?'
      """)

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case scan }

  @Argument(
    help: "CTF folders, debug logs and saved reports; - is standard input.", completion: .file())
  var paths: [String] = []

  @Option(help: "The database to explain against; it is read, never written.", completion: .file())
  var database: String

  @Option(help: "A statement to explain in place of a trace; - reads it from standard input.")
  var sql: [String] = []

  @Option(help: "Exit with 2 if there is one: scan.")
  var failOn: FailOn?

  @OptionGroup var exceptions: Exceptions

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func validate() throws {
    if paths.isEmpty == sql.isEmpty {
      throw ValidationError("Name traces or logs, or give --sql: one of the two.")
    }
  }

  func run() throws {
    let file = try ReportedDatabase.open(database)
    let statements = try StatementSource(paths: paths, sql: sql).read()
    let explainer = PlanExplainer(file.connection)
    var report = PlansReport(
      database: database, sqliteVersion: Connection.libraryVersion,
      entries: statements.list.map {
        .init(id: $0.id, explanation: explainer.explain($0.sql, work: $0.work), work: $0.work)
      })
    report.doubts = statements.doubts
    // Of another database the plans tell nothing, and why it is another one is told by one of them.
    let match = report.schemaMatch
    if match.isOtherDatabase {
      try explainer.checkIntegrity(of: database)
      throw Failure.otherDatabase(database, match)
    }
    try Output.print(json ? JSONText.encoded(PlansV1(report)) : report.text(.ofStandardOutput))
    try explainer.checkIntegrity(of: database)
    try judge(report, statements.list)
  }

  /// Full scans that the file of exceptions excuses for each line that runs them.
  private func excusedScans(
    _ report: PlansReport, _ statements: [StatementSource.Statement]
  ) throws -> Int {
    guard let file = try exceptions.file() else { return 0 }
    var book = ExceptionBook(file, today: Exceptions.today)
    func isExcused(_ statement: StatementSource.Statement, at caller: SourceLocation) -> Bool {
      Rules.ofScans.sorted().contains {
        book.exception(
          rule: $0, caller: caller,
          statement: UInt64(statement.id, radix: 16).map(StatementID.init(rawValue:)),
          sql: statement.sql) != nil
      }
    }
    return zip(report.entries, statements).count { entry, statement in
      let callers = statement.callers.isEmpty ? [.unknown] : statement.callers
      return entry.explanation.verdict == .fullScan
        && callers.allSatisfy { isExcused(statement, at: $0) }
    }
  }

  private func judge(_ report: PlansReport, _ statements: [StatementSource.Statement]) throws {
    if report.entries.isEmpty {
      throw Failure(
        "no statement to explain; was the store traced?", status: ExitStatus.inconclusive)
    }
    guard failOn == .scan else { return }
    let excused = try excusedScans(report, statements)
    if excused > 0 {
      Output.complain("\(excused.counted("full scan is", "full scans are")) excused")
    }
    if report.count(.fullScan) > excused {
      throw Failure(
        "\(report.count(.fullScan) - excused) of \(report.entries.count.counted("statement")) "
          + "\(report.count(.fullScan) - excused == 1 ? "scans" : "scan") a table from end to end",
        status: ExitStatus.regression)
    }
    if report.count(.error) > 0 || report.count(.mayScan) > 0 || !report.doubts.isEmpty {
      throw Failure(
        "no full scan found, but not every statement could be judged; see the report",
        status: ExitStatus.inconclusive)
    }
  }
}
