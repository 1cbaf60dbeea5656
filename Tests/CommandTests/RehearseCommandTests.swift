// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceRendering

@Suite struct RehearseCommandTests {
  private let folder: TemporaryDirectory
  private let tool = BuiltTool("trace-report")
  private var database: String { folder.path("app.db") }

  init() throws { folder = try TemporaryDirectory() }

  private func make(_ path: String, rows: Int, mode: String = "WAL", pageSize: Int = 4096) throws {
    try Connection(path: path).execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = \(mode);
      CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id), title TEXT,
        price INTEGER);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(rows / 10))
        INSERT INTO author SELECT i, 'author ' || i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(rows))
        INSERT INTO book SELECT i, 1 + i % (SELECT count(*) FROM author), 'a title of ' || substr(hex(zeroblob(40)), 1, i * 7919 % 61), i % 90 FROM n;
      """)
  }

  private func rehearse(
    _ sql: String, _ arguments: String...
  ) async throws -> (status: Int32, json: RehearsalV1) {
    try sql.write(toFile: folder.path("m.sql"), atomically: true, encoding: .utf8)
    let before = try FolderSnapshot(folder.url)
    let run = try await tool.run(
      ["rehearse", folder.path("m.sql"), "--database", database, "--json"] + arguments)
    #expect(try FolderSnapshot(folder.url) == before)
    let json = try JSONDecoder().decode(RehearsalV1.self, from: Data(run.output.utf8))
    return (run.status, json)
  }

  /// The peak of the log that a run of the migration leaves.
  private func logOfRealRun(_ sql: String, on path: String) throws -> UInt64 {
    let connection = try Connection(path: path)
    try connection.execute(sql)
    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? UInt64
    return try #require(size)
  }

  @Test(arguments: [
    "UPDATE book SET price = price + 1;",
    "CREATE INDEX book_author ON book(author, price);",
    "BEGIN; ALTER TABLE book ADD COLUMN pages INTEGER; UPDATE book SET pages = 100; COMMIT;",
    """
    -- three transactions
    ALTER TABLE book ADD COLUMN pages INTEGER; UPDATE book SET pages = 100;
    CREATE INDEX book_title ON book(title);
    """,
    "CREATE TABLE shelf AS SELECT id, title FROM book; DROP TABLE book;",
  ])
  func theLogIsThatOfTheRealRunAtTenTimesTheSize(sql: String) async throws {
    try make(database, rows: 200_000)
    let (status, json) = try await rehearse(sql, "--sizes", "1/40,1/10")
    #expect(status == 0)
    #expect(!json.isMeasured)
    #expect(json.runs.map(\.oneOf) == [40, 10])
    let real = Double(try logOfRealRun(sql, on: database))
    #expect(abs(Double(json.costs.logBytes) - real) <= 0.05 * real, "\(real): \(json.costs)")
    let range = try #require(json.longestLockRange)
    #expect((range.lowNs...range.highNs).contains(json.costs.longestLockNs), "\(range)")
  }

  @Test func allRowsAreMeasuredExactly() async throws {
    try make(database, rows: 20_000)
    let sql = "UPDATE book SET price = price + 1"
    let (status, json) = try await rehearse(sql)
    #expect(status == 0)
    #expect(json.longestLockRange == nil)
    #expect(json.isMeasured && json.runs.map(\.oneOf) == [16, 4, 1])
    #expect(json.runs.last?.statements.map(\.changes) == [20_000])
    #expect(json.rows == 22_000)
    #expect(json.costs.logBytes == (try logOfRealRun(sql, on: database)))
    #expect(json.costs.checkpointedFrames > 0 && json.costs.lockNs > 0)
    #expect(json.costs.diskBytes >= json.costs.logBytes)
  }

  /// A backup copies 4,096 pages at once; the copies of one with more began again without end.
  @Test(.timeLimit(.minutes(10))) func aDatabaseOfManyPagesIsCopied() async throws {
    try make(database, rows: 80_000, pageSize: 512)
    let (status, json) = try await rehearse("UPDATE book SET price = 1;", "--sizes", "1/40,1/10")
    #expect(status == 0 && json.pages > 8192 && json.runs.count == 2)
  }

  @Test func rowsStayWithTheRowsThatTheyReferTo() async throws {
    try make(database, rows: 20_000)
    let (_, json) = try await rehearse(
      "DELETE FROM book WHERE author NOT IN (SELECT id FROM author)", "--sizes", "1/10")
    #expect(json.runs[0].statements.map(\.changes) == [0])
    #expect((1_600...2_800).contains(json.runs[0].rows), "\(json.runs[0].rows)")
  }

  @Test func aRollbackJournalIsMeasured() async throws {
    try make(database, rows: 20_000, mode: "DELETE")
    let (_, json) = try await rehearse("UPDATE book SET price = price + 1")
    #expect(json.journalMode == "delete" && json.costs.logBytes == 0)
    // A journal has each page as it was, with its number and a checksum.
    #expect(json.costs.journalBytes > json.pages / 2 * 4096)
    #expect(json.costs.diskBytes >= json.costs.journalBytes)
  }

  @Test(arguments: [
    ("CREATE TABLE a(x);\n-- two\nUPDATE book SET absent = 1;", 3, "no such column: absent"),
    ("ATTACH 'other.db' AS o", 1, "a rehearsal cannot attach files"),
    ("VACUUM INTO 'other.db'", 1, "a rehearsal cannot attach files"),
    ("SELECT load_extension('x')", 1, "a rehearsal cannot attach files"),
    ("BEGIN; UPDATE book SET price = 1;", 0, "ends within a transaction"),
  ])
  func aFailureNamesItsStatement(sql: String, line: Int, message: String) async throws {
    try make(database, rows: 2_000)
    let (status, json) = try await rehearse(sql)
    #expect(status == 2)
    #expect(json.verdict == "failed")
    #expect(json.failure?.line == line)
    #expect(json.failure?.message.contains(message) == true, "\(json.failure?.message ?? "")")
  }

  @Test func aWriteOfMostRowsGetsABatchedForm() async throws {
    try make(database, rows: 20_000)
    let (_, json) = try await rehearse(
      """
      UPDATE book SET price = 0 WHERE price > 3;
      UPDATE book SET price = 1 WHERE id = 7;
      DELETE FROM author;
      """)
    #expect(
      json.batches.map(\.sql) == [
        "UPDATE book SET price = 0 WHERE rowid BETWEEN :first AND :last AND (price > 3)"
      ])
    #expect(json.batches.first?.rows == 20_000)
  }

  @Test func recordedWritesThatWaitTooLongAreListed() async throws {
    try make(database, rows: 20_000)
    let write = "INSERT INTO book(title) VALUES ('x')"
    let run = RunBuilder { trace in
      trace.open()
      for _ in 0..<20 { trace.fetch(write, rows: 1) }
      trace.fetch("SELECT * FROM book WHERE id = 1", rows: 1)
      trace.close()
    }
    let log = folder.path("run.log")
    try run.log.write(toFile: log, atomically: true, encoding: .utf8)
    let (status, json) = try await rehearse(
      "UPDATE book SET price = price + 1", log, "--busy-timeout", "0")
    #expect(json.waits.map(\.sql) == ["INSERT INTO book(title) VALUES (?)"])
    #expect(json.waits.first?.runs == 20)
    #expect(status == 2 && json.verdict == "exceedsTimeout")
    let patient = try await rehearse(
      "UPDATE book SET price = price + 1", log, "--busy-timeout", "3600000")
    #expect(patient.status == 0 && patient.json.verdict == "done")
  }

  @Test func theTextHasTheCosts() async throws {
    try make(database, rows: 20_000)
    try "UPDATE book SET price = 2".write(
      toFile: folder.path("m.sql"), atomically: true, encoding: .utf8)
    let run = try await tool.run("rehearse", folder.path("m.sql"), "--database", database)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.output.hasPrefix("rehearse: the lock of the writer is held for "), "\(run.output)")
    for words in ["1/16", "all rows", "peak of the log", "free disk needed", "checkpoints"] {
      #expect(run.output.contains(words), "\(words): \(run.output)")
    }
  }
}
