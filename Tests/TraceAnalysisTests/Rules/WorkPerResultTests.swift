// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Work that SQLite counts as VM steps or pages, and not as steps of a full scan.
@Suite struct WorkPerResultTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE station(id INTEGER PRIMARY KEY, code TEXT, country TEXT);
      CREATE TABLE reading(id INTEGER PRIMARY KEY, station, kind TEXT, at INTEGER, value REAL,
        note TEXT, data TEXT);
      CREATE INDEX reading_station ON reading(station);
      CREATE INDEX reading_kind ON reading(kind);
      CREATE INDEX reading_note ON reading(note);
      CREATE INDEX reading_unit ON reading(json_extract(data, '$.unit'));
      CREATE INDEX reading_alarm ON reading(at) WHERE kind = 'alarm';
      CREATE VIEW station_reading AS SELECT s.id AS sid, r.id, r.value FROM station s
        JOIN reading r ON r.station = s.id;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
        INSERT INTO station SELECT i, 'st' || i, 'c' || i % 9 FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO reading SELECT i, i % 200, iif(i % 400, 'usual', 'alarm'), i * 7919 % 12007, i / 3.0,
          'Note ' || i, json_object('unit', 'u' || i % 300) FROM n;
      """)
  }

  enum Value { case text(String), integer(Int64), null }

  /// Runs a statement and reports it as the probe does, with SQLite's counters.
  func findings(_ sql: String, _ values: [Value] = [], runs: Int = 20) throws -> [Finding] {
    try connection.execute("SAVEPOINT run")
    let statement = try connection.prepare(sql)
    for (index, value) in values.enumerated() {
      switch value {
      case .text(let text): statement.bind(text, at: Int32(index) + 1)
      case .integer(let number): statement.bind(number, at: Int32(index) + 1)
      case .null: statement.bindNull(at: Int32(index) + 1)
      }
    }
    var rows: UInt64 = 0
    while try statement.step() { rows += 1 }
    let changes = statement.isReadOnly ? 0 : UInt64(clamping: connection.changes)
    statement.reset()
    let counted = statement.takeCounters()
    try connection.execute("ROLLBACK TO run; RELEASE run")
    let profile = RunBuilder { trace in
      trace.connect()
      for run in 0..<runs {
        trace.run(
          sql, rows: rows, changes: changes, bindHash: UInt64(run) + 1, step: 1_000_000,
          vmSteps: counted.vmSteps,
          fullScanSteps: counted.fullScanSteps, autoIndexRows: counted.autoIndexRows,
          sorts: counted.sorts)
      }
    }.profile()
    return try Workload(profile, database: connection).findings
  }

  func warnings(_ sql: String, _ values: [Value] = []) throws -> [Finding] {
    try findings(sql, values).filter { $0.severity == .warning }
  }

  func first(_ sql: String, _ values: [Value] = []) throws -> Finding {
    try #require(try findings(sql, values).first { $0.rule != "DropUnusedIndex" })
  }

  // MARK: - Searches, sorts and counts

  @Test func aSearchThatDiscardsItsRowsIsReportedWithTheIndex() throws {
    let found = try first(
      "SELECT value FROM reading WHERE kind = ? AND at = ?", [.text("usual"), .integer(77)])
    #expect(found.rule == "AvoidCostlySearch")
    #expect(found.severity == .warning)
    #expect(found.message.contains("no index finds at = ?, compared row by row"))
    #expect(found.fix.contains("ON reading (at)"), "\(found.fix)")
  }

  @Test func aSortBehindASearchIsReportedWithTheIndex() throws {
    for order in ["at DESC", "2 DESC", "made DESC"] {
      let found = try first(
        "SELECT id, at AS made FROM reading WHERE kind = ? ORDER BY \(order) LIMIT 15",
        [.text("usual")])
      #expect(found.rule == "UseIndexForSort")
      #expect(
        found.fix.contains("CREATE INDEX reading_kind_at ON reading (kind, at)"), "\(found.fix)")
    }
  }

  @Test func theOrderOfAWindowWithALimitIsThatOfAnIndex() throws {
    let found = try first(
      "SELECT note, rank() OVER (ORDER BY value DESC) FROM reading LIMIT 10")
    #expect(found.rule == "UseIndexForSort" && found.severity == .warning)
    #expect(
      found.fix.contains("CREATE INDEX reading_value ON reading (value)"), "\(found.fix)")
    #expect(found.trial.map { $0.after * 10 < $0.before } == true)
  }

  @Test func aSortOfRowsThatAreAllReturnedNeedsAnIndexThatHoldsThem() throws {
    #expect(try warnings("SELECT * FROM reading ORDER BY value").isEmpty)
    let found = try first("SELECT value FROM reading ORDER BY value")
    #expect(found.rule == "UseIndexForSort" && found.severity == .warning)
    #expect(found.fix.contains("ON reading (value)"), "\(found.fix)")
  }

  @Test func groupsThatAreAllReturnedAreANoteUnlessAnIndexFindsFewerRows() throws {
    let all = try findings(
      "SELECT round(value), count(*) FROM reading GROUP BY 1 HAVING count(*) > 5")
    #expect(all.contains { $0.rule == "AvoidFullTableScan" })
    #expect(all.allSatisfy { $0.severity == .note })
    #expect(
      try warnings("SELECT note, count(*) FROM reading GROUP BY 1 ORDER BY max(at) LIMIT 9").isEmpty
    )
    let found = try first("SELECT count(*), avg(value) FROM reading WHERE at = 7")
    #expect(found.severity == .warning && found.fix.contains("ON reading (at)"))
  }

  @Test func aPageAtASmallOffsetIsNoScan() throws {
    #expect(try warnings("SELECT id, note FROM reading ORDER BY id LIMIT 10 OFFSET 700").isEmpty)
  }

  @Test func runsThatAllFailedAreNoScan() throws {
    let profile = RunBuilder { trace in
      trace.connect()
      for _ in 1...6 {
        trace.run(
          "SELECT sum(value) FROM reading", rows: 0, vmSteps: 4,
          error: "SQLITE_LOCKED: database table is locked: reading")
      }
    }.profile()
    let found = try Workload(profile, database: connection).findings.map(\.rule)
    #expect(!found.contains("AvoidFullTableScan"), "\(found)")
  }

  @Test func runsThatFailedContradictNoPlan() throws {
    let sql = "SELECT sum(value + abs(-9223372036854775808)) FROM reading WHERE at > 3"
    let profile = RunBuilder { trace in
      trace.connect()
      for run in 1...20 as ClosedRange<UInt64> {
        trace.run(sql, rows: 0, bindHash: run, vmSteps: 12, error: "integer overflow")
      }
    }.profile()
    #expect(
      try Workload(profile, database: connection).findings.allSatisfy { $0.severity == .note })
  }

  @Test func aSortByAnExpressionHasAnIndexOnIt() throws {
    let cases = [
      (
        "CASE kind WHEN 'alarm' THEN 0 ELSE 1 END, id DESC",
        "(CASE kind WHEN 'alarm' THEN 0 ELSE 1 END, id DESC)"
      ),
      ("coalesce(value, 0) DESC", "(coalesce(value, 0))"),
    ]
    for (order, terms) in cases {
      let found = try first("SELECT * FROM reading ORDER BY \(order) LIMIT 15")
      #expect(found.rule == "UseIndexForSort")
      #expect(found.fix.contains("ON reading \(terms)"), "\(found.fix)")
    }
    let random = try first("SELECT * FROM reading ORDER BY random() LIMIT 15")
    #expect(random.fix.contains("choose random keys"))
  }

  @Test func aTextSearchInAnInnerLoopIsReported() throws {
    try connection.execute(
      """
      CREATE VIRTUAL TABLE words USING fts5(note);
      INSERT INTO words(rowid, note) SELECT id, note FROM reading WHERE id <= 2000;
      """)
    let sql = """
      SELECT r.id FROM reading r CROSS JOIN words w ON w.rowid = r.id
      WHERE w.note MATCH ? AND r.station = ? ORDER BY r.at LIMIT 5
      """
    try connection.execute("UPDATE reading SET station = 7 WHERE id > 800")
    let found = try first(sql, [.text("note"), .integer(7)])
    #expect(found.rule == "AvoidCostlySearch")
    #expect(found.message.contains("runs once for each row of 'r'"))
    #expect(found.fix.contains("FROM words w CROSS JOIN reading r"))
    let other = """
      SELECT r.id FROM words w CROSS JOIN reading r ON w.rowid = r.id WHERE w.note MATCH ? LIMIT 5
      """
    #expect(try warnings(other, [.text("note")]).isEmpty)
  }

  @Test func aCountOfWideRowsIsReportedWithANarrowIndex() throws {
    try connection.execute(
      """
      CREATE TABLE photo(kind TEXT, data BLOB, mark TEXT);
      INSERT INTO photo SELECT 'k', zeroblob(900), 'm' || id FROM reading;
      """)
    let found = try first("SELECT count(*) FROM photo")
    #expect(found.rule == "AvoidCostlySearch")
    #expect(found.message.contains("pages to return 1"))
    #expect(found.fix.hasPrefix("CREATE INDEX photo_kind ON photo (kind)"))
    #expect(try findings("SELECT count(*) FROM photo", runs: 1).map(\.severity) == [.note])
    #expect(try warnings("SELECT count(*) FROM station").isEmpty)
  }

  @Test(arguments: [
    // Each returns most of the rows that it reads, or needs all of them.
    "SELECT value FROM reading WHERE kind = 'usual'",
    "SELECT sum(value) FROM reading WHERE kind = 'usual'",
    "SELECT note FROM reading WHERE station = 7 AND at > 3",
    "SELECT note FROM reading WHERE note > 'Note 5' ORDER BY note LIMIT 20",
    "SELECT s.code, r.value FROM station s JOIN reading r ON r.station = +s.id WHERE s.id = 7",
  ])
  func healthyStatementsHaveNoFinding(sql: String) throws {
    let advice = ["DropUnusedIndex", "KeepStatistics"]
    #expect(try findings(sql).allSatisfy { advice.contains($0.rule) })
  }

  // MARK: - Plans with values

  @Test func thePlanOfLIKEIsThatOfTheValue() throws {
    let sql = "SELECT id FROM station WHERE code LIKE ? LIMIT 10"
    try connection.execute(
      """
      WITH n(i) AS (SELECT 201 UNION ALL SELECT i + 1 FROM n LIMIT 9000)
        INSERT INTO station SELECT i, 'st' || i, 'c' || i % 9 FROM n;
      """)
    let found = try first(sql, [.text("St888%")])
    #expect(found.fix.contains("ON station (code COLLATE NOCASE)"), "\(found.fix)")
    try connection.execute("CREATE INDEX station_code ON station(code COLLATE NOCASE)")
    #expect(try warnings(sql, [.text("St888%")]).isEmpty)
  }

  // MARK: - Indexes that exist and cannot be used

  private static let obstacles: [(sql: String, [String], fix: String)] = [
    ("SELECT * FROM station_reading WHERE sid = 7", [], "declare both with the same type"),
    ("SELECT id FROM reading WHERE (?1 IS NULL OR station = ?1)", ["7"], "write station = ?1"),
    (
      "SELECT id FROM reading WHERE (?1 = '' OR note = ?1) AND value > 0", ["Note 7"],
      "write note = ?1"
    ),
    (
      "SELECT id FROM reading WHERE json_extract(data, ?) = ?", ["$.unit", "u7"],
      "write json_extract(data, '$.unit') = ?"
    ),
    ("SELECT id FROM reading WHERE lower(note) = ?", ["note 7"], "write note = ?"),
    ("SELECT id FROM reading WHERE note || '' = ?", ["Note 7"], "write note = ?"),
    ("SELECT id FROM reading WHERE note = ? COLLATE NOCASE", ["note 7"], "write note = ?"),
    ("SELECT id FROM reading WHERE note LIKE ?", ["Note 77%"], "write note GLOB ?"),
    ("SELECT id FROM reading WHERE CAST(id AS TEXT) = ?", ["7"], "write id = ?"),
  ]

  @Test(arguments: obstacles.indices)
  func anIndexThatCannotBeUsedIsNamedWithTheReason(place: Int) throws {
    let (sql, values, fix) = Self.obstacles[place]
    let all = try findings(sql, values.map { Int64($0).map(Value.integer) ?? .text($0) })
    let found = try #require(all.first)
    #expect(found.severity == .warning, "\(found)")
    #expect(found.fix.contains(fix), "\(found.fix)")
    let named = ["reading_station", "reading_note", "reading_unit"].filter {
      found.fix.contains($0)
    }
    #expect(all.filter { $0.rule == "DropUnusedIndex" && named.contains($0.object) }.isEmpty)
  }

  @Test func aFullTextTableIsTheFixForTextAlone() throws {
    for (term, hasText) in [("value + at = id * 9 + 1", false), ("data LIKE '%x7y%'", true)] {
      let all = try findings("SELECT note FROM reading WHERE kind = 'usual' AND \(term)")
      let found = try #require(all.first { $0.rule == "AvoidCostlySearch" })
      #expect(found.severity == .note)
      #expect(found.fix.contains("FTS5") == hasText, "\(found.fix)")
    }
  }

  @Test func aPatternWithAnEscapeHasNoGLOB() throws {
    let found = try first(
      "SELECT id FROM reading WHERE note LIKE ? ESCAPE '\\' LIMIT 10", [.text("Note 77%")])
    #expect(found.severity == .warning)
    #expect(!found.fix.contains("GLOB"), "\(found.fix)")
    #expect(found.fix.contains("COLLATE NOCASE"), "\(found.fix)")
  }

  @Test func aUnionIsComputedBeforeItsRowsAreCompared() throws {
    try connection.execute(
      """
      CREATE TABLE old(id INTEGER PRIMARY KEY, note TEXT, value REAL);
      INSERT INTO old SELECT id, note, value FROM reading;
      CREATE INDEX old_note ON old(note);
      CREATE VIEW every AS SELECT note, value, 1 AS now FROM reading UNION SELECT note, value, 0 FROM old;
      """)
    let all = try findings("SELECT * FROM every WHERE note = ?", [.text("Note 7")])
    #expect(all.first?.fix.contains("UNION ALL") == true, "\(all)")
    #expect(!all.contains { $0.object == "old_note" || $0.object == "reading_note" })
  }

  // MARK: - Writes

  @Test func aTriggerThatReadsAVirtualTableIsReported() throws {
    try connection.execute(
      """
      CREATE VIRTUAL TABLE words USING fts5(reading UNINDEXED, note);
      INSERT INTO words SELECT id, note FROM reading;
      CREATE TRIGGER reading_words AFTER UPDATE OF note ON reading BEGIN
        UPDATE words SET note = NEW.note WHERE reading = NEW.id;
      END;
      """)
    let found = try first("UPDATE reading SET note = ? WHERE id = ?", [.text("n"), .integer(9)])
    #expect(found.rule == "AvoidCostlySearch")
    #expect(found.fix.contains("the trigger 'reading_words' reads all of 'words'"))
  }

  @Test(arguments: [
    ("DELETE FROM words WHERE page = ?", "an index on page, and compare it"),
    ("UPDATE words SET note = 'n' WHERE page = ?", "an index on page, and compare it"),
    ("DELETE FROM words WHERE note LIKE ?", "an index on the compared columns, and compare it"),
  ])
  func aWriteFindsTheRowsOfAVirtualTableByRowid(sql: String, fix: String) throws {
    try connection.execute(
      """
      CREATE VIRTUAL TABLE words USING fts5(page UNINDEXED, note);
      INSERT INTO words SELECT 'p' || id, note FROM reading;
      """)
    let found = try first(sql, [.text("p7")])
    #expect(found.rule == "AvoidFullTableScan")
    #expect(found.fix.contains("keep the rowid in a table with \(fix)"), "\(found.fix)")
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO file(id, path) VALUES (?, ?)",
    "REPLACE INTO file(id, path) VALUES (?, ?)",
    "UPDATE OR REPLACE file SET id = ? + 1 WHERE path <> ?",
  ])
  func aReplaceLooksForTheChildrenOfTheRowThatItDeletes(sql: String) throws {
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT);
      CREATE TABLE part(id INTEGER PRIMARY KEY, file INTEGER REFERENCES file ON DELETE CASCADE, body TEXT);
      INSERT INTO file SELECT id, note FROM reading WHERE id <= 2;
      INSERT INTO part SELECT id, 2, note FROM reading;
      """)
    let found = try first(sql, [.integer(1), .text("Note 2")])
    #expect(found.fix.contains("CREATE INDEX part_file ON part (file)"), "\(found.fix)")
    #expect(found.fix.contains("ON CONFLICT DO UPDATE"))
  }
}
