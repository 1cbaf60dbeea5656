// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@testable import QueryPlans

/// A capsule plans as the database does, and contains none of its rows.
@Suite struct CapsuleTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func make(_ sql: String, name: String = "app.db") throws -> InspectedDatabase {
    try Connection(path: folder.path(name)).execute(sql)
    return try InspectedDatabase(path: folder.path(name))
  }

  private static let rows =
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)"

  private static let hits = """
    CREATE TABLE hit(id INTEGER PRIMARY KEY, path TEXT, status INTEGER, day TEXT);
    CREATE INDEX hit_status ON hit(status);
    CREATE INDEX hit_open ON hit(day) WHERE status = 404;
    \(rows) INSERT INTO hit SELECT i, 'path of ' || i, CASE i % 50 WHEN 0 THEN 404 ELSE 200 END,
      date('2024-01-01', i || ' days') FROM n;
    """

  @Test func rowCountsEqualTheOriginals() throws {
    let original = try make(Self.hits)
    let capsule = try CapsuleV1(of: original.connection)
    let copy = try capsule.open()
    let sql = "SELECT * FROM hit WHERE path = 'path of 7'"
    let explanation = PlanExplainer(copy.connection).explain(sql)
    #expect(explanation.verdict == .fullScan)
    #expect(explanation.judgement?.scans.first?.size == TableSize(rows: 2000))
    #expect(explanation.judgement?.evidence == .plan)
    let sizes = Dictionary(uniqueKeysWithValues: capsule.sizes.map { ($0.name, $0.rows) })
    #expect(sizes["hit_open"] == 40)
    #expect(sizes["hit_status"] == 2000)
    #expect(try Connection(path: copy.path).plan("SELECT 1").count == 1)
    #expect(try copy.connection.texts("SELECT count(*) FROM hit") == ["0"])
  }

  @Test(arguments: ["", "ANALYZE"])
  func statisticsDecideAsInTheOriginal(statistics: String) throws {
    let original = try make(
      """
      CREATE TABLE a(x, y); CREATE INDEX ax ON a(x); CREATE INDEX ay ON a(y);
      CREATE TABLE b(x, y); CREATE INDEX bx ON b(x);
      \(Self.rows) INSERT INTO a SELECT i % 2, i FROM n;
      INSERT INTO b SELECT x, y FROM a LIMIT 10; \(statistics)
      """)
    let capsule = try CapsuleV1(of: original.connection)
    #expect((capsule.statistics == nil) == statistics.isEmpty)
    let copy = try capsule.open()
    for sql in [
      "SELECT * FROM a WHERE x = 1 AND y = 2", "SELECT * FROM a, b WHERE a.x = b.x",
      "SELECT * FROM a, b WHERE a.y = b.y AND b.x > 0", "SELECT * FROM a WHERE x = 1 ORDER BY y",
    ] {
      #expect(try copy.connection.plan(sql) == original.connection.plan(sql), "\(sql)")
    }
  }

  @Test func theFileSurvivesWritingAndReading() throws {
    let original = try make(Self.hits + "; ANALYZE")
    let capsule = try CapsuleV1(of: original.connection, statements: [])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try encoder.encode(capsule)
    try bytes.write(to: folder.url.appending(path: "app.capsule"))
    #expect(try CapsuleV1(path: folder.path("app.capsule")) == capsule)
    #expect(try encoder.encode(CapsuleV1(of: original.connection)) == bytes)
  }

  @Test func capsuleHasNoLiteralsAndComments() throws {
    let original = try make(Self.hits)
    let statements = [
      "SELECT path FROM hit /* for Jane Doe */ WHERE path LIKE 'secret path%' AND id > 12345678",
      "SELECT * FROM hit WHERE status = 404 AND day > '2024-03-01' -- 87654321",
      "SELECT * FROM hit WHERE path = \"a quoted secret\" OR status = 200 ORDER BY 2 LIMIT 10",
      "SELECT * FROM hit WHERE path LIKE 'a!%b' ESCAPE '!' AND day = x'5ec4e75ec4e7'",
    ].map { CapsuleStatement(sql: $0, work: StatementWork(), values: []) }
    let capsule = try CapsuleV1(of: original.connection, statements: statements)
    let texts = capsule.statements.map(\.sql)
    let all = texts.joined(separator: "\n")
    for secret in ["secret", "Jane", "12345678", "87654321", "2024-03-01", "5ec4e75ec4e7"] {
      #expect(!all.contains(secret), "\(secret)")
    }
    #expect(all.contains("status = 404"))
    #expect(all.contains("ORDER BY 2 LIMIT 10"))
    #expect(all.contains("ESCAPE '!'"))
    let copy = try capsule.open()
    for (statement, sql) in zip(statements, texts) {
      #expect(
        try copy.connection.plan(sql) == original.connection.plan(statement.sql), "\(sql)")
    }
  }

  // MARK: - Foreign and hostile files

  @Test(arguments: [
    ("{}", CapsuleError.notACapsule), ("{\"kind\": \"capsule\"", .notACapsule),
    ("{\"kind\": \"capsule\", \"schemaVersion\": 2}", .otherVersion(2)),
    ("{\"kind\": \"capsule\", \"schemaVersion\": 1}", .notACapsule),
  ])
  func otherFilesAreRefused(text: String, error: CapsuleError) throws {
    try text.write(toFile: folder.path("a"), atomically: true, encoding: .utf8)
    #expect(throws: error) { try CapsuleV1(path: folder.path("a")) }
  }

  private func capsule(_ schema: String...) -> CapsuleV1 {
    var capsule = CapsuleV1(sqliteVersion: "3.40.1", pageSize: 4096)
    capsule.schema = schema.enumerated().map { .init(name: "o\($0.offset)", sql: $0.element) }
    return capsule
  }

  @Test(arguments: [
    "ATTACH 'stolen.db' AS x", "SELECT load_extension('x')", "CREATE TABLE a(x); DROP TABLE a",
    "CREATE TABLE a AS SELECT 1", "CREATE TEMP TABLE a(x)", "DROP TABLE a", "VACUUM INTO 'b.db'",
    "PRAGMA writable_schema = ON", "CREATE TABLE", "COMMIT",
    "CREATE INDEX i ON sqlite_schema(name)",
  ])
  func theSchemaMakesObjectsAlone(sql: String) throws {
    #expect(throws: CapsuleError.self) { try capsule(sql).open() }
  }

  @Test func modulesThatAreNotOfSQLiteAreLeftOut() throws {
    let copy = try capsule(
      "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')",
      "CREATE VIRTUAL TABLE f USING fts5(body)", "CREATE TABLE t(x)"
    ).open()
    let names = try copy.connection.texts("SELECT name FROM sqlite_schema")
    #expect(!names.contains("v"))
    #expect(names.contains("f") && names.contains("f_data") && names.contains("t"))
  }

  @Test func theFolderIsPrivateAndRemoved() throws {
    var copy: InspectedDatabase? = try capsule("CREATE TABLE t(x)").open()
    let path = try #require(copy?.path)
    let parent = URL(filePath: path).deletingLastPathComponent().path
    let attributes = try FileManager.default.attributesOfItem(atPath: parent)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    copy = nil
    #expect(!FileManager.default.fileExists(atPath: parent))
  }
}
