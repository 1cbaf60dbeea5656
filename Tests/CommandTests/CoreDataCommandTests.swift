// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// A Core Data developer's way: a console log, and a copy of the `.sqlite` file.
@Suite struct CoreDataCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// A file as Core Data lays it out: its own tables, an index with its private collation, an
  /// R-tree kept by triggers, a many-to-many table.
  private func store() throws -> String {
    let path = folder.path("Model.sqlite")
    let connection = try Connection(path: path)
    try connection.addStandIn(collation: "NSCollateLocaleSensitive")
    try connection.execute(
      """
      PRAGMA journal_mode = wal;
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER, ZDATE TIMESTAMP, ZLATITUDE FLOAT, ZTITLE VARCHAR );
      CREATE INDEX ZNOTE_ZAUTHOR_INDEX ON ZNOTE (ZAUTHOR);
      CREATE INDEX Z_Note_byTitle ON ZNOTE (ZTITLE COLLATE NSCollateLocaleSensitive ASC);
      CREATE TABLE Z_1TAGS ( Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS) );
      CREATE VIRTUAL TABLE Z_RT_Note_byPlace USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT);
      CREATE TRIGGER Z_RT_Note_byPlace_INSERT AFTER INSERT ON ZNOTE FOR EACH ROW BEGIN
        INSERT OR REPLACE INTO Z_RT_Note_byPlace VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE);
      END;
      INSERT INTO Z_PRIMARYKEY VALUES(1, 'Note', 0, 2000);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO ZNOTE SELECT i, 1, 1, i % 20, i, i, 'note ' || i FROM n;
      """)
    return path
  }

  private static let statements = [
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0 WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1)",
    "SELECT 0, t0.Z_PK FROM ZNOTE t0 ORDER BY t0.ZTITLE COLLATE NSCollateLocaleSensitive",
    "SELECT 0, t0.Z_PK FROM ZNOTE t0 ORDER BY t0.ZTITLE COLLATE NSCollateFinderlike",
    "SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZAUTHOR IN (SELECT * FROM _Z_intarray0)   LIMIT 20",
    "SELECT 0, t0.Z_PK FROM ZNOTE t0 JOIN Z_1TAGS t1 ON t0.Z_PK = t1.Z_1NOTES WHERE  t1.Z_2TAGS = ?",
    "SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZDATE > ?",
  ]

  private func log() throws -> String {
    let path = folder.path("console.log")
    let text = Self.statements.map { sql in
      """
      CoreData: sql: \(sql)
      CoreData: annotation: sql connection fetch time: 0.0100s
      CoreData: annotation: total fetch execution time: 0.0120s for 20 rows.

      """
    }.joined()
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private struct Plans: Decodable {
    var statements: [Statement]
    struct Statement: Decodable {
      var sql: String
      var verdict: String
      var error: String?
      var standIns: [String]
    }
  }

  @Test func everyStatementOfTheLogIsExplained() async throws {
    let store = try store()
    let before = try Data(contentsOf: URL(filePath: store))
    let run = try await report.run("plans", try log(), "--database", store, "--json")
    #expect(run.status == 0, "\(run.error)")
    let plans = try JSONDecoder().decode(Plans.self, from: Data(run.output.utf8)).statements
    #expect(plans.map(\.sql) == Self.statements)
    #expect(plans.map(\.error) == [nil, nil, nil, nil, nil, nil])
    #expect(plans.map(\.verdict).first == "fullScan")
    // The index has that collation, also after other statements were explained.
    #expect(plans.map(\.verdict)[1] == "harmlessScan")
    #expect(plans[1].standIns == ["NSCollateLocaleSensitive"])
    #expect(plans.map(\.verdict)[3] == "search")
    #expect(plans.map(\.verdict)[5] == "fullScan")
    #expect(plans[0].standIns == ["NSCoreDataStringSearch"])
    #expect(plans[2].standIns == ["NSCollateFinderlike"])
    #expect(plans[3].standIns.contains("_Z_intarray0"))
    // The user's file is as it was, and nothing lies beside it.
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["Model.sqlite", "console.log"])
  }

  private struct Advice: Decodable {
    var statements: [Statement]
    var unmeasured: [Unmeasured]
    var storeNames: [String]
    struct Statement: Decodable { var id: String }
    struct Unmeasured: Decodable { var reason: String }
  }

  @Test func theStatementsOfTheLogAreMeasured() async throws {
    let store = try store()
    let before = try Data(contentsOf: URL(filePath: store))
    let run = try await report.run("advise", try log(), "--database", store, "--json")
    #expect(run.status == 0, "\(run.error)")
    let advice = try JSONDecoder().decode(Advice.self, from: Data(run.output.utf8))
    // The table of tags is empty: no value returns the rows that the log counted.
    #expect(advice.unmeasured.count == 1)
    let reason = try #require(advice.unmeasured.first?.reason)
    #expect(reason.contains("no sampled values do what the trace counted (20 a run"), "\(reason)")
    #expect(advice.statements.count == Self.statements.count - 1)
    #expect(
      advice.storeNames
        == ["NSCollateFinderlike", "NSCollateLocaleSensitive", "NSCoreDataStringSearch"])
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  /// Level 2 and up: also of history's tables, whose statements are fetches only by the lines after
  /// them.
  @Test func theMeasurementUsesTheValuesOfTheLog() async throws {
    let store = try store()
    try Connection(path: store).execute(
      "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT)")
    let log = folder.path("level2.log")
    let text = [
      ("ZNOTE t0 WHERE  t0.ZTITLE = ?", "\"note 7\"", 1),
      ("ATRANSACTION t0 WHERE  t0.ZTIMESTAMP > ?", "464441952.5", 0),
    ].map { source, value, rows in
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM \(source)
      CoreData: details: SQLite bind[0] = \(value)
      CoreData: annotation: sql connection fetch time: 0.0100s
      CoreData: annotation: total fetch execution time: 0.0120s for \(rows) rows.

      """
    }.joined()
    try Data(text.utf8).write(to: URL(filePath: log))
    let run = try await report.run("advise", log, "--database", store)
    #expect(run.output.contains("2 statements measured with recorded values"), "\(run.output)")
  }

  private struct Orders: Decodable {
    var rows: UInt64
    var values: [String]
    var keys: [Keys]
    var orders: [Order]
    struct Keys: Decodable { var table: String }
    struct Order: Decodable { var medianNs: Double }
  }

  /// As SwiftData searches, among the notes of a batch of authors.
  @Test func ordersOfASearchAmongKeysAreMeasured() async throws {
    let run = try await report.run(
      "orderings", "--database", try store(), "--budget", "6", "--json", "--bind", "'NOTE 199'",
      "--sql",
      "SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE ( NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1) AND "
        + " t0.ZAUTHOR IN (SELECT * FROM _Z_intarray0))")
    #expect([0, 3].contains(run.status), "\(run.error)")
    let orders = try JSONDecoder().decode(Orders.self, from: Data(run.output.utf8))
    // note 199 and note 1990 to 1999; all 20 authors are in the batch.
    #expect(orders.rows == 11)
    #expect(orders.keys.map(\.table) == ["_Z_intarray0"])
    #expect(orders.orders.count == 2)
    #expect(orders.orders.allSatisfy { $0.medianNs > 0 })
  }

  @Test func theScansOfALogFailABuild() async throws {
    let run = try await report.run("plans", try log(), "--database", store(), "--fail-on", "scan")
    #expect(run.status == 2)
    #expect(run.output.contains("stood in for: NSCoreDataStringSearch"))
  }

  /// On a terminal of 80 × 40 the worst finding has its SQL and its fix.
  @Test func theFirstScreenHasTheWorstFindingWithItsFix() async throws {
    let run = try await report.run(
      ["summary", try log(), "--database", store()], environment: ["COLUMNS": "80"])
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count + 1 <= 40, "\(run.output)")
    #expect(lines[1].firstMatch(of: /^(\d+ warnings?|No warnings)/) != nil, "\(run.output)")
    #expect(lines.contains { $0.hasPrefix("1. ") } && lines.contains { $0.hasPrefix("   fix: ") })
    #expect(lines.contains { $0.hasPrefix("   SELECT ") })
    #expect(lines.contains { $0.hasSuffix(" -o report.html") })
  }
}
