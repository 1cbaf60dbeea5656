// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import QueryPlans
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Plans that are not the ones that ran: of another file, another version, or made before an index was.
@Suite struct OtherPlanTests {
  private static let sql = "SELECT title FROM book WHERE shelf = ?"

  private func database(in folder: TemporaryDirectory, _ name: String, _ index: String = "")
    throws -> Connection
  {
    let connection = try Connection(path: folder.url.appending(path: name).path)
    try connection.execute(
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, shelf INTEGER);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
        INSERT INTO book SELECT i, 'title ' || i, i % 800 FROM n;
      \(index)
      """)
    return connection
  }

  private static func scans(_ trace: inout RunBuilder, connection: UInt64 = 1) {
    for _ in 1...20 {
      trace.run(
        sql, rows: 5, step: 1_000_000, vmSteps: 20_000, fullScanSteps: 3999,
        connection: connection)
    }
  }

  private func scanFindings(_ profile: Profile, _ connection: Connection) throws -> [Finding] {
    try Workload(profile, database: connection).findings.filter { $0.severity == .warning }
  }

  @Test func anIndexThatIsMadeLaterInTheRunExcusesNoScan() throws {
    let folder = try TemporaryDirectory()
    let index = "CREATE INDEX book_shelf ON book(shelf)"
    let connection = try database(in: folder, "app.db", index)
    let profile = RunBuilder { trace in
      trace.connect()
      Self.scans(&trace)
      trace.run(index)
    }.profile()
    let found = try #require(try scanFindings(profile, connection).first)
    #expect(found.rule == "AvoidFullTableScan")
    #expect(found.message.contains("3,999 rows"))
    #expect(found.fix.contains("the plan here has no scan"))
    let other = RunBuilder { trace in
      trace.connect()
      trace.run("PRAGMA case_sensitive_like = ON")
      Self.scans(&trace)
    }.profile()
    #expect(try scanFindings(other, connection).count == 1)
    // Made after the trace, it is the fix.
    let fixed = RunBuilder { trace in
      trace.connect()
      Self.scans(&trace)
    }.profile()
    #expect(try scanFindings(fixed, connection).isEmpty)
  }

  /// A program that fetches the first row, and a setting such as case_sensitive_like.
  @Test func fewStepsContradictNoPlanOfTheFileThatTheProgramHad() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db")
    let work = StatementWork(executions: 20, rows: 20, fullScanSteps: 400, vmSteps: 2000)
    var conditions = PlanConditions()
    for (isAsTraced, verdict) in [(false, .fullScan), (true, .harmlessScan)]
      as [(Bool, PlanVerdict)]
    {
      conditions.isAsTraced = isAsTraced
      let explainer = PlanExplainer(connection, conditions: conditions)
      #expect(explainer.explain(Self.sql, work: work).verdict == verdict)
    }
  }

  /// A migration reads columns that it drops later: its file is no other database, and no index was tried.
  @Test func aStatementOfAnEarlierSchemaIsANote() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db")
    for (change, severity) in [
      ("ALTER TABLE book DROP COLUMN place", Finding.Severity.note),
      ("DROP TABLE place", .note), ("PRAGMA user_version = 2", .warning),
    ] {
      let profile = RunBuilder { trace in
        trace.connect(path: connection.path)
        trace.run(
          "SELECT DISTINCT place FROM book WHERE shelf = ?", rows: 3, step: 1_000_000,
          vmSteps: 20_000, fullScanSteps: 3999)
        trace.run("SELECT place FROM book WHERE id = ?")
        trace.run("SELECT title FROM book WHERE id = ?")
        trace.run(change)
      }.profile()
      let workload = try Workload(profile, database: connection)
      #expect(workload.schemaMatch.isOtherDatabase == (severity == .warning))
      let found = try #require(workload.findings.first { $0.rule == "AvoidFullTableScan" })
      #expect(found.severity == severity)
    }
  }

  @Test func aStatementIsExplainedInTheDatabaseThatItsConnectionOpened() throws {
    let folder = try TemporaryDirectory()
    let main = try database(in: folder, "main.db")
    try main.execute("DROP TABLE book; CREATE TABLE note(id INTEGER PRIMARY KEY)")
    _ = try database(in: folder, "archive.db")
    let profile = RunBuilder { trace in
      trace.connect(path: main.path)
      trace.connect(path: folder.url.appending(path: "archive.db").path, connection: 2)
      trace.run("SELECT id FROM note")
      Self.scans(&trace, connection: 2)
    }.profile()
    let workload = try Workload(profile, database: main)
    #expect(!workload.schemaMatch.isOtherDatabase)
    let found = try #require(workload.findings.first)
    #expect(found.rule == "AvoidFullTableScan")
    #expect(found.fix.contains("CREATE INDEX book_shelf ON book (shelf)"))
    let explanation = try #require(workload.explanations[StatementID(sql: Self.sql)])
    #expect(explanation.database?.hasSuffix("archive.db") == true)
    #expect(explanation.verdict == .fullScan)
  }

  @Test func statementsOnATemporaryTableAreOfNoOtherDatabase() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db")
    let sql = "SELECT title FROM book WHERE id IN (SELECT id FROM chosen)"
    let profile = RunBuilder { trace in
      trace.connect(path: connection.path)
      trace.run("CREATE TEMP TABLE chosen(id INTEGER)")
      trace.run("INSERT INTO chosen VALUES (?)")
      trace.run(sql, rows: 5)
    }.profile()
    let workload = try Workload(profile, database: connection)
    #expect(!workload.schemaMatch.isOtherDatabase)
    #expect(workload.explanations[StatementID(sql: sql)]?.plan != nil)
  }

  @Test func aTableOfAnAttachedDatabaseHasItsIndexThere() throws {
    let folder = try TemporaryDirectory()
    let main = try database(in: folder, "main.db")
    try main.execute("DROP TABLE book; CREATE TABLE note(id INTEGER PRIMARY KEY)")
    let archive = try database(in: folder, "archive.db")
    for table in ["book", "archive.book"] {
      let sql = "SELECT title FROM \(table) WHERE shelf = ?"
      let profile = RunBuilder { trace in
        trace.connect(path: main.path)
        trace.run("ATTACH '\(archive.path)' AS archive")
        for _ in 1...20 {
          trace.run(sql, rows: 5, step: 1_000_000, vmSteps: 20_000, fullScanSteps: 3999)
        }
      }.profile()
      let workload = try Workload(profile, database: main)
      let found = try #require(workload.findings.first)
      #expect(found.rule == "AvoidFullTableScan")
      #expect(found.fix == "CREATE INDEX archive.book_shelf ON book (shelf)")
      let scan = workload.explanations[StatementID(sql: sql)]?.judgement?.scans.first
      #expect(scan?.schema == "archive")
      #expect(scan?.comparedColumns == ["shelf"])
    }
  }

  /// The program has seen the same error.
  @Test func statementsBeyondALimitAreOfNoOtherDatabase() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db")
    let sql = "SELECT " + Array(repeating: "1", count: 600).joined(separator: " UNION ALL SELECT ")
    let profile = RunBuilder { trace in
      trace.connect(path: connection.path)
      trace.run(sql, rows: 0, error: "SQLITE_ERROR: too many terms in compound SELECT")
    }.profile()
    #expect(try !Workload(profile, database: connection).schemaMatch.isOtherDatabase)
  }

  @Test func theSameSQLOnTwoDatabasesKeepsItsScan() throws {
    let folder = try TemporaryDirectory()
    let main = try database(in: folder, "main.db", "CREATE INDEX book_shelf ON book(shelf)")
    let other = try database(in: folder, "other.db")
    let profile = RunBuilder { trace in
      trace.connect(path: main.path)
      trace.connect(path: other.path, connection: 2)
      trace.run(Self.sql, rows: 5, vmSteps: 30)
      Self.scans(&trace, connection: 2)
    }.profile()
    let found = try scanFindings(profile, main)
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
    #expect(found.first?.message.contains("(20 runs on 'other.db')") == true)
  }

  /// The event of a connection to a file that is still there.
  private static func opened(_ path: String, connection: UInt64) -> StoreEvent {
    var status = stat()
    stat(path, &status)
    return .connectionOpened(
      ConnectionOpened(
        connectionID: connection, path: path, vfs: "unix", flags: 0, sqliteVersion: "3.40.1",
        sqlitePath: "/usr/lib/libsqlite3.so.0", way: "got", device: UInt64(status.st_dev),
        inode: UInt64(status.st_ino), processStart: 1, processName: "python3 app.py"))
  }

  @Test func aStatementIsJudgedOnTheDatabaseWhereItTakesMostSteps() throws {
    let folder = try TemporaryDirectory()
    let live = try database(in: folder, "live.db", "CREATE INDEX book_shelf ON book(shelf)")
    let archive = try database(in: folder, "archive.db")
    let profile = RunBuilder { trace in
      trace.append(Self.opened(live.path, connection: 1))
      for _ in 1...50 { trace.run(Self.sql, rows: 5, vmSteps: 30) }
      trace.append(Self.opened(archive.path, connection: 2))
      Self.scans(&trace, connection: 2)
      trace.run(Self.sql, rows: 5, vmSteps: 30)
    }.profile()
    for connection in [live, archive] {
      let workload = try Workload(profile, database: connection)
      let found = workload.findings.filter { $0.severity == .warning }
      #expect(found.map(\.rule) == ["AvoidFullTableScan"])
      let scan = try #require(found.first)
      #expect(scan.message.contains("steps through 3,999 rows"))
      #expect(scan.message.contains("(20 runs on 'archive.db')"))
      #expect(scan.fix.contains("CREATE INDEX book_shelf ON book (shelf)"))
      #expect(!workload.findings.contains { $0.rule == "DropUnusedIndex" })
      let explanation = workload.explanations[StatementID(sql: Self.sql)]
      #expect(explanation?.database == archive.path)
      #expect(explanation?.plan != nil)
    }
    #expect(profile.openedDatabases.map(\.path) == [archive.path, live.path])
    let statement = TracedStatements(of: profile).statements.first { $0.sql == Self.sql }
    #expect(statement?.databases.map(\.database) == [archive.path, live.path])
    #expect(statement?.databases.map(\.work.executions) == [20, 51])
    let advice = AdviceWorkload(profile, on: [archive.path]).statements
    #expect(advice.map(\.runs) == [20])
  }

  @Test func databasesWithTheSameStepsAreJudgedTogether() throws {
    let folder = try TemporaryDirectory()
    let first = try database(in: folder, "first.db")
    let second = try database(in: folder, "second.db")
    let profile = RunBuilder { trace in
      for (index, connection) in [first, second].enumerated() {
        trace.append(Self.opened(connection.path, connection: UInt64(index) + 1))
        Self.scans(&trace, connection: UInt64(index) + 1)
      }
    }.profile()
    let found = try scanFindings(profile, first)
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
    #expect(found.first?.message.contains("(40 runs)") == true)
  }

  @Test func thePlanOfAnotherVersionShowsNothingAsHarmless() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db", "CREATE INDEX book_shelf ON book(shelf)")
    let profile = RunBuilder { trace in
      trace.connect(sqliteVersion: "3.99.0")
      for _ in 1...20 { trace.run(Self.sql, rows: 5, vmSteps: 30_000, sorts: 1) }
    }.profile()
    let workload = try Workload(profile, database: connection)
    let explanation = try #require(workload.explanations[StatementID(sql: Self.sql)])
    #expect(explanation.verdict == .mayScan)
    #expect(explanation.judgement?.otherVersion == "3.99.0")
    #expect(workload.findings.contains { $0.message.contains("SQLite 3.99.0 ran it") })
    #expect(!workload.findings.contains { $0.rule == "DropUnusedIndex" })
  }

  @Test func aCostlySearchOfAnotherVersionWithoutAFixNamesTheVersion() throws {
    let folder = try TemporaryDirectory()
    let connection = try database(
      in: folder, "app.db",
      "CREATE INDEX book_shelf ON book(shelf); CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words(rowid, text) SELECT id, title FROM book"
    )
    let sql = """
      SELECT b.id FROM words w CROSS JOIN book b ON b.id = w.rowid WHERE w.text MATCH ? AND b.shelf = ? LIMIT 10
      """
    let profile = RunBuilder { trace in
      trace.connect(sqliteVersion: "3.99.0")
      for _ in 1...3 { trace.run(sql, rows: 10, vmSteps: 25_000) }
    }.profile()
    let found = try Workload(profile, database: connection).findings.filter {
      $0.rule == "AvoidCostlySearch"
    }
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.message.contains("SQLite 3.99.0 ran it") == true, "\(found)")
    #expect(found.first?.fix.contains("CROSS JOIN") == true)
  }

  @Test(arguments: [
    ("PRAGMA case_sensitive_like = ON", true), ("pragma main.case_sensitive_like(1)", true),
    ("PRAGMA case_sensitive_like = 'off'", false), ("SELECT 1", false),
  ])
  func likeIsThatOfTheProgram(setting: String, isSearch: Bool) throws {
    let folder = try TemporaryDirectory()
    let connection = try database(in: folder, "app.db", "CREATE INDEX book_title ON book(title)")
    let conditions = RunBuilder { trace in
      trace.connect(path: connection.path)
      trace.run(setting)
    }.profile().planConditions(for: connection.path)
    let sql = "SELECT id FROM book WHERE title LIKE 'title 39%'"
    let plan = PlanExplainer(connection, conditions: conditions).plan(of: sql)
    #expect(plan?.nodes.contains { $0.detail.hasPrefix("SEARCH") } == isSearch)
    // A copy has it as well.
    let advice = try IndexAdvisor(
      [WorkloadStatement(id: "1", sql: sql, runs: 10)], on: connection
    ).advice()
    #expect(advice.creations.isEmpty == isSearch)
  }

  @Test func attachedDatabaseIsRead() throws {
    let folder = try TemporaryDirectory()
    let main = try Connection(path: folder.url.appending(path: "main.db").path)
    try main.execute("CREATE TABLE note(id INTEGER PRIMARY KEY)")
    let archive = try database(in: folder, "archive.db")
    let attach = "ATTACH DATABASE '\(archive.path)' AS old"
    let sql = "SELECT title FROM old.book WHERE shelf = 7"
    let profile = RunBuilder { trace in
      trace.connect(path: main.path)
      trace.run(attach)
      trace.run(sql, rows: 1, vmSteps: 30_000, fullScanSteps: 9999)
    }.profile()
    let explainer = PlanExplainer(main, conditions: profile.planConditions(for: main.path))
    let explanation = explainer.explain(sql)
    #expect(explanation.verdict == .fullScan, "\(explanation.failure ?? "")")
    let finding = try #require(
      try Workload(profile, database: main).findings.first { $0.rule == "AvoidFullTableScan" })
    #expect(finding.fix.contains("CREATE INDEX old.book_shelf ON book (shelf)"), "\(finding.fix)")
  }
}
