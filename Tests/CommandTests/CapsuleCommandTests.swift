// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@Suite struct CapsuleCommandTests {
  private let folder: TemporaryDirectory
  private let tool = BuiltTool("trace-report")
  private var database: String { folder.path("app.db") }
  private var capsule: String { folder.path("app.capsule") }
  private var log: String { folder.path("run.log") }

  private static let scan = "SELECT id FROM hit WHERE path = 'a secret path'"
  private static let search = "SELECT id FROM hit WHERE status = 404"

  init() throws {
    folder = try TemporaryDirectory()
    try Connection(path: database).execute(
      """
      CREATE TABLE hit(id INTEGER PRIMARY KEY, path TEXT, status INTEGER);
      CREATE INDEX hit_status ON hit(status);
      CREATE VIRTUAL TABLE word USING fts5(body);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
        INSERT INTO hit SELECT i, 'path ' || i, i % 500 FROM n;
      ANALYZE
      """)
    let run = RunBuilder { trace in
      trace.open()
      trace.fetch(Self.scan, rows: 1, vmSteps: 300_000, fullScanSteps: 99_999)
      trace.fetch(Self.search, rows: 200, vmSteps: 900)
      trace.close()
    }
    try run.log.write(toFile: log, atomically: true, encoding: .utf8)
  }

  private func write() async throws {
    let before = try FolderSnapshot(folder.url)
    let run = try await tool.run("capsule", database, log, "-o", folder.path("../\(name)"))
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try FolderSnapshot(folder.url) == before)
    try FileManager.default.moveItem(atPath: folder.path("../\(name)"), toPath: capsule)
  }

  private let name = "\(UUID().uuidString).capsule"

  @Test func theCapsuleHasTheVerdictsOfTheDatabase() async throws {
    try await write()
    for sql in [Self.scan, Self.search, "SELECT * FROM word WHERE word MATCH 'a'"] {
      func verdict(_ option: String, _ path: String) async throws -> Substring? {
        let run = try await tool.run("plans", option, path, "--sql", sql)
        #expect(run.status == 0, "\(run.errorOutput)")
        // A long path wraps the headline.
        return run.output.split(separator: "\n\n").dropFirst().first?.split(separator: "\n").first
      }
      #expect(
        try await verdict("--capsule", capsule) == verdict("--database", database), "\(sql)")
    }
    let run = try await tool.run(
      "plans", "--capsule", capsule, "--fail-on", "scan", "--sql", Self.scan)
    #expect(run.status == 2)
    #expect(run.output.contains("reads every row of 'hit' (100,000 rows)"), "\(run.output)")
    #expect(run.output.contains("not tried: a capsule has no rows"))
  }

  @Test func theStatementsOfACapsuleNeedNoRecording() async throws {
    try await write()
    let text = try String(contentsOfFile: capsule, encoding: .utf8)
    #expect(!text.contains("secret"))
    let run = try await tool.run("plans", "--capsule", capsule)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.output.contains("2 statements: 1 search, 1 full scan"), "\(run.output)")
    let list = try await tool.run("capsule", capsule, "--list")
    #expect(list.status == 0)
    #expect(list.output.contains("CREATE INDEX hit_status ON hit(status)"))
    #expect(list.output.contains("hit hit_status 100000 200"), "\(list.output)")
    #expect(list.output.contains("SELECT id FROM hit WHERE status = "))
  }

  @Test func gateComparesPlansWithACapsulesPlans() async throws {
    try await write()
    let baseline = folder.path("baseline.json")
    let first = try await tool.run(
      "gate", log, "--update", "--baseline", baseline, "--capsule", capsule)
    #expect(first.status == 0, "\(first.errorOutput)")
    let same = try await tool.run("gate", log, "--baseline", baseline, "--capsule", capsule)
    #expect(same.status == 0, "\(same.output)\(same.errorOutput)")
    // The same as with the database itself.
    let other = try await tool.run("gate", log, "--baseline", baseline, "--database", database)
    #expect(other.status == 0, "\(other.output)\(other.errorOutput)")
  }

  @Test func adviseTriesNoIndexOnACapsule() async throws {
    try await write()
    let run = try await tool.run("advise", log, "--capsule", capsule)
    #expect(run.status == 3)
    #expect(run.output.contains("No index was tried: a capsule has no rows."), "\(run.output)")
    #expect(run.output.contains("hit (path): SQLite would use it"), "\(run.output)")
    #expect(!run.output.contains("steps of the workload"), "\(run.output)")
  }

  @Test(arguments: [
    ("", "is damaged, or not a capsule"), ("{}", "is damaged, or not a capsule"),
    ("{\"kind\": \"capsule\", \"schemaVersion\": 9}", "is a capsule of version 9"),
    (
      """
      {"kind": "capsule", "schemaVersion": 1, "pageSize": 4096, "sizes": [], "statements": [],
       "sqliteVersion": "3", "schema": [{"name": "a", "sql": "ATTACH 'x.db' AS a"}]}
      """, "has a schema that SQLite refuses: 'a'"
    ),
  ])
  func damagedCapsulesAreInconclusive(text: String, sentence: String) async throws {
    try text.write(toFile: capsule, atomically: true, encoding: .utf8)
    let run = try await tool.run("plans", "--capsule", capsule, "--sql", "SELECT 1")
    #expect(run.status == 3, "\(run.output)")
    #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    #expect(run.errorOutput.split(separator: "\n").count == 1)
  }

  @Test func aDatabaseIsNeitherACapsuleNorOverwritten() async throws {
    let plans = try await tool.run("plans", "--capsule", database, "--sql", "SELECT 1")
    #expect(plans.status == 3)
    let before = try Data(contentsOf: URL(filePath: database))
    let run = try await tool.run("capsule", database, "-o", database)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("is not overwritten"))
    #expect(try Data(contentsOf: URL(filePath: database)) == before)
  }
}
