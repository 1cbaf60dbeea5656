// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// `prove`, on recordings of a program before and after fixes that are right, and fixes that are not.
@Suite struct ProveCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// 200 books, 20 of them without an author; book 5 has no loan.
  private func makeDatabase() throws {
    try Connection(path: folder.path("library.db")).execute(
      """
      CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER);
      CREATE TABLE loan(id INTEGER PRIMARY KEY, book_id INTEGER, day TEXT);
      CREATE TABLE note(text TEXT);
      CREATE INDEX loan_book ON loan(book_id);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50)
        INSERT INTO author SELECT i, 'a' || i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
        INSERT INTO book SELECT i, 'b' || i, CASE WHEN i % 10 THEN i % 50 + 1 END FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO loan(book_id, day) SELECT i % 200 + 1, 'd' FROM n WHERE i % 200 + 1 <> 5;
      """)
  }

  private static let program = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    def rows(sql, *values): return db.execute(sql, values).fetchall()
    def books(): return rows("SELECT id, title, author_id FROM book ORDER BY id")
    def author(id): return rows("SELECT name FROM author WHERE id = ?", id)
    def some(sql, ids): return rows(sql + " IN (%s)" % ",".join("?" * len(ids)), *ids)
    def authors(): return sorted({b[2] for b in books() if b[2]})
    def shelf(): return [b[0] for b in rows("SELECT id, title FROM book WHERE id <= ?", 20)]
    def shelf_loop():
        for id in shelf(): rows("SELECT day FROM loan WHERE book_id = ?", id)
    def shelf_join(kind):
        rows(f"SELECT b.id, b.title, l.day FROM book b {kind} loan l ON l.book_id = b.id WHERE b.id <= ?", 20)
    def join(kind):
        rows(f"SELECT b.id, b.title, a.name FROM book b {kind} author a ON a.id = b.author_id ORDER BY b.id")
    def loop():
        for b in books():
            if b[2]: author(b[2])
    def note(count): rows("INSERT INTO note VALUES " + ",".join(["(?)"] * count), *range(count))
    def notes():
        for i in range(50): rows("INSERT INTO note VALUES (?)", i)
    def cached():
        seen = {}
        for b in books():
            if b[2] and b[2] not in seen: seen[b[2]] = author(b[2])
    def times(count, work):
        for _ in range(count): work()
    def day(column): rows(f"SELECT day FROM loan WHERE {column} = ? AND day = ?", 7, "d")
    exec(sys.argv[2])
    db.close()
    """

  /// Records the program while it runs a line.
  private func record(_ code: String, _ name: String, path: String = "library.db") async throws {
    let script = folder.path("app.py")
    try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
    let run = try await report.run(
      "record", "--log", "-o", folder.path(name), "--", "python3", script, folder.path(path), code)
    #expect(run.status == 0 || code.contains("exit"), "\(code): \(run.error)")
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var before: String
    var after: String
    var status: Int32
    /// A part of the verdict's sentence.
    var words: String
    var testDescription: String { "\(before) → \(after)" }
  }

  private static let cases = [
    Case(
      before: "loop()", after: "join('LEFT JOIN')", status: 0,
      words: "Proven: 181 statements became 1; 380 rows became 200"),
    Case(
      before: "loop()", after: "some('SELECT id, name FROM author WHERE id', authors())", status: 0,
      words: "Proven: 181 statements became 2"),
    Case(
      before: "loop()", after: "cached()", status: 0,
      words: "Proven: 181 statements became 46"),
    Case(
      before: "shelf_loop()", after: "shelf_join('LEFT JOIN')", status: 0,
      words: "Proven: 21 statements became 1; 210 rows became 191"),
    Case(
      before: "shelf_loop()", after: "some('SELECT book_id, day FROM loan WHERE book_id', shelf())",
      status: 0, words: "Proven: 21 statements became 2; 210 rows each"),
    Case(
      before: "notes()", after: "rows('BEGIN'); notes(); rows('COMMIT')", status: 0,
      words: "Proven: 50 statements each; 50 changed rows each; commits 50 → 1"),
    Case(
      before: "notes()", after: "note(50)", status: 0,
      words: "Proven: 50 statements became 1; 50 changed rows each"),
    Case(
      before: "rows('SELECT id FROM loan WHERE +book_id = ?', 7)",
      after: "rows('SELECT id FROM loan WHERE book_id = ?', 7)", status: 0,
      words: "full-scan steps 1,989 → 0"),
    // Rows that the fix loses.
    Case(
      before: "loop()", after: "join('JOIN')", status: 2,
      words: "Not proven: a statement has 180 rows; 200 before: SELECT b.id"),
    Case(
      before: "shelf_loop()", after: "shelf_join('JOIN')", status: 2, words: "Not proven: "),
    Case(
      before: "loop()", after: "some('SELECT id, name FROM author WHERE id', authors()[:30])",
      status: 2, words: "Not proven: a statement has 30 rows; 45 before"),
    Case(
      before: "loop()", after: "books()", status: 2,
      words: "Not proven: 180 rows are not read any more"),
    Case(
      before: "notes()", after: "note(49)", status: 2,
      words: "Not proven: a statement changes 1 row less than before"),
    // A scan elsewhere.
    Case(
      before: "loop(); day('book_id')", after: "join('LEFT JOIN'); day('+book_id')", status: 2,
      words: "full-scan steps"),
    // Other work.
    Case(
      before: "times(10, shelf_loop)", after: "times(3, shelf_loop)", status: 3,
      words: "or fewer requests were made"),
    Case(
      before: "times(10, shelf_loop)", after: "times(3, lambda: shelf_join('LEFT JOIN'))",
      status: 3, words: "Inconclusive: a statement ran 3 times, 10 before"),
    Case(
      before: "loop()", after: "join('LEFT JOIN'); rows('SELECT id FROM loan')", status: 2,
      words: "Not proven"),
    Case(
      before: "loop()", after: "loop()", status: 3, words: "Inconclusive: no count is lower"),
    Case(
      before: "loop()", after: "join('LEFT JOIN'); sys.exit(3)", status: 3,
      words: "the program ended with code 3"),
  ]

  @Test func fixesAreProvenAndNearMissesAreNot() async throws {
    try makeDatabase()
    var names: [String: String] = [:]
    for test in Self.cases {
      for code in [test.before, test.after] where names[code] == nil {
        names[code] = "r\(names.count)"
        try await record(code, names[code] ?? "")
      }
      let run = try await report.run(
        "prove", folder.path(names[test.before] ?? ""), folder.path(names[test.after] ?? ""))
      #expect(run.status == test.status, "\(test.testDescription)\n\(run.output)\(run.error)")
      #expect(run.output.contains(test.words), "\(test.testDescription)\n\(run.output)")
    }
  }

  // MARK: - Tests with names

  private func log(_ name: String, _ tests: [(String, (inout RunBuilder) -> Void)]) throws -> String
  {
    let path = folder.path(name)
    let run = RunBuilder {
      $0.connect()
      for (test, body) in tests {
        $0.run("SELECT 'storescope: test \(test)'")
        body(&$0)
      }
      $0.run("SELECT 'storescope: test '")
      $0.disconnect(1)
      $0.close()
    }
    try run.log.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static let loans = "SELECT day FROM loan WHERE book = ?"

  private static func loop(_ builder: inout RunBuilder) {
    builder.run("SELECT id FROM book", rows: 20, list: 1)
    for row in 1...20 { builder.run(loans, forRow: row, of: 1, rows: 2) }
  }

  private static func prefetch(rows: UInt64) -> (inout RunBuilder) -> Void {
    {
      $0.run("SELECT id FROM book", rows: 20)
      $0.run("SELECT book, day FROM loan WHERE book IN (?)", rows: rows, vmSteps: 100)
    }
  }

  @Test func eachTestHasItsRows() async throws {
    let before = try log("before", [("a", Self.loop), ("b", Self.loop)])
    let after = try log("after", [("a", Self.prefetch(rows: 40)), ("b", Self.prefetch(rows: 40))])
    let proven = try await report.run("prove", before, after, "--assume-complete")
    #expect(proven.status == 0, "\(proven.output)\(proven.error)")
    #expect(proven.output.contains("42 statements became 4; 120 rows each"), "\(proven.output)")
    // As many rows in all, and not in each test.
    let moved = try log("moved", [("a", Self.prefetch(rows: 39)), ("b", Self.prefetch(rows: 41))])
    let lost = try await report.run("prove", before, moved, "--assume-complete")
    #expect(lost.status == 2, "\(lost.output)\(lost.error)")
    #expect(lost.output.contains("a: a statement has 39 rows; 40 before"), "\(lost.output)")
  }

  /// Each process has another order of hashed values.
  @Test func theSameRecordingsGiveTheSameText() async throws {
    let traces = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "traces").path
    var texts: Set<String> = []
    for _ in 0..<8 {
      let run = try await report.run("prove", "\(traces)/after", "\(traces)/before")
      #expect(run.status == 2, "\(run.error)")
      texts.insert(run.output)
    }
    #expect(texts.count == 1)
  }

  @Test func aTestThatDidNotRunIsNoImprovement() async throws {
    let before = try log("before", [("a", Self.loop), ("b", Self.loop)])
    let after = try log("after", [("a", Self.prefetch(rows: 40))])
    let run = try await report.run("prove", before, after, "--assume-complete")
    #expect(run.status == 3, "\(run.output)\(run.error)")
    #expect(run.output.contains("only the first run has 1 test: b"), "\(run.output)")
  }

  @Test func aLogThatMayBeCutIsInconclusive() async throws {
    let before = try log("before", [("a", Self.loop)])
    let cut = folder.path("cut")
    let text = try String(contentsOfFile: before, encoding: .utf8)
    try text.split(separator: "\n").dropLast(3).joined(separator: "\n")
      .write(toFile: cut, atomically: true, encoding: .utf8)
    let after = try log("after", [("a", Self.prefetch(rows: 40))])
    #expect(try await report.run("prove", cut, after).status == 3)
  }
}
