// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Other ways to write a term, which return the same rows.
@Suite struct IndexObstacleTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE line(id INTEGER PRIMARY KEY, room INT, at INT, note TEXT);
      CREATE INDEX line_room ON line(room, at, id);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO line SELECT i, i % 2, i * 7919 % 12007, 'Note ' || i FROM n;
      CREATE TABLE guest(id INTEGER PRIMARY KEY, mail TEXT COLLATE NOCASE, event INT);
      CREATE TABLE member(id INTEGER PRIMARY KEY, address TEXT, since TEXT);
      CREATE INDEX guest_event ON guest(event);
      INSERT INTO guest SELECT id, 'u' || id, id % 30 FROM line WHERE id <= 600;
      INSERT INTO member SELECT id, 'u' || id, '2020' FROM line WHERE id <= 3000;
      CREATE TABLE shift(id INTEGER PRIMARY KEY, begun TEXT, at INT, length REAL, code TEXT, plain TEXT);
      CREATE INDEX shift_begun ON shift(begun);
      CREATE INDEX shift_at ON shift(at);
      CREATE INDEX shift_length ON shift(length);
      CREATE INDEX shift_code ON shift(code);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO shift SELECT i, datetime(1577836800 + i * 2220, 'unixepoch'), 1577836800 + i * 2220,
          i / 3.0, printf('AB%04d-%d', i % 1000, i), datetime(1577836800 + i * 2220, 'unixepoch') FROM n;
      """)
  }

  private func obstacles(_ sql: String, _ values: [BindValue]) -> [IndexObstacle] {
    let explainer = PlanExplainer(connection, values: { _ in [values] })
    return explainer.explain(sql).judgement?.obstacles ?? []
  }

  // MARK: - Pages

  private static let pages: [(terms: String, values: [Int64], order: String, rewritten: String)] = [
    ("at < ? OR (at = ? AND id < ?)", [6000, 6000, 7], "at DESC, id DESC", "(at, id) < (?, ?)"),
    ("at > ? OR (at = ? AND id > ?)", [6000, 6000, 7], "at, id", "(at, id) > (?, ?)"),
    ("at > ? OR (at = ? AND id >= ?)", [6000, 6000, 7], "at, id", "(at, id) >= (?, ?)"),
    ("(? < id AND ? = at) OR ? < at", [7, 6000, 6000], "at, id", "(at, id) > (?, ?)"),
    ("at > :a OR (at = :b AND id > :c)", [6000, 6000, 7], "at, id", "(at, id) > (:a, :c)"),
    (
      "at > ? OR (at = ? AND (id > ? OR (id = ? AND note > 'a')))", [6000, 6000, 7, 7], "at, id",
      "(at, id, note) > (?, ?, 'a')"
    ),
    (
      "at > ? OR (at = ? AND id > ?) OR (at = ? AND id = ? AND note > 'a')",
      [6000, 6000, 7, 6000, 7], "at, id", "(at, id, note) > (?, ?, 'a')"
    ),
  ]

  @Test(arguments: pages.indices)
  func aPageOfRowsBeginsByRowValues(place: Int) throws {
    let (terms, values, order, rewritten) = Self.pages[place]
    let found = try #require(
      obstacles(
        "SELECT id, note FROM line WHERE room = 1 AND (\(terms)) ORDER BY \(order) LIMIT 20",
        values.map { .integer($0) }
      ).first)
    #expect(found.reason == .keyset)
    #expect(found.index == "line_room")
    #expect(found.rewritten == rewritten)
    let steps = try #require(found.steps)
    #expect(steps.before > 10_000 && steps.after < 1000)
  }

  @Test(arguments: [
    "at <= ?1 OR (at = ?2 AND id < ?3)", "at < ?1 OR (at = ?2 AND id > ?3)",
    "at < 6000 OR (at = 6001 AND id < 7) OR ?1 + ?2 + ?3 < 0",
    "at < 6000 + ?1 OR (at = 6000 + ?2 AND id < ?3)",
    // The program does not bind the same value twice.
    "at < ?1 OR (at = ?1 + ?2 AND id < ?3)",
  ])
  func anotherORIsNoPage(terms: String) {
    let found = obstacles(
      "SELECT id FROM line WHERE room = 1 AND (\(terms)) ORDER BY at DESC, id DESC LIMIT 20",
      [.integer(6000), .integer(6000), .integer(7)])
    #expect(!found.contains { $0.reason == .keyset })
  }

  // MARK: - Whole statements

  /// `plans`, `advise` and the findings print them.
  @Test func aREPLACEOfAParentHasAnotherStatement() throws {
    try connection.execute(
      """
      CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE);
      CREATE TABLE chunk(id INTEGER PRIMARY KEY, file INT REFERENCES file(id));
      INSERT INTO file SELECT id, 'p' || id FROM line WHERE id <= 600;
      INSERT INTO chunk SELECT id, id % 600 + 1 FROM line;
      """)
    let judgement = try #require(
      PlanExplainer(connection).explain(
        "INSERT OR REPLACE INTO file(id, path) VALUES (?, ?)",
        work: StatementWork(executions: 1, rows: 1, fullScanSteps: 24_000, vmSteps: 90_000)
      ).judgement)
    #expect(judgement.unindexedReferences.map(\.table) == ["chunk"])
    #expect(judgement.rewrites.last?.contains("ON CONFLICT DO UPDATE") == true)
  }

  // MARK: - The same value

  @Test(arguments: [
    ("json_extract(data, '$.kind')", "data ->> '$.kind'"),
    ("data ->> '$.kind'", "json_extract(data, '$.kind')"),
  ])
  func anArrowIsAFunctionInOtherWords(indexed: String, written: String) throws {
    try connection.execute(
      """
      CREATE TABLE doc(id INTEGER PRIMARY KEY, data TEXT);
      INSERT INTO doc SELECT id, json_object('kind', 'k' || id % 300) FROM line WHERE id <= 3000;
      CREATE INDEX doc_kind ON doc(\(indexed));
      """)
    let found = try #require(
      obstacles("SELECT id FROM doc WHERE \(written) = ?", [.text("k7")]).first)
    #expect(found.reason == .sameValue)
    #expect(found.index == "doc_kind")
    #expect(found.rewritten == "\(indexed) = ?")
  }

  // MARK: - Terms that may be left out

  @Test func anOptionalTermHasAnIndexOfItsOwn() throws {
    let sql = "SELECT id FROM line WHERE room = ?1 AND (?2 IS NULL OR note = ?2)"
    let found = try #require(obstacles(sql, [.integer(1), .text("Note 7")]).first)
    #expect(found.reason == .optional)
    #expect(found.index == nil)
    #expect(found.rewritten == "note = ?2")
    let index = try #require(found.indexes.first)
    #expect(index.columns.last == "note")
    #expect(found.sentence.hasSuffix("and write note = ?2 where it is not; \(index.sql)"))
    try connection.execute("CREATE INDEX line_note ON line(note)")
    let other = try #require(obstacles(sql, [.integer(1), .text("Note 7")]).first)
    #expect(other.index == "line_note" && other.indexes.isEmpty)
  }

  // MARK: - Several tables

  @Test func anORAcrossTablesIsASelectForEach() throws {
    let sql = """
      SELECT l.id FROM line l JOIN member m ON m.id = l.room WHERE l.note = ? OR m.address = ?
      """
    try connection.execute("CREATE INDEX line_note ON line(note)")
    // The other SELECT would read all of a table.
    #expect(obstacles(sql, [.text("Note 7"), .text("u9")]).isEmpty)
    try connection.execute("CREATE INDEX member_address ON member(address)")
    let found = try #require(obstacles(sql, [.text("Note 7"), .text("u9")]).first)
    #expect(found.reason == .tables)
    #expect(found.rewritten == "l.note = ? and m.address = ?")
  }

  // MARK: - Collations

  private let join =
    "SELECT m.id FROM guest g JOIN member m ON g.mail = m.address WHERE g.event = ?"

  @Test func theColumnOnTheLeftDecidesTheCollation() throws {
    try connection.execute("CREATE INDEX member_address ON member(address)")
    let found = try #require(obstacles(join, [.integer(7)]).first)
    #expect(found.reason == .leftColumn("NOCASE"))
    #expect(found.index == "member_address")
    #expect(found.rewritten == "m.address = g.mail")
    let steps = try #require(found.steps)
    #expect(steps.after * 100 < steps.before)
    // Then it finds fewer rows.
    try connection.execute("UPDATE member SET address = upper(address) WHERE id % 2")
    #expect(obstacles(join, [.integer(7)]).isEmpty)
  }

  @Test func anIndexHasTheCollationOfTheColumnOnTheLeft() throws {
    let judgement = PlanExplainer(connection, values: { _ in [[.integer(7)]] }).explain(join)
      .judgement
    let indexes = (judgement?.suspects ?? []).flatMap { $0.indexes ?? [] }
    #expect(indexes.map(\.terms) == ["address COLLATE NOCASE"])
  }

  // MARK: - Ranges

  private static let ranges:
    [(term: String, values: [BindValue], index: String, rewritten: String)] = [
      (
        "date(begun) = ?", [.text("2020-03-05")], "shift_begun",
        "begun >= ? AND begun < date(?, '+1 day')"
      ),
      (
        "date(begun) BETWEEN ? AND ?", [.text("2020-03-05"), .text("2020-03-06")], "shift_begun",
        "begun >= ? AND begun < date(?, '+1 day')"
      ),
      ("date(begun) <= ?", [.text("2020-01-05")], "shift_begun", "begun < date(?, '+1 day')"),
      ("? < date(begun)", [.text("2020-11-01")], "shift_begun", "begun >= date(?, '+1 day')"),
      (
        "strftime('%Y-%m', begun) = ?", [.text("2020-03")], "shift_begun",
        "begun >= ? || '-01' AND begun < date(? || '-01', '+1 month')"
      ),
      (
        "strftime('%s', begun) BETWEEN ? AND ?", [.text("1580000000"), .text("1580090000")],
        "shift_begun",
        "begun >= datetime(?, 'unixepoch') AND begun < datetime(?, 'unixepoch', '+1 second')"
      ),
      (
        "strftime('%s', begun) >= strftime('%s', :a) AND strftime('%s', begun) <= strftime('%s', :b)",
        [.text("2020-03-05"), .text("2020-03-06")], "shift_begun",
        "begun >= datetime(:a) AND begun < datetime(:b, '+1 second')"
      ),
      (
        "date(at, 'unixepoch') = ?", [.text("2020-03-05")], "shift_at",
        "at >= strftime('%s', ?) AND at < strftime('%s', ?, '+1 day')"
      ),
      ("at / 86400 = ?", [.integer(18300)], "shift_at", "at >= ? * 86400 AND at < (? + 1) * 86400"),
      (
        "substr(code, 1, 6) = ?", [.text("AB0031")], "shift_code",
        "code >= ? AND code < ? || char(1114111)"
      ),
      (
        "CAST(length AS INTEGER) = ?", [.integer(77)], "shift_length",
        "length >= ? AND length < ? + 1"
      ),
    ]

  @Test(arguments: ranges.indices)
  func aFunctionHidesARangeOfItsColumn(place: Int) throws {
    let (term, values, index, rewritten) = Self.ranges[place]
    let found = try #require(obstacles("SELECT id FROM shift WHERE \(term)", values).first)
    #expect(found.reason == .range)
    #expect(found.index == index)
    #expect(found.rewritten == rewritten)
    #expect(found.sentence.contains("hides the column from the index '\(index)'"))
    let steps = try #require(found.steps)
    #expect(steps.after * 2 <= steps.before)
  }

  @Test func aRangeHasAnIndexOfItsOwn() throws {
    let found = try #require(
      obstacles(
        "SELECT id FROM shift WHERE strftime('%s', plain) >= ?1 AND strftime('%s', plain) < ?2 AND code <> ''",
        [.text("1580000000"), .text("1580090000")]
      ).first)
    #expect(found.index == nil)
    #expect(found.indexes.map(\.sql) == ["CREATE INDEX shift_plain ON shift (plain)"])
    #expect(
      found.rewritten
        == "plain >= datetime(?1, 'unixepoch') AND plain < datetime(?2, 'unixepoch')")
  }

  @Test(arguments: [
    // A value is of many: there is no range.
    "strftime('%m', begun) = '03'", "length(code) = 6", "substr(code, 3, 2) = '00'", "at % 7 = 3",
    "NOT date(begun) = '2020-03-05'", "date(begun) NOT BETWEEN '2020-03-05' AND '2020-03-06'",
    // The times of the column are no texts that SQLite writes.
    "date(replace(begun, ' ', 'T')) = '2020-03-05'", "datetime(length) = '2020-03-05 00:00:00'",
  ])
  func anotherFunctionHasNoRange(term: String) {
    #expect(obstacles("SELECT id FROM shift WHERE \(term)", []).isEmpty)
  }

  /// `begun = ?` finds none of the rows.
  @Test func aRangeThatReturnsOtherRowsIsNotAdvised() throws {
    try connection.execute("UPDATE shift SET begun = replace(begun, ' ', 'T') || 'Z'")
    let times: [BindValue] = [.text("2020-03-05 12:00:00"), .text("2020-03-05 20:00:00")]
    for result in ["id", "count(*)"] {
      let sql = "SELECT \(result) FROM shift WHERE datetime(begun) BETWEEN ? AND ?"
      #expect(obstacles(sql, times).isEmpty)
    }
    let day: [BindValue] = [.text("2020-03-05")]
    #expect(!obstacles("SELECT id FROM shift WHERE date(begun) = ?", day).isEmpty)
  }
}
