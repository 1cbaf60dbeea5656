// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@Suite struct PlansCommandTests {
  let folder: TemporaryDirectory
  let tool = BuiltTool("trace-report")
  var database: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryDirectory()
    try Connection(path: database).execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZLONGITUDE REAL, ZNAME TEXT);
      CREATE INDEX ZSTOP_ZNAME ON ZSTOP(ZNAME);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
        INSERT INTO ZSTOP SELECT i, i, 'stop ' || i FROM n;
      """)
  }

  private static let scan = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZLONGITUDE > ?"
  private static let search = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ?"

  @Test func namesTheScanAndTheIndexToTry() async throws {
    let run = try await tool.run("plans", "--database", database, "--sql", Self.scan)
    #expect(run.status == 0)
    #expect(run.errorOutput.isEmpty)
    #expect(run.output.contains("FULL SCAN"))
    #expect(run.output.contains("`--SCAN t0 [ZSTOP]"))
    #expect(run.output.contains("reads every row of 'ZSTOP' (500 rows)"))
    #expect(run.output.contains("columns compared: ZLONGITUDE"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(!run.output.contains("\u{1b}"))
  }

  /// As in the finding of the same statement.
  @Test func rowsOfARunAreRounded() async throws {
    let run = RunBuilder { trace in
      trace.open()
      for rows in [1, 2] as [UInt64] { trace.fetch(Self.scan, rows: rows, fullScanSteps: 499) }
      trace.close()
    }
    let log = folder.path("rounded.log")
    try Data(run.log.utf8).write(to: URL(filePath: log))
    let plans = try await tool.run("plans", log, "--database", database)
    #expect(
      plans.output.contains("counted by the trace: 499 full-scan steps for 2 rows a run"),
      "\(plans.output)")
  }

  @Test func failOnScanExitsWithTwo() async throws {
    let arguments = ["plans", "--database", database, "--fail-on", "scan", "--sql"]
    #expect(try await tool.run(arguments + [Self.scan]).status == 2)
    #expect(try await tool.run(arguments + [Self.search]).status == 0)
  }

  /// The order is the store's own; the plan does not depend on it.
  @Test func explainsASortByALanguage() async throws {
    let run = try await tool.run(
      "plans", "--database", database, "--sql",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME COLLATE NSCollateLocaleSensitiveNoCase ")
    #expect(run.status == 0)
    #expect(run.errorOutput.isEmpty)
    #expect(run.output.contains("USE TEMP B-TREE FOR ORDER BY"))
  }

  @Test func badStatementIsReportedAndTheRestStillIs() async throws {
    let run = try await tool.run(
      "plans", "--database", database, "--json", "--sql", "SELECT nope FROM ZSTOP", "--sql",
      Self.search)
    #expect(run.status == 0)
    let report = try JSONDecoder().decode(PlansHeader.self, from: Data(run.output.utf8))
    #expect(report.schemaVersion == 1)
    #expect(report.statements.map(\.verdict) == ["error", "search"])
    #expect(report.statements[0].error == "no such column: nope")
    #expect(report.statements[0].plan == nil)
    #expect(report.statements[1].plan?.first?.table == "ZSTOP")
  }

  private struct PlansHeader: Decodable {
    var schemaVersion: Int
    var statements: [Statement]
    struct Statement: Decodable {
      var sql: String
      var verdict: String
      var texts: Int?
      var error: String?
      var plan: [Step]?
    }
    struct Step: Decodable {
      var detail: String
      var table: String?
    }
  }

  @Test func readsSQLFromStandardInput() async throws {
    let run = try await tool.run(
      ["plans", "--database", database, "--sql", "-"], input: Self.search + ";\n")
    #expect(run.status == 0)
    #expect(run.output.contains("SEARCH t0 USING COVERING INDEX ZSTOP_ZNAME (ZNAME=?) [ZSTOP]"))
  }

  @Test func readsStatementsOfALog() async throws {
    let process = ProcessIdentity(id: 7, name: "transit")
    var log = LogBuilder()
    log.open(process, at: 1)
    for (index, sql) in [Self.scan, Self.search].enumerated() {
      log.add(
        "sql: \(sql)", process: process, threadID: 7, at: Nanoseconds(index + 2) * 1_000_000)
    }
    let path = folder.path("store.log")
    try Data(log.text.utf8).write(to: URL(filePath: path))
    let run = try await tool.run("plans", path, "--database", database, "--json")
    #expect(run.status == 0, "\(run.errorOutput)")
    let report = try JSONDecoder().decode(PlansHeader.self, from: Data(run.output.utf8))
    #expect(report.statements.map(\.sql) == [Self.scan, Self.search])
    #expect(report.statements.map(\.verdict) == ["fullScan", "search"])
  }

  @Test func statementsThatDifferInTheirValuesAreOneEntry() async throws {
    let process = ProcessIdentity(id: 7, name: "transit")
    var log = LogBuilder()
    log.open(process, at: 1)
    let searches = (1...300).map { "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = 'stop \($0)'" }
    for (index, sql) in (searches + [Self.scan, "SAVEPOINT a1", "SAVEPOINT a2"]).enumerated() {
      log.add(
        "sql: \(sql)", process: process, threadID: 7, at: Nanoseconds(index + 2) * 1_000_000)
    }
    let path = folder.path("store.log")
    try Data(log.text.utf8).write(to: URL(filePath: path))
    let run = try await tool.run("plans", path, "--database", database)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.output.components(separatedBy: "SEARCH t0").count == 2)
    #expect(run.output.contains("300 statements that differ in their values; one of them:"))
    #expect(run.output.contains("2 statements (301 with their values): 1 search"))
    #expect(run.output.contains("1 statement has no plan"))
    let json = try await tool.run("plans", path, "--database", database, "--json")
    let report = try JSONDecoder().decode(PlansHeader.self, from: Data(json.output.utf8))
    #expect(report.statements.map(\.texts) == [300, 1])
    #expect(report.statements.first.map { searches.contains($0.sql) } == true)
  }

  @Test func noIndexIsTriedForTheOrderOfAFewRows() async throws {
    let path = folder.path("few.sqlite")
    try Connection(path: path).execute(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, k INT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 800)
        INSERT INTO p SELECT i, i * 7919 % 1000 FROM n;
      """)
    let run = try await tool.run(
      "plans", "--database", path, "--sql", "SELECT id, k FROM p ORDER BY k")
    #expect(run.output.contains("uses a temporary b-tree for ORDER BY: no index has that order\n"))
    #expect(!run.output.contains("tried"), "\(run.output)")
  }

  @Test func aPrintedIndexHasAFreeName() async throws {
    let path = folder.path("names.sqlite")
    try Connection(path: path).execute(
      """
      CREATE TABLE parcel(id INTEGER PRIMARY KEY, city TEXT, weight INT);
      CREATE INDEX parcel_city ON parcel(weight);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO parcel SELECT i, 'c' || i % 900, i % 200 FROM n;
      """)
    let run = try await tool.run(
      "plans", "--database", path, "--sql", "SELECT id, weight FROM parcel WHERE city = 'c7'")
    let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("try CREATE INDEX parcel_city_2 ON parcel (city)"), "\(text)")
  }

  /// An index for the scan alone makes this join 26 times as expensive.
  @Test func theIndexToMakeIsTheOneThatSQLiteMakesAtEachRun() async throws {
    let path = folder.path("join.sqlite")
    try Connection(path: path).execute(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, k INT, v INT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO p SELECT i, i * 7 % 3000, i % 100 FROM n;
      """)
    let sql = "SELECT a.id FROM p a JOIN p b ON a.k = b.k WHERE a.v = 3"
    let run = try await tool.run("plans", "--database", path, "--sql", sql)
    #expect(run.output.contains("AUTOMATIC"))
    let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      text.contains(
        "a permanent index is cheaper; try CREATE INDEX p_k ON p (k); try CREATE INDEX p_v ON p (v)"
      ))
    #expect(text.contains("the indexes were tried on a copy"))
    let json = try await tool.run("plans", "--database", path, "--json", "--sql", sql)
    #expect(json.output.contains("CREATE INDEX p_k ON p (k)"))
  }

  @Test func judgesTheTextSearchesOfTheTransitExample() async throws {
    let transit = Program("transit")
    let store = folder.path("transit.sqlite")
    #expect(
      try await transit.run(
        "generate", "--stops", "1000", "--stop-times", "300", "--store", store
      ).status == 0)
    for (form, verdict) in [
      ("begins", "fullScan"), ("contains", "fullScan"), ("normalized", "search"),
      ("terms", "search"),
    ] {
      let log = folder.path("\(form).log")
      let search = try await transit.run(
        ["search", "--text", "gorli", "--form", form, "--store", store],
        environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
      #expect(search.status == 0)
      let run = try await tool.run("plans", log, "--database", store, "--json")
      let report = try JSONDecoder().decode(PlansHeader.self, from: Data(run.output.utf8))
      #expect(report.statements.first?.sql.hasPrefix("SELECT 0, t0.Z_PK") == true)
      #expect(Set(report.statements.map(\.verdict)) == [verdict], "\(form)")
    }
  }

  @Test func wrongDatabaseIsInconclusive() async throws {
    let run = try await tool.run("plans", "--database", database, "--sql", "SELECT a FROM other")
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("the statement does not compile"))
  }

  @Test func brokenDatabasesGetOneSentence() async throws {
    let text = folder.path("text.sqlite")
    try Data(String(repeating: "no database at all\n", count: 99).utf8)
      .write(to: URL(filePath: text))
    let encrypted = folder.path("encrypted.sqlite")
    var generator = SeededGenerator(seed: 4)
    try Data((0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) })
      .write(to: URL(filePath: encrypted))
    for (path, words) in [
      (encrypted, "is not an SQLite database, or is encrypted"),
      (folder.path("missing.sqlite"), "no such database file"), (folder.url.path, "is a folder"),
      (text, "is not an SQLite database, or is encrypted"),
    ] {
      let run = try await tool.run("plans", "--database", path, "--sql", Self.scan)
      #expect(run.status == 1)
      #expect(run.output.isEmpty)
      #expect(run.errorOutput.contains(words))
      #expect(run.errorOutput.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: [
    ["summary"], ["plans"], ["advise"], ["html", "-o", "/dev/null"],
    ["baseline", "-o", "/dev/null"],
    ["gate", "--baseline"],
  ])
  func aMissingDatabaseHasOneExitCode(command: [String]) async throws {
    let missing = folder.path("missing.sqlite")
    let log = folder.path("any.log")
    _ = try await BuiltTool("event-emitter").run(
      through: ["STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=\(log)"], ["mix", "100"])
    let baseline = folder.path("any.json")
    #expect(try await tool.run("baseline", log, "-o", baseline).status == 0)
    let run = try await tool.run(
      [command[0], log, "--database", missing] + command.dropFirst()
        + (command[0] == "gate" ? [baseline] : []))
    #expect(run.status == 1, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("no such database file"))
  }

  @Test func damagedSchemaGetsOneSentence() async throws {
    var file = try Data(contentsOf: URL(filePath: database))
    // The header stays: the file is a database still.
    file.replaceSubrange(100..<4096, with: Data(repeating: 0xff, count: 3996))
    try file.write(to: URL(filePath: database))
    let run = try await tool.run("plans", "--database", database, "--sql", Self.scan)
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.contains("is corrupt ("))
    #expect(run.errorOutput.split(separator: "\n").count == 1)
  }

  @Test func damagedRowsAreReportedBesideThePlans() async throws {
    var file = try Data(contentsOf: URL(filePath: database))
    // The schema on the first page stays; the rows and the index go.
    file.replaceSubrange(4096..., with: Data(repeating: 0xff, count: file.count - 4096))
    try file.write(to: URL(filePath: database))
    let run = try await tool.run("plans", "--database", database, "--sql", Self.scan)
    #expect(run.status == 3, "\(run.output)")
    #expect(run.output.contains("SCAN t0 [ZSTOP]"))
    #expect(run.errorOutput.contains("'\(database)' is corrupt ("))
    #expect(run.errorOutput.split(separator: "\n").count == 1)
  }

  @Test func lockedDatabaseGetsOneSentence() async throws {
    let user = try Connection(path: database)
    try user.execute("BEGIN EXCLUSIVE")
    let run = try await tool.run("plans", "--database", database, "--sql", Self.scan)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("locked by another program"))
    try user.execute("ROLLBACK")
  }

  @Test func usageIsSixtyFour() async throws {
    #expect(try await tool.run("plans", "--sql", Self.scan).status == 64)
    #expect(try await tool.run("plans", "--database", database).status == 64)
  }
}
