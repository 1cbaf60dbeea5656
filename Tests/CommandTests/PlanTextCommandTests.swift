// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// Plans as text, as people publish them: the conclusion from the text alone, and with a database.
@Suite struct PlanTextCommandTests {
  private let tool = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  private var database: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryDirectory()
    try Connection(path: database).execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, Z_OPT INTEGER, ZLONGITUDE REAL, ZLATITUDE REAL, ZNAME TEXT);
      CREATE TABLE ZSTOPTIME(Z_PK INTEGER PRIMARY KEY, ZSTOP INTEGER, ZDEPARTURETIME INTEGER);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO ZSTOP SELECT i, 1, 13 + i / 5000.0, 52 + i % 70 / 70.0, 'stop ' || i FROM n;
      INSERT INTO ZSTOPTIME SELECT Z_PK, Z_PK, Z_PK FROM ZSTOP;
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME(ZSTOP);
      """)
  }

  private static let box =
    "(? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND  ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)"

  /// A session of the shell of SQLite 3.7.13, wrapped as in print.
  private static func session(_ rows: String, limit: String = "  LIMIT 100") -> String {
    """
    SQLite version 3.7.13 2012-07-17 17:46:21
    Enter ".help" for instructions
    sqlite> EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLATITUDE, t0.ZLONGITUDE,
       ...> t0.ZNAME FROM ZSTOP t0
       ...> WHERE \(box)\(limit);
    \(rows)
    sqlite>
    """
  }

  private static let searchRow =
    "0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND ZLONGITUDE<?) (~6944 rows)"

  private func write(_ text: String, _ name: String = "plan.txt") throws -> String {
    let path = folder.path(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private struct Report: Decodable {
    var database: String
    var statements: [Statement]
    struct Statement: Decodable {
      var sql: String
      var verdict: String
      var confidence: String?
      var evidence: String?
      var flags: [String]
      var scans: [Scan]
    }
    struct Scan: Decodable {
      var table: String?
      var rows: Int?
      var estimatedRows: Int?
      var hint: String?
    }
  }

  private func json(_ arguments: String...) async throws -> Report {
    let run = try await tool.run(arguments + ["--json"])
    #expect(run.status == 0, "\(run.errorOutput)")
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  /// The text of a report on one line.
  private func words(_ arguments: [String], input: String = "") async throws -> String {
    let run = try await tool.run(arguments, input: input)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    return run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func html(_ path: String, _ arguments: String...) async throws -> String {
    let page = folder.path("page.html")
    let run = try await tool.run(["html", path, "-o", page] + arguments)
    #expect(run.status == 0, "\(run.errorOutput)")
    return try String(contentsOfFile: page, encoding: .utf8)
  }

  @Test func anIndexOfOneRangeLeavesTheOtherToEachRow() async throws {
    let path = try write(Self.session(Self.searchRow))
    let hint = "CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)"
    let text = try await words(["plans", path])
    #expect(text.contains("search line 6, medium confidence"), "\(text)")
    #expect(text.contains("ZLATITUDE is compared row by row"))
    #expect(text.contains(hint))
    #expect(try await words([path]) == text)
    #expect(try await words(["-"], input: Self.session(Self.searchRow)) == text)
    #expect(try await words(["plans", "-"], input: Self.session(Self.searchRow)) == text)
    let report = try await json("plans", path)
    #expect(report.statements.map(\.verdict) == ["search"])
    #expect(report.statements.map(\.evidence) == ["plan"])
    #expect(report.database == "")
    #expect(try await html(path).contains(hint))
    try Connection(path: database).execute(
      "CREATE INDEX ZSTOP_ZLONGITUDE_INDEX ON ZSTOP (ZLONGITUDE)")
    let measured = try await json("plans", path, "--database", database)
    #expect(measured.statements.map(\.verdict) == ["search"])
    #expect(measured.statements.map(\.evidence) != ["plan"])
  }

  @Test func anIndexOfBothColumnsIsASearch() async throws {
    let row = Self.searchRow.replacing("ZSTOP_ZLONGITUDE_INDEX", with: "ZSTOP_ZLONGITUDE_ZLATITUDE")
    let path = try write(Self.session(row))
    let text = try await words(["plans", path])
    #expect(text.contains("1 statement: 1 search"))
    #expect(!text.contains("CREATE INDEX"), "\(text)")
    #expect(try await html(path).contains("ZSTOP_ZLONGITUDE_ZLATITUDE"))
    let report = try await json(path)
    #expect(report.statements.map(\.verdict) == ["search"])
    #expect(report.statements.map(\.confidence) == ["medium"])
    try Connection(path: database).execute(
      "CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)")
    let measured = try await json("plans", path, "--database", database)
    #expect(measured.statements.map(\.verdict) == ["search"])
    #expect(measured.statements.flatMap(\.scans).allSatisfy { $0.hint == nil })
    let withStore = try await words([path, "--database", database])
    #expect(withStore.contains("USING INDEX ZSTOP_ZLONGITUDE_ZLATITUDE"), "\(withStore)")
    #expect(!withStore.contains("another plan") && !withStore.contains("CREATE INDEX"))
    #expect(try await html(path, "--database", database).contains("ZSTOP_ZLONGITUDE_ZLATITUDE"))
  }

  /// With a limit, as the source has it: whether the scan ends early depends on the values.
  @Test(arguments: [
    "0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)", "3|0|0|SCAN t0", "QUERY PLAN\n`--SCAN t0",
    "--EQP-- 0,0,0,SCAN TABLE ZSTOP AS t0",
  ])
  func aScanWithALimitIsTheSign(rows: String) async throws {
    let path = try write(Self.session(rows))
    let hint = "CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)"
    let text = try await words([path])
    #expect(text.contains("MAY SCAN") && text.contains("may read every row of 'ZSTOP'"), "\(text)")
    #expect(text.contains("try \(hint)"))
    let report = try await json(path)
    #expect(report.statements.map(\.verdict) == ["mayScan"])
    #expect(report.statements[0].scans.map(\.hint) == [hint])
    let page = try await html(path)
    #expect(page.contains("MAY SCAN") && page.contains(hint))
    // Measured: 0.01 degrees have fewer rows than the limit, so that each run reads all.
    let measured = try await json("plans", path, "--database", database)
    #expect(measured.statements[0].scans.map(\.rows) == [5000])
    #expect(try await html(path, "--database", database).contains("5,000 rows"))
  }

  @Test(arguments: [
    "0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)", "3|0|0|SCAN t0", "QUERY PLAN\n`--SCAN t0",
    "--EQP-- 0,0,0,SCAN TABLE ZSTOP AS t0",
  ])
  func aScanIsTheWarningSign(rows: String) async throws {
    let path = try write(Self.session(rows, limit: ""))
    let hint = "CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)"
    let text = try await words(["plans", path])
    let line = rows.hasPrefix("QUERY PLAN") ? 7 : 6
    #expect(text.contains("FULL SCAN line \(line), medium confidence"), "\(text)")
    #expect(text.contains("reads every row of 'ZSTOP'"))
    #expect(text.contains("try \(hint)"))
    let report = try await json(path)
    #expect(report.statements.map(\.verdict) == ["fullScan"])
    #expect(report.statements.map(\.confidence) == ["medium"])
    let isEstimated = rows.contains("~")
    #expect(report.statements[0].scans.map(\.estimatedRows) == [isEstimated ? 12800 : nil])
    #expect(report.statements[0].scans.map(\.rows) == [nil])
    let page = try await html(path)
    #expect(page.contains("FULL SCAN"))
    #expect(page.contains(hint))
    #expect(try await tool.run("plans", path, "--fail-on", "scan").status == 2)
    #expect(try await tool.run(path, "--fail-on", "warning").status == 2)
    let measured = try await json("plans", path, "--database", database)
    #expect(measured.statements[0].scans.map(\.rows) == [5000])
    // The trial finds that the first column of the text's index is enough here.
    #expect(
      measured.statements[0].scans.map(\.hint)
        == ["CREATE INDEX ZSTOP_ZLONGITUDE ON ZSTOP (ZLONGITUDE)"])
    #expect(try await html(path, "--database", database).contains("5,000 rows"))
  }

  @Test func aScanWithoutItsStatementIsFlagged() async throws {
    let path = try write("0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)\n")
    let report = try await json("plans", path)
    #expect(report.statements.map(\.verdict) == ["fullScan"])
    #expect(report.statements.map(\.confidence) == ["medium"])
    #expect(report.statements.map(\.sql) == [""])
    #expect(try await tool.run("plans", path, "--fail-on", "scan").status == 2)
    #expect(try await words(["plans", path]).contains("12,800 rows or more"))
    let sized = try await json("plans", path, "--database", database)
    #expect(sized.statements[0].scans.map(\.rows) == [5000])
  }

  @Test func aCorrelatedSubqueryIsFlagged() async throws {
    let path = try write(
      """
      EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ((? <= t0.ZLONGITUDE AND
      t0.ZLONGITUDE <= ?) AND (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP
      AND (t1.ZDEPARTURETIME > ?))) <> ?) LIMIT 200
      \(Self.searchRow)
      0|0|0|EXECUTE CORRELATED SCALAR SUBQUERY 1
      1|0|0|SEARCH TABLE ZSTOPTIME AS t1 USING INDEX ZSTOPTIME_ZSTOP_INDEX (ZSTOP=?) (~2 rows)
      """)
    let text = try await words(["plans", path])
    #expect(text.contains("runs a correlated subquery once for each row"), "\(text)")
    #expect(text.contains("write terms that discard rows before it"))
    let order = "evaluates it last, wherever it is written; for older versions"
    #expect(text.contains(order))
    #expect(try await json("plans", path).statements.map(\.flags) == [["correlatedSubquery"]])
    #expect(try await html(path).contains("runs a correlated subquery"))
    try Connection(path: database).execute(
      "CREATE INDEX ZSTOP_ZLONGITUDE_INDEX ON ZSTOP (ZLONGITUDE)")
    let measured = try await json("plans", path, "--database", database)
    #expect(measured.statements.map(\.flags) == [["correlatedSubquery"]])
    #expect(try await words(["plans", path, "--database", database]).contains(order))
    #expect(try await html(path, "--database", database).contains(order))
  }

  @Test func otherFlagsFollowThePlan() async throws {
    let path = try write(
      """
      QUERY PLAN
      |--SCAN o
      |--SEARCH c USING AUTOMATIC COVERING INDEX (customer_id=? AND state=?)
      `--USE TEMP B-TREE FOR ORDER BY
      """)
    let report = try await json("plans", path)
    #expect(report.statements.map(\.flags) == [["sortsByTemporaryBTree", "automaticIndex"]])
    #expect(try await words([path]).contains("(customer_id, state)"))
  }

  @Test func aDatabaseWithAnotherPlanIsNamed() async throws {
    let path = try write(Self.session(Self.searchRow))
    let text = try await words(["plans", path, "--database", database])
    #expect(text.contains("this database has another plan: SCAN t0"), "\(text)")
    #expect(text.contains("USING INDEX ZSTOP_ZLONGITUDE_INDEX"))
    let other = try write(
      "EXPLAIN QUERY PLAN SELECT * FROM elsewhere WHERE a = 1;\n0|0|0|SCAN TABLE elsewhere\n")
    let run = try await tool.run("plans", other, "--database", database)
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("no such table: elsewhere"))
  }

  /// SQLDebug 4 prints the plan of each statement.
  @Test(arguments: [
    "\t3 0 0 SCAN t0\n\t24 0 0 USE TEMP B-TREE FOR ORDER BY",
    "0|0|0|SCAN TABLE ZNOTE AS t0\n0|0|0|USE TEMP B-TREE FOR ORDER BY",
    "QUERY PLAN\n|--SCAN t0\n`--USE TEMP B-TREE FOR ORDER BY",
    "CoreData: details: \t3 0 0 SCAN t0\nCoreData: details: \t24 0 0 USE TEMP B-TREE FOR ORDER BY",
  ])
  func thePlanOfALogIsEvidence(rows: String) async throws {
    let sql =
      "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZNOTE t0 WHERE ( t0.ZPINNED = ? AND  t0.ZMODIFIED > ?) "
      + "ORDER BY t0.ZMODIFIED DESC LIMIT 20"
    let path = try write(
      """
      CoreData: sql: \(sql)
      CoreData: annotation: sql connection fetch time: 0.0412s
      CoreData: annotation: total fetch execution time: 0.0430s for 20 rows.
      CoreData: details: SQLite: EXPLAIN QUERY PLAN \(sql)
      \(rows)
      """ + "\n", "core-data.log")
    let summary = try await tool.run(path, "--all")
    #expect(summary.output.contains("AvoidFullTableScan"), "\(summary.output)")
    #expect(summary.output.contains("confidence: medium"))
    #expect(summary.output.contains("a fetch index on pinned, modified (ZPINNED, ZMODIFIED)"))
    #expect(summary.output.contains("USE TEMP B-TREE FOR ORDER BY"))
    #expect(!summary.output.contains("potential saving: up to 0"))
    #expect(!summary.output.contains("not a log line"))
    let plans = try await tool.run("plans", path)
    #expect(plans.status == 0, "\(plans.errorOutput)")
    #expect(plans.output.contains("FULL SCAN"))
    #expect(plans.output.contains("sortsByTemporaryBTree") == false)
    #expect(try await tool.run("plans", path, "--fail-on", "scan").status == 2)
    #expect(try await html(path).contains("Plan: FULL SCAN"))
  }

  @Test func aLogWithoutPlansNeedsADatabase() async throws {
    let path = try write("CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0\n", "log.txt")
    let run = try await tool.run("plans", path)
    #expect(run.status == 64)
    #expect(run.errorOutput.contains("--database FILE"))
  }

  @Test func otherCommandsReportThatAPlanHasNoRuns() async throws {
    let path = try write(Self.session(Self.searchRow))
    let run = try await tool.run("advise", path, "--database", database)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("trace-report plans"), "\(run.errorOutput)")
  }
}
