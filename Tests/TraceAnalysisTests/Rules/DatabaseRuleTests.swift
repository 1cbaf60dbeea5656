// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// The rules that need a database beside the trace.
@Suite struct DatabaseRuleTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZSTOP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZKIND INTEGER,
        ZLONGITUDE FLOAT, ZLATITUDE FLOAT, ZNAME VARCHAR );
      CREATE TABLE ZSTOPTIME ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZSTOP INTEGER, ZDEPARTURETIME TIMESTAMP );
      CREATE TABLE ZPHOTO ( Z_PK INTEGER PRIMARY KEY, ZLABEL VARCHAR, ZBLOB BLOB, ZTHUMBNAIL BLOB );
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO ZSTOP SELECT i, 1, 1, i % 7, i / 100.0, i / 50.0, 'stop ' || i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO ZSTOPTIME SELECT i, 2, 1, i % 100, i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 184)
        INSERT INTO ZPHOTO SELECT i, 'photo', zeroblob(20000), zeroblob(900) FROM n;
      """)
  }

  private func findings(
    _ rule: String, _ write: (inout RunBuilder) -> Void
  ) throws -> [Finding] {
    try Workload(RunBuilder(write).profile(), database: connection).findings
      .filter { $0.rule == rule }
  }

  // MARK: - AvoidScanInCorrelatedSubquery

  private static let departures = """
    SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE \
    (t0.Z_PK = t1.ZSTOP AND ? <=  t1.ZDEPARTURETIME) ) <> ?
    """

  @Test func flagsAScanForEveryOuterRow() throws {
    let write: (inout RunBuilder) -> Void = {
      $0.fetch(Self.departures, rows: 3, connection: 50_000_000, fullScanSteps: 24_000_000)
    }
    let found = try findings("AvoidScanInCorrelatedSubquery", write)
    #expect(found.map(\.object) == ["ZSTOPTIME"])
    #expect(
      found.first?.message == """
        A correlated subquery reads all of 'ZSTOPTIME' (2,000 rows) once for every row that the \
        outer SELECT reads (1 run).
        """)
    #expect(found.first?.fix.contains("CREATE INDEX ZSTOPTIME_ZSTOP") == true)
    #expect(try findings("AvoidFullTableScan", write).isEmpty)
  }

  @Test func aSubqueryThatAnIndexServesIsLeftToTheOuterScan() throws {
    try connection.execute("CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)")
    let write: (inout RunBuilder) -> Void = {
      $0.fetch(Self.departures, rows: 3, fullScanSteps: 12_000)
    }
    #expect(try findings("AvoidScanInCorrelatedSubquery", write).isEmpty)
    #expect(try findings("AvoidFullTableScan", write).count == 1)
  }

  @Test func anIndexThatSQLNamesIsNotDropped() throws {
    try connection.execute(
      """
      CREATE INDEX a ON ZSTOP (ZNAME); CREATE INDEX b ON ZSTOP (ZNAME);
      CREATE INDEX c ON ZSTOP (ZKIND);
      CREATE VIEW kinds AS SELECT ZKIND FROM ZSTOP INDEXED BY c WHERE ZKIND = 3;
      """)
    let rules = ["DropDuplicateIndex", "DropRedundantIndex", "DropUnusedIndex"]
    func dropped(_ statements: String...) throws -> [String] {
      try rules.flatMap { rule in
        try findings(rule) { trace in for sql in statements { trace.fetch(sql) } }.map(\.object)
      }
    }
    #expect(try dropped("SELECT 0 FROM ZSTOP WHERE ZNAME = 'x'") == ["b"])
    #expect(try dropped("SELECT 0 FROM ZSTOP INDEXED BY b WHERE ZNAME = 'x'") == ["a"])
    #expect(
      try dropped(
        "SELECT 0 FROM ZSTOP INDEXED BY b WHERE ZNAME = 'x'",
        "SELECT 0 FROM ZSTOP INDEXED BY a WHERE ZNAME = 'x'") == [])
  }

  // MARK: - Lists of a program that writes its SQL

  @Test(arguments: [
    ("SELECT * FROM ZPHOTO", ["ZPHOTO.ZBLOB"]),
    ("SELECT ZLABEL, ZBLOB FROM ZPHOTO", ["ZPHOTO.ZBLOB"]),
    ("SELECT p.* FROM post p", ["post.body"]),
    ("SELECT id, title FROM post", []),
  ])
  func aListOfAnyProgramLoadsNoLargeColumn(sql: String, objects: [String]) throws {
    try connection.execute(
      """
      CREATE TABLE post(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
      INSERT INTO post SELECT Z_PK, ZLABEL, printf('%.9000c', 'x') FROM ZPHOTO;
      """)
    let found = try findings("AvoidLargeColumnInList") { trace in
      trace.connect()
      trace.run(sql, rows: 184)
    }
    #expect(found.map(\.object) == objects)
    #expect(found.allSatisfy { $0.fix.hasPrefix("select only the columns that the list shows") })
  }

  // MARK: - Each SELECT of a statement

  @Test func theTablesOfAUnionHaveAnIndexEach() throws {
    let sql = """
      SELECT Z_PK FROM ZSTOP WHERE ZNAME = ? UNION ALL SELECT Z_PK FROM ZSTOPTIME WHERE ZSTOP = ?
      """
    let found = try findings("AvoidFullTableScan") {
      $0.fetch(sql, rows: 2, vmSteps: 70_000, fullScanSteps: 14_000)
    }
    #expect(found.count == 1)
    #expect(found.first?.fix.contains("ON ZSTOP (ZNAME)") == true)
    #expect(found.first?.fix.contains("ON ZSTOPTIME (ZSTOP)") == true)
  }

  @Test func aSubqueryThatRunsOnceIsLeftAlone() throws {
    let sql = "SELECT 0 FROM ZSTOP t0 WHERE t0.Z_PK IN (SELECT t1.ZSTOP FROM ZSTOPTIME t1)"
    #expect(
      try findings("AvoidScanInCorrelatedSubquery") {
        $0.fetch(sql, rows: 100, fullScanSteps: 2000)
      }.isEmpty)
  }

  // MARK: - A log without counters

  @Test func thePlanTakesThePlaceOfCounters() throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZKIND = ? AND t0.ZNAME = ?"
    let found = try findings("AvoidFullTableScan") {
      $0.fetch(sql, rows: 3, connection: 1_000_000, vmSteps: 0)
    }
    #expect(found.map(\.confidence) == [.medium])
    #expect(
      found.first?.message
        == "By its plan each run reads all 12,000 rows of 'ZSTOP' to return 3 (1 run).")
    #expect(found.first?.saving?.atMost == 999_750)
    #expect(
      try findings("AvoidFullTableScan") { $0.fetch(sql, rows: 6000, vmSteps: 0) }.isEmpty)
    try connection.execute("CREATE INDEX i ON ZSTOP (ZNAME)")
    #expect(try findings("AvoidFullTableScan") { $0.fetch(sql, rows: 3, vmSteps: 0) }.isEmpty)
  }

  @Test func aCountedSortOrNoneIsBelievedBeforeThePlan() throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME"
    #expect(try findings("UseIndexForSort") { $0.fetch(sql, rows: 12_000, vmSteps: 0) }.count == 1)
    #expect(try findings("UseIndexForSort") { $0.fetch(sql, rows: 12_000, vmSteps: 9) }.isEmpty)
  }

  // MARK: - AvoidLargeColumnInList

  private static let photos = "SELECT 0, t0.Z_PK, t0.ZBLOB, t0.ZLABEL, t0.ZTHUMBNAIL FROM ZPHOTO t0"

  @Test func flagsPicturesLoadedByAList() throws {
    let found = try findings("AvoidLargeColumnInList") { $0.fetch(Self.photos, rows: 184) }
    #expect(found.map(\.object) == ["ZPHOTO.ZBLOB"])
    #expect(
      found.first?.message == """
        Each run loads 'ZBLOB' of 184 rows, 20,000 bytes each on average: 3.7 MB (1 run).
        """)
  }

  @Test func leavesOnePictureAndTheOtherColumnsAlone() throws {
    #expect(
      try findings("AvoidLargeColumnInList") { trace in
        trace.fetch(Self.photos + " WHERE  t0.Z_PK = ?", rows: 1)
        trace.fetch("SELECT 0, t0.Z_PK, t0.ZLABEL, t0.ZTHUMBNAIL FROM ZPHOTO t0", rows: 184)
        trace.fetch("SELECT t0.Z_PK FROM ZPHOTO t0 WHERE  t0.ZBLOB IS NOT NULL", rows: 184)
        trace.fetch("SELECT COUNT(t0.ZBLOB) FROM ZPHOTO t0", kind: .count, rows: 184)
      }.isEmpty)
  }

  // MARK: - Indexes

  private static let geo =
    "SELECT 0 FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE >= ? AND  t0.ZLONGITUDE <= ?)"

  @Test func flagsTheSameIndexTwice() throws {
    try connection.execute(
      "CREATE INDEX a ON ZSTOP (ZLONGITUDE, ZKIND); CREATE INDEX b ON ZSTOP (ZLONGITUDE, ZKIND)")
    let found = try findings("DropDuplicateIndex") { $0.fetch(Self.geo) }
    #expect(found.map(\.object) == ["b"])
    #expect(found.first?.fix.hasSuffix("DROP INDEX b") == true)
    #expect(found.first?.evidence.contains { $0.name == "bytes" && $0.value > 4096 } == true)
  }

  /// A framework's tables have such indexes; beside reads they cost nothing.
  @Test func indexesThatTheTraceDoesNotWriteAreANote() throws {
    try connection.execute(
      """
      CREATE TABLE auth_group(id INTEGER PRIMARY KEY, user INT, permission INT, name TEXT);
      CREATE INDEX a ON auth_group(user); CREATE UNIQUE INDEX b ON auth_group(user, permission);
      CREATE INDEX c ON auth_group(name); CREATE INDEX d ON auth_group(name);
      """)
    func found(_ sql: String..., changes: UInt64) throws -> [String: Finding] {
      let run = RunBuilder { trace in
        trace.connect()
        for sql in sql { trace.run(sql, changes: changes) }
      }
      let findings = try Workload(run.profile(), database: connection).findings
        .filter { ["DropRedundantIndex", "DropDuplicateIndex"].contains($0.rule) }
      return Dictionary(uniqueKeysWithValues: findings.map { ($0.object, $0) })
    }
    let read = try found("SELECT id FROM auth_group WHERE user = ?", changes: 0)
    #expect(read.mapValues(\.severity) == ["a": .note, "d": .note])
    #expect(
      read["a"]?.fix == "remove its declaration where the schema is made, or: DROP INDEX a")
    let updated = try found("UPDATE auth_group SET name = ? WHERE id = ?", changes: 1)
    #expect(updated.mapValues(\.severity) == ["a": .note, "d": .warning])
    let inserted = try found("INSERT INTO auth_group VALUES (?, ?, ?, ?)", changes: 1)
    #expect(inserted.mapValues(\.severity) == ["a": .warning, "d": .warning])
    let none = try found("DELETE FROM auth_group WHERE id = ?", changes: 0)
    #expect(none.mapValues(\.severity) == ["a": .note, "d": .note])
  }

  @Test func keepsTheIndexThatKeepsValuesUnique() throws {
    try connection.execute(
      "CREATE INDEX a ON ZSTOP (ZNAME); CREATE UNIQUE INDEX b ON ZSTOP (ZNAME)")
    #expect(try findings("DropDuplicateIndex") { $0.fetch(Self.geo) }.map(\.object) == ["a"])
  }

  @Test func otherCollationsDirectionsAndConditionsAreOtherIndexes() throws {
    try connection.execute(
      """
      CREATE INDEX a ON ZSTOP (ZNAME); CREATE INDEX b ON ZSTOP (ZNAME COLLATE NOCASE);
      CREATE INDEX c ON ZSTOP (ZNAME DESC); CREATE INDEX d ON ZSTOP (ZNAME) WHERE ZKIND = 1;
      """)
    #expect(try findings("DropDuplicateIndex") { $0.fetch(Self.geo) }.isEmpty)
  }

  @Test func flagsTheFirstPartOfALongerIndex() throws {
    try connection.execute(
      """
      CREATE INDEX a ON ZSTOP (ZLONGITUDE); CREATE INDEX b ON ZSTOP (ZLONGITUDE, ZLATITUDE);
      CREATE INDEX c ON ZSTOP (ZLATITUDE); CREATE UNIQUE INDEX d ON ZSTOP (ZNAME);
      CREATE INDEX e ON ZSTOP (ZNAME, ZKIND);
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP);
      CREATE INDEX f ON ZSTOPTIME (ZSTOP, ZDEPARTURETIME);
      CREATE TABLE post_tags(id INTEGER PRIMARY KEY, post_id bigint, tag_id bigint);
      CREATE UNIQUE INDEX post_tags_post_id_tag_id_41ca20f9_uniq ON post_tags (post_id, tag_id);
      CREATE INDEX post_tags_post_id_a1172a2e ON post_tags (post_id);
      """)
    let found = try findings("DropRedundantIndex") { $0.fetch(Self.geo) }
    #expect(found.map(\.object) == ["a"])
    #expect(
      found.first?.message == """
        'a' on ZSTOP (ZLONGITUDE) is a prefix of 'b' (ZLONGITUDE, ZLATITUDE), which serves the \
        same fetches.
        """)
  }

  @Test func flagsAnIndexThatNoPlanUses() throws {
    try connection.execute(
      """
      CREATE INDEX a ON ZSTOP (ZLONGITUDE); CREATE INDEX b ON ZSTOP (ZKIND);
      CREATE UNIQUE INDEX c ON ZSTOP (ZNAME); CREATE INDEX d ON ZSTOPTIME (ZDEPARTURETIME);
      CREATE INDEX ZSTOP_ZKIND_INDEX ON ZSTOP (ZKIND, ZNAME);
      """)
    let found = try findings("DropUnusedIndex") { $0.fetch(Self.geo) }
    // Not c, which is unique; not d, as no statement reads its table; b is the first part of
    // another.
    #expect(found.map(\.object) == ["ZSTOP_ZKIND_INDEX"])
    #expect(found.map(\.confidence) == [.low])
  }

  /// SQLite takes one of two indexes, and may take the other one with statistics.
  @Test func anIndexOfAComparedColumnIsNotUnusedWithoutStatistics() throws {
    try connection.execute(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, a INT, b INT, c INT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO item SELECT i, i % 2, i % 100, i FROM n;
      CREATE INDEX item_a ON item(a); CREATE INDEX item_b ON item(b, c);
      CREATE INDEX item_c ON item(c);
      """)
    let write: (inout RunBuilder) -> Void = {
      $0.fetch("SELECT id FROM item t0 WHERE t0.a = ? AND t0.b = ?", entity: "Item")
    }
    #expect(try findings("DropUnusedIndex", write).map(\.object) == ["item_c"])
    try connection.execute("ANALYZE")
    #expect(try findings("DropUnusedIndex", write).map(\.object) == ["item_a", "item_c"])
  }

  /// A deletion of an album, which is not in the workload, would scan the songs without it.
  @Test func anIndexOfAForeignKeyIsNotUnused() throws {
    try connection.execute(
      """
      CREATE TABLE album(id INTEGER PRIMARY KEY);
      CREATE TABLE song(id INTEGER PRIMARY KEY, album INT REFERENCES album ON DELETE CASCADE, year INT);
      CREATE INDEX song_album ON song(album, year); CREATE INDEX song_year ON song(year);
      """)
    let found = try findings("DropUnusedIndex") { $0.fetch("SELECT album FROM song WHERE id = ?") }
    #expect(found.map(\.object) == ["song_year"])
  }

  @Test func aStatementThatCannotBeExplainedMayUseAnyIndex() throws {
    try connection.execute("CREATE INDEX b ON ZSTOP (ZKIND)")
    let write: (inout RunBuilder) -> Void = {
      $0.fetch(Self.geo)
      $0.fetch("SELECT 0 FROM ZOTHER t0")
    }
    #expect(try findings("DropUnusedIndex", write).isEmpty)
  }

  // MARK: - KeepStatistics

  @Test func flagsOldStatistics() throws {
    try connection.execute(
      """
      CREATE INDEX a ON ZSTOP (ZLONGITUDE); ANALYZE;
      WITH n(i) AS (SELECT 20000 UNION ALL SELECT i + 1 FROM n LIMIT 40000)
        INSERT INTO ZSTOP SELECT i, 1, 1, 1, 1, 1, 'new' FROM n;
      """)
    let found = try findings("KeepStatistics") { $0.fetch(Self.geo) }
    #expect(
      found.map(\.message)
        == ["'ZSTOP' has 52,000 rows; its statistics were collected with 12,000."])
  }

  @Test func flagsMissingStatisticsWhereThereIsAChoice() throws {
    let sql = "SELECT 0 FROM ZSTOP t0 WHERE ( t0.ZKIND = ? AND  t0.ZNAME = ?)"
    #expect(try findings("KeepStatistics") { $0.fetch(sql) }.isEmpty)
    try connection.execute("CREATE INDEX a ON ZSTOP (ZKIND)")
    #expect(try findings("KeepStatistics") { $0.fetch(sql) }.isEmpty)
    try connection.execute("CREATE INDEX b ON ZSTOP (ZNAME)")
    #expect(try findings("KeepStatistics") { $0.fetch(sql) }.map(\.object) == ["ZSTOP"])
    #expect(try findings("KeepStatistics") { $0.fetch(Self.geo) }.isEmpty)
    try connection.execute("ANALYZE")
    #expect(try findings("KeepStatistics") { $0.fetch(sql) }.isEmpty)
  }

  @Test func withoutADatabaseTheseRulesAreSilent() {
    let findings = RunBuilder { $0.fetch(Self.photos, rows: 184) }.profile().findings
    #expect(findings.isEmpty)
  }
}
