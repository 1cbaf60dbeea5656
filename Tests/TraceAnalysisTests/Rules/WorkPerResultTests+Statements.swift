// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import TestSupport
import Testing
import TraceAnalysis

/// Counts, extremes and orders of many rows, and the other ways to write their statements.
extension WorkPerResultTests {
  private func makePhotos() throws {
    try connection.execute(
      """
      CREATE TABLE photo(id INTEGER PRIMARY KEY, kind TEXT, data BLOB, mark TEXT);
      INSERT INTO photo SELECT id, 'k', zeroblob(900), 'm' || id FROM reading;
      """)
  }

  @Test(arguments: [
    "SELECT COUNT(*) AS \"__count\" FROM photo", "SELECT count(*) n FROM photo",
    "SELECT count(*) AS count_1 FROM (SELECT photo.id AS a, photo.data AS b FROM photo) AS anon_1",
  ])
  func aCountOfAllRowsMayHaveANameAndASubquery(sql: String) throws {
    try makePhotos()
    let found = try first(sql)
    #expect(found.rule == "AvoidCostlySearch" && found.severity == .warning)
    #expect(found.fix.contains("CREATE INDEX photo_kind ON photo (kind)"), "\(found.fix)")
  }

  @Test(arguments: ["count(1)", "COUNT(photo.id)", "count(id) AS n"])
  func aCountOfValuesThatAreNeverNullIsACountOfRows(count: String) throws {
    try makePhotos()
    let found = try first("SELECT \(count) FROM photo")
    #expect(found.rule == "AvoidFullTableScan" && found.severity == .warning)
    #expect(
      found.fix.hasSuffix(
        "write count(*), which reads the pages of the smallest index, and CREATE INDEX photo_kind ON photo (kind)"
      ),
      "\(found.fix)")
    #expect(try findings("SELECT \(count) FROM photo", runs: 1).map(\.severity) == [.note])
    #expect(try warnings("SELECT count(kind) FROM photo").isEmpty)
    #expect(try warnings("SELECT count(1) FROM reading").isEmpty)
  }

  @Test func theMaximumOfASearchHasAnIndex() throws {
    let found = try first("SELECT max(at) FROM reading WHERE kind = ?", [.text("usual")])
    #expect(found.rule == "AvoidCostlySearch" && found.severity == .warning)
    #expect(found.message.contains("it reads all rows that WHERE finds for max(at)"))
    #expect(found.fix.hasPrefix("CREATE INDEX reading_kind_at ON reading (kind, at)"))
    #expect(try warnings("SELECT max(at) FROM reading WHERE kind = ?", [.text("alarm")]).isEmpty)
  }

  @Test func anOrderUnderALimitIsReadByItsIndexWhereASearchFindsMost() throws {
    let stations = (0..<100).map { "\($0)" }.joined(separator: ", ")
    let found = try first(
      "SELECT id FROM reading WHERE station IN (\(stations)) ORDER BY at DESC LIMIT 20")
    #expect(found.rule == "UseIndexForSort" && found.severity == .warning)
    #expect(
      found.fix.contains("CREATE INDEX reading_at ON reading (at), and write +station IN (0"),
      "\(found.fix)")
    #expect(
      try warnings("SELECT id FROM reading WHERE station IN (1, 2) ORDER BY at DESC LIMIT 20")
        .isEmpty)
  }

  @Test func theMatchesOfATextSearchThatAnotherTableDiscardsAreReported() throws {
    try connection.execute(
      """
      CREATE TABLE page(id INTEGER PRIMARY KEY, owner INT);
      INSERT INTO page SELECT id, id % 900 FROM reading;
      CREATE VIRTUAL TABLE words USING fts5(note);
      INSERT INTO words(rowid, note) SELECT id, 'the ' || note FROM reading;
      """)
    let found = try first(
      "SELECT p.id FROM words JOIN page p ON p.id = words.rowid WHERE words MATCH ? AND p.owner = ?",
      [.text("the"), .integer(7)])
    #expect(found.rule == "AvoidCostlySearch" && found.severity == .warning)
    #expect(found.message.contains("no index finds p.owner = ?, compared row by row"))
    #expect(found.fix.contains("CREATE INDEX page_owner ON page (owner)"), "\(found.fix)")
  }

  @Test func aTextSearchForEachRowOfAScanIsReported() throws {
    try connection.execute(
      """
      CREATE TABLE pin(id INTEGER PRIMARY KEY, label TEXT);
      INSERT INTO pin SELECT id, note FROM reading WHERE id <= 900;
      CREATE VIRTUAL TABLE words USING fts5(note);
      INSERT INTO words(rowid, note) SELECT id, note FROM reading;
      """)
    let found = try first(
      "SELECT pin.label FROM pin CROSS JOIN words ON words.rowid = pin.id WHERE words MATCH ?",
      [.text("7")])
    #expect(found.rule == "AvoidCostlySearch" && found.severity == .warning)
    #expect(found.fix.contains("FROM words CROSS JOIN pin"), "\(found.fix)")
  }

  @Test func theElementsOfAListBelongInATable() throws {
    try connection.execute("UPDATE reading SET data = json_array('t' || id % 300, 't' || id % 7)")
    let found = try first(
      "SELECT r.id FROM reading r, json_each(r.data) t WHERE t.value = ?", [.text("t77")])
    #expect(found.rule == "AvoidFullTableScan")
    #expect(found.fix.hasPrefix("keep the elements of 'data' in a table of their own"))
  }

  @Test func aWindowInASubqueryNumbersAllRows() throws {
    let found = try first(
      """
      SELECT note FROM (SELECT note, row_number() OVER (PARTITION BY kind ORDER BY at DESC) AS n
      FROM reading) WHERE n = 1
      """)
    #expect(found.severity == .note)
    #expect(found.fix.contains("before a WHERE around it keeps some"), "\(found.fix)")
  }

  @Test func aFunctionAroundATextThatLIKEFoldsHidesItsIndex() throws {
    try connection.execute("CREATE INDEX reading_note_nocase ON reading(note COLLATE NOCASE)")
    let found = try first(
      "SELECT id FROM reading WHERE upper(note) LIKE upper(?)", [.text("note 77%")])
    #expect(
      found.fix.contains(
        "the index 'reading_note_nocase' has the column itself: write note LIKE ?"),
      "\(found.fix)")
  }

  @Test(arguments: ["NOT seen", "NOT r.seen", "seen IS FALSE"])
  func aPartialIndexIsComparedByItsWords(term: String) throws {
    try connection.execute(
      """
      ALTER TABLE reading ADD COLUMN seen INT NOT NULL DEFAULT 1;
      UPDATE reading SET seen = 0 WHERE id % 400 = 0;
      CREATE INDEX reading_unseen ON reading(value) WHERE seen = 0;
      """)
    let found = try first("SELECT id FROM reading r WHERE \(term) AND value > ?", [.integer(3)])
    #expect(
      found.fix.contains(
        "the index 'reading_unseen' is partial, and its WHERE has other words than \(term): write seen = 0"
      ),
      "\(found.fix)")
  }

  @Test func anIntervalThatHoldsAValueIsFoundByItsBeginning() throws {
    try connection.execute(
      """
      CREATE TABLE net(low INT, high INT, name TEXT);
      INSERT INTO net SELECT id * 100, id * 100 + 99, 'n' || id FROM reading;
      CREATE INDEX net_low ON net(low, high);
      """)
    let found = try first(
      "SELECT name FROM net WHERE low <= ? AND high >= ?", [.integer(600_050), .integer(600_050)])
    #expect(found.rule == "AvoidCostlySearch" && found.severity == .warning)
    #expect(
      found.fix.hasSuffix("if no two intervals overlap, add ORDER BY low DESC LIMIT 1"),
      "\(found.fix)")
  }
}
