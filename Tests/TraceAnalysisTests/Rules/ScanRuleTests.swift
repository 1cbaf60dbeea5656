// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// The rules that check statements: each flags its case, and ignores similar ones.
@Suite struct ScanRuleTests {
  static let geo =
    "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLATITUDE = ?)"
  static let text =
    "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 393, 0)"
  static let sorted =
    "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZKIND = ? ORDER BY t0.ZNAME, t0.Z_PK"

  /// Findings of other rules (a fetch of a whole table is one for LimitFetch) are left out.
  private func findings(_ write: (inout RunBuilder) -> Void) -> [Finding] {
    let rules = [
      "AvoidFullTableScan", "UnindexedStringSearch", "UseIndexForSort", "UseStoredSortKey",
      "AvoidAutomaticIndex",
    ]
    return RunBuilder(write).profile().findings.filter { rules.contains($0.rule) }
  }

  @Test func flagsAScanForAFewRows() throws {
    let found = findings { trace in
      for _ in 1...20 {
        trace.fetch(Self.geo, rows: 15, connection: 1_000_000, fullScanSteps: 12_800)
      }
    }
    let finding = try #require(found.first)
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
    #expect(
      finding.message == """
        Each run steps through 12,800 rows of a table without an index to return 15 (20 runs).
        """)
    #expect(
      finding.fix == """
        declare Index(\\.latitude, \\.longitude) in Stop, or: CREATE INDEX \
        ZSTOP_ZLATITUDE_ZLONGITUDE ON ZSTOP (ZLATITUDE, ZLONGITUDE)
        """)
    #expect(finding.caller == .search)
    #expect(finding.statement == StatementID(sql: Self.geo))
    #expect(finding.evidence.contains(.init("fullScanSteps", 256_000)))
    #expect(finding.savesAtMost == 19_976_563)
  }

  @Test(arguments: [("ACHANGE", "deleteHistory"), ("ANSCKRECORDMETADATA", "fetch less often")])
  func noIndexIsAdvisedOnTablesThatCoreDataKeepsForItself(table: String, fix: String) throws {
    let found = findings { trace in
      trace.fetch(
        "SELECT 0, t0.Z_PK FROM \(table) t0 WHERE  t0.ZENTITY = ?", rows: 15, fullScanSteps: 12_800)
    }
    let finding = try #require(found.first)
    #expect(!finding.fix.contains("CREATE") && finding.fix.contains(fix), "\(finding.fix)")
  }

  @Test func minAndMaxAreReadInASelectEach() throws {
    func fix(_ columns: String) -> String? {
      findings { $0.run("SELECT \(columns) FROM t", fullScanSteps: 2999) }.first?.fix
    }
    #expect(fix("min(a), max(a)")?.hasPrefix("read each in a SELECT of its own") == true)
    #expect(fix("min(a), count(*)")?.hasPrefix("read each in a SELECT of its own") == false)
  }

  /// MATCHES runs a regular expression on every row.
  @Test(arguments: [
    ("'????-??-*'", Finding.Severity.note), ("\"[0-9]*\"", .note), ("'*berg*'", .warning),
    ("?", .warning),
  ])
  func aShapeOfATextIsANote(pattern: String, severity: Finding.Severity) {
    let found = findings { trace in
      trace.connect()
      trace.run(
        "SELECT date(a) FROM t WHERE a GLOB \(pattern)", step: 1_000_000, fullScanSteps: 12_800)
    }
    #expect(found.map(\.severity) == [severity])
  }

  @Test func flagsAMatchOnEveryRow() {
    let sql =
      "SELECT 0, t0.Z_PK FROM ZPHOTO t0 WHERE NSCoreDataMatches( t0.ZTAGS, ?, ?)  LIMIT 20"
    let found = findings { trace in
      trace.fetch(sql, rows: 15, connection: 1_000_000, fullScanSteps: 12_800)
    }
    #expect(found.map(\.rule) == ["UnindexedStringSearch"])
  }

  @Test(arguments: [
    ("SELECT * FROM t WHERE lower(a) = lower(?)", "CREATE INDEX t_lower_a ON t (lower(a))"),
    (
      "SELECT * FROM t WHERE a = ? COLLATE NOCASE",
      "CREATE INDEX t_a_COLLATE_NOCASE ON t (a COLLATE NOCASE)"
    ),
    (
      "SELECT * FROM t WHERE a LIKE ?",
      "if the pattern begins with text, an index on the column with COLLATE NOCASE serves LIKE, and a "
        + "plain index serves GLOB; for words within the text, use an FTS5 table"
    ),
    (
      "SELECT * FROM t WHERE a LIKE '%' || ? || '%'",
      "no index serves a pattern that begins with any text: use an FTS5 table, with the trigram tokenizer for "
        + "parts of words"
    ),
  ])
  func aProgramThatWritesItsSQLIsAdvisedInSQL(sql: String, fix: String) {
    let found = findings { trace in
      trace.connect()
      trace.run(sql, step: 1_000_000, fullScanSteps: 12_800)
    }
    #expect(found.map(\.fix) == [fix])
  }

  @Test(
    arguments: [
      (
        "WHERE a = ?", [999, 999], "steps through 999 rows of a table without an index to return 1"
      ),
      (
        "WHERE a = ?", [9, 9000],
        "steps through 4,505 rows of a table without an index on average to return 1"
      ),
      ("WHERE a LIKE ?", [9, 9000], "the text of 4,505 rows, one by one on average, to return 1"),
      ("LIMIT 1 OFFSET ?", [2000], "skips 2,000 rows (OFFSET) to return 1"),
      ("LIMIT 1 OFFSET ?", [1000, 9001], "skips 5,001 rows (OFFSET) on average to return 1"),
    ] as [(String, [UInt64], String)])
  func theMeanOfRunsThatDifferIsAnAverage(clause: String, steps: [UInt64], text: String) {
    let profile = RunBuilder { trace in
      trace.connect()
      for steps in steps { trace.run("SELECT * FROM t \(clause)", fullScanSteps: steps) }
    }.profile()
    #expect(profile.findings.count == 1)
    #expect(profile.findings.first?.message.contains(text) == true)
  }

  /// Hand-written joins often name columns without their table.
  @Test(arguments: [
    (
      "SELECT city FROM orders JOIN customer ON customer_id = id WHERE state = ? LIMIT 20",
      "CREATE INDEX orders_state ON orders (state)"
    ),
    (
      "SELECT city FROM orders JOIN customer ON customer_id = id WHERE city = ?",
      "CREATE INDEX customer_city ON customer (city); "
        + "CREATE INDEX orders_customer_id ON orders (customer_id) (they serve together)"
    ),
    (
      "SELECT city FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE state = ?)",
      "CREATE INDEX orders_state_customer_id ON orders (state, customer_id)"
    ),
    (
      "SELECT number FROM orders WHERE slug(state) = ?",
      "store the result of 'slug' in a column and index that; or make the function deterministic in "
        + "every program that writes to the table, and: CREATE INDEX orders_slug_state ON orders "
        + "(slug(state))"
    ),
  ])
  func theIndexIsForTheTableThatIsScanned(sql: String, fix: String) throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, city TEXT);
      CREATE TABLE orders(number INTEGER PRIMARY KEY, customer_id INT, state TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO orders SELECT i, i % 900, 'state ' || (i % 90) FROM n;
      INSERT INTO customer SELECT number, state FROM orders WHERE number < 900;
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(sql, rows: 5, step: 1_000_000, vmSteps: 15_000, fullScanSteps: 3000)
    }
    let workload = try Workload(run.profile(), database: connection)
    let found = workload.findings.filter { $0.rule == "AvoidFullTableScan" }
    #expect(found.map(\.fix) == [fix])
  }

  /// An UPDATE of a key looks for the rows that refer to it, one of another column does not; the rows of
  /// `INSERT … SELECT` are few beside the rows that the trigger reads for each.
  @Test(arguments: [
    (
      "UPDATE owner SET code = ? WHERE id = ?",
      "index the foreign keys that refer to it: CREATE INDEX pet_owner ON pet (owner)"
    ),
    (
      "INSERT INTO pet(owner) SELECT code FROM owner",
      "the trigger 'counted' reads all of 'pet': CREATE INDEX pet_kind ON pet (kind)"
    ),
  ])
  func whatAWriteReadsBesideItsPlanIsNamed(sql: String, fix: String) throws {
    let connection = try shop()
    try connection.execute(
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
      CREATE TABLE pet(owner TEXT REFERENCES owner(code) ON UPDATE CASCADE, kind TEXT);
      INSERT INTO owner SELECT id, 'o' || id, '' FROM invoice;
      INSERT INTO pet SELECT code, code FROM owner;
      CREATE TRIGGER counted AFTER INSERT ON pet BEGIN
        DELETE FROM pet WHERE kind = NEW.owner;
      END;
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(sql, rows: 0, changes: 1, step: 1_000_000, fullScanSteps: 60_000)
    }
    let found = try Workload(run.profile(), database: connection).findings
    #expect(found.map(\.fix) == [fix])
    let other = PlanExplainer(connection).explain(
      "UPDATE owner SET name = ? WHERE id = ?",
      work: StatementWork(executions: 1, fullScanSteps: 60_000, vmSteps: 600_000))
    #expect(other.judgement?.unindexedReferences == [])
  }

  @Test func theIndexesAreForTheForeignKeysOfADeletion() throws {
    let connection = try shop()
    try connection.execute(
      """
      CREATE TABLE line(id INTEGER PRIMARY KEY, bill INT REFERENCES bill ON DELETE CASCADE);
      CREATE TABLE note(line INT REFERENCES line ON DELETE SET NULL, text, UNIQUE (text, line));
      CREATE TABLE few(bill INT REFERENCES bill);
      CREATE TABLE found(id INTEGER PRIMARY KEY REFERENCES bill, other INT REFERENCES bill);
      CREATE INDEX found_other ON found(other, id);
      CREATE TABLE bill(id INTEGER PRIMARY KEY);
      INSERT INTO bill SELECT id FROM invoice; INSERT INTO line SELECT id, id FROM invoice;
      INSERT INTO note SELECT id, id FROM invoice; INSERT INTO found SELECT id, id FROM invoice;
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(
        "DELETE FROM bill WHERE id = ?", rows: 0, changes: 1, step: 1_000_000, fullScanSteps: 6000)
    }
    let found = try Workload(run.profile(), database: connection).findings
    #expect(
      found.map(\.fix) == [
        """
        index the foreign keys that refer to it: CREATE INDEX line_bill ON line (bill); \
        CREATE INDEX note_line ON note (line)
        """
      ])
  }

  /// They have no plan in the file, but the trace has their counts.
  @Test(arguments: [
    (
      "SELECT id FROM old.invoice WHERE total = ? ORDER BY issued DESC LIMIT 1",
      "CREATE INDEX old.invoice_total_issued ON invoice (total, issued)"
    ),
    (
      "SELECT id FROM old.invoice ORDER BY issued LIMIT 5",
      "CREATE INDEX old.invoice_issued ON invoice (issued)"
    ),
    ("SELECT id FROM wanted WHERE kind = ?", "CREATE INDEX wanted_kind ON wanted (kind)"),
  ])
  func attachedAndTemporaryTablesHaveFindings(sql: String, fix: String) throws {
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(sql, rows: 5, step: 1_000_000, fullScanSteps: 3000, sorts: 1)
    }
    let found = try Workload(run.profile(), database: shop()).findings
    #expect(found.map(\.fix) == [fix])
  }

  @Test func theIndexIsForTheTriggerThatScans() throws {
    let connection = try shop()
    try connection.execute(
      """
      CREATE TRIGGER paid AFTER UPDATE OF total ON invoice BEGIN
        UPDATE invoice SET issued = NEW.issued WHERE total = OLD.total;
      END
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(
        "UPDATE invoice SET total = 0 WHERE id = ?", rows: 0, changes: 1, step: 1_000_000,
        fullScanSteps: 3000)
    }
    let found = try Workload(run.profile(), database: connection).findings
    #expect(
      found.map(\.fix) == [
        "the trigger 'paid' reads all of 'invoice': CREATE INDEX invoice_total ON invoice (total)"
      ])
    // Without a database nothing shows that `id` is the key, and not a scanned column.
    #expect(
      run.profile().findings.map(\.fix) == [
        "see which table is scanned with: trace-report plans INPUT --database FILE"
      ])
  }

  @Test func theTriggerOfAnUpsertIsNamed() throws {
    let connection = try shop()
    try connection.execute(
      """
      CREATE TRIGGER paid AFTER UPDATE ON invoice BEGIN
        DELETE FROM invoice WHERE total = OLD.total;
      END
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(
        "INSERT INTO invoice(id, total) VALUES (?, 1) ON CONFLICT DO UPDATE SET total = 2", rows: 0,
        changes: 1, step: 1_000_000, fullScanSteps: 3000)
    }
    let found = try Workload(run.profile(), database: connection).findings
    #expect(
      found.map(\.fix) == [
        "the trigger 'paid' reads all of 'invoice': CREATE INDEX invoice_total ON invoice (total)"
      ])
  }

  /// The offset is not in the text; the rows that were read and not returned are the rows it skips.
  @Test func anOffsetThatIsBoundIsCounted() {
    func rules(_ sql: String, sorts: UInt64 = 0) -> [String] {
      RunBuilder { trace in
        trace.connect()
        trace.run(sql, rows: 20, step: 1_000_000, fullScanSteps: 3169, sorts: sorts)
      }.profile().findings.map(\.rule).filter { Rules.ofScans.contains($0) }
    }
    #expect(rules("SELECT id FROM log ORDER BY id LIMIT 20 OFFSET ?") == ["AvoidDeepOffset"])
    #expect(rules("SELECT id FROM log ORDER BY id LIMIT ?, 20") == ["AvoidDeepOffset"])
    #expect(
      rules("SELECT id FROM log WHERE msg = ? LIMIT 20 OFFSET ?") == ["AvoidFullTableScan"])
    #expect(
      rules("SELECT id FROM log ORDER BY msg LIMIT 20 OFFSET ?", sorts: 1) == ["UseIndexForSort"])
  }

  /// Its index is that of its module: neither CREATE INDEX nor another FTS5 table helps.
  @Test func aVirtualTableIsSearchedByItsModule() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE VIRTUAL TABLE doc USING fts5(title, body);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO doc SELECT 'title ' || i, 'body ' || i FROM n;
      """)
    let search = "search 'doc' by its index: MATCH for full text, bounds for boxes"
    let rowid = """
      'doc' is a virtual table that finds rows by rowid alone or by its own search: keep the rowid in a table with \
      an index on title, and compare it
      """
    for (condition, fix) in [
      ("title LIKE '%5'", search), ("title LIKE ?", search), ("title = 'title 5'", rowid),
    ] {
      let run = RunBuilder { trace in
        trace.connect()
        trace.run(
          "SELECT body FROM doc WHERE \(condition)", rows: 0, step: 1_000_000, vmSteps: 30_000)
      }
      let found = try Workload(run.profile(), database: connection).findings
      #expect(found.map(\.rule) == ["AvoidFullTableScan"])
      #expect(
        found[0].message
          == "By its plan each run reads all 3,000 rows of 'doc' to return 0 (1 run).")
      #expect(found[0].fix == fix)
    }
    let count = RunBuilder { trace in
      trace.connect()
      trace.run("SELECT count(*) FROM doc", step: 1_000_000, vmSteps: 12_000)
    }
    let found = try Workload(count.profile(), database: connection).findings
    #expect(found.map(\.severity) == [.note], "it needs every row")
  }

  private func shop() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, city TEXT);
      CREATE TABLE invoice(id INTEGER PRIMARY KEY, customer_id INT, issued TEXT, total INT);
      CREATE VIEW open_invoice AS SELECT i.id, i.issued AS day, i.total, c.city
        FROM invoice i JOIN customer c ON c.id = i.customer_id WHERE i.total > 0;
      CREATE VIEW spent AS SELECT customer_id AS city, sum(total) AS sum FROM invoice GROUP BY 1;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO invoice SELECT i, i % 900, date('2026-01-01', i || ' days'), i FROM n;
      INSERT INTO customer SELECT id, 'city ' || id FROM invoice WHERE id < 900;
      """)
    return connection
  }

  @Test(arguments: [
    (
      "SELECT id, total FROM open_invoice WHERE day < ? ORDER BY day LIMIT 40",
      "AvoidFullTableScan", "CREATE INDEX invoice_issued ON invoice (issued)"
    ),
    (
      "SELECT id FROM open_invoice WHERE total = ? AND day > ?", "AvoidFullTableScan",
      "CREATE INDEX invoice_total_issued ON invoice (total, issued)"
    ),
    (
      "SELECT city FROM spent WHERE sum = ?", "AvoidFullTableScan",
      """
      all of the view 'spent' is computed before its rows are compared: write the WHERE in its \
      SELECT, and index the columns behind 'sum'
      """
    ),
    (
      "WITH paid AS (SELECT * FROM invoice) SELECT id FROM paid WHERE total = ?",
      "AvoidFullTableScan",
      "CREATE INDEX invoice_total ON invoice (total)"
    ),
    (
      """
      SELECT c.city, sum(i.total) FROM invoice i LEFT JOIN customer c ON c.id = i.customer_id
      WHERE strftime('%Y-%m', i.issued) = ? GROUP BY c.city ORDER BY 2 DESC LIMIT 5
      """, "AvoidFullTableScan",
      """
      CREATE INDEX invoice_strftime_Y_m_issued ON invoice (strftime('%Y-%m', issued))
      """
    ),
    (
      "SELECT city, max(id) FROM customer GROUP BY city ORDER BY 2 DESC LIMIT 5",
      "AvoidFullTableScan",
      """
      store the sum or the list that it computes from 'customer' in a separate row and keep it up \
      to date, or index the columns that it reads
      """
    ),
  ])
  func anIndexIsAdvisedOnlyForTablesThatCanHaveOne(sql: String, rule: String, fix: String) throws {
    let connection = try shop()
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(sql, rows: 5, step: 1_000_000, fullScanSteps: 3000, sorts: 1)
    }
    let found = try Workload(run.profile(), database: connection).findings
    #expect(found.map(\.rule) == [rule])
    #expect(found.map(\.fix) == [fix])
    for fix in found.map(\.fix) where fix.hasPrefix("CREATE") {
      #expect(throws: Never.self) { try connection.execute(fix) }
    }
  }

  @Test func anAutomaticIndexIsToBeMadeOnce() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, city TEXT);
      CREATE TABLE line("order" INT, sku TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO line SELECT i, 'sku ' || (i % 90) FROM n;
      INSERT INTO customer SELECT "order", sku FROM line;
      """)
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(
        #"SELECT city FROM customer LEFT JOIN line ON "order" = id AND sku = city"#, rows: 5,
        step: 1_000_000, autoIndexRows: 3000)
    }
    let workload = try Workload(run.profile(), database: connection)
    let found = workload.findings.filter { $0.rule == "AvoidAutomaticIndex" }
    // Each row of customer is searched for either way.
    #expect(
      found.map(\.fix) == [
        #"no index halves its steps: keep its result, or read fewer rows; an index ON line ("order", sku) takes "#
          + "36,006 VM steps in place of 66,009"
      ])
    #expect(found.map(\.severity) == [.warning])
  }

  /// Every row counts: an index is smaller than its table, and is read as a whole.
  @Test func groupsOfAWholeTableAreReadInTheOrderOfTheirIndex() throws {
    let connection = try shop()
    let run = RunBuilder { trace in
      trace.connect()
      trace.run(
        "SELECT city, count(*) FROM customer GROUP BY city", rows: 5, step: 1_000_000,
        fullScanSteps: 3000)
    }
    func found() throws -> Finding {
      try #require(Workload(run.profile(), database: connection).findings.first)
    }
    let table = try found()
    #expect(table.message == "Each run steps through 3,000 rows of a table to return 5 (1 run).")
    #expect(table.fix.hasSuffix("or index the columns that it reads"))
    try connection.execute("CREATE INDEX customer_city ON customer (city)")
    let index = try found()
    #expect(
      index.message == """
        Each run reads all of 'customer' in the order of the index 'customer_city', 3,000 rows, to \
        return 5 (1 run).
        """)
    #expect(
      index.fix == """
        store the sum or the list that it computes from 'customer' in a separate row and keep it \
        up to date
        """)
  }

  @Test func aScanThatWritesReportsItsChanges() {
    let found = findings { trace in
      trace.connect()
      trace.run(
        "UPDATE t SET a = 1 WHERE b = ?", changes: 20, step: 1_000_000, fullScanSteps: 12_800)
    }
    #expect(
      found.map(\.message) == [
        "Each run steps through 12,800 rows of a table without an index to change 20 (1 run)."
      ])
  }

  @Test func leavesSmallTablesAlone() {
    #expect(findings { $0.fetch(Self.geo, rows: 1, fullScanSteps: 40) }.isEmpty)
  }

  @Test func leavesAFetchOfTheWholeTableAlone() {
    #expect(
      findings { $0.fetch("SELECT 0 FROM ZSTOP t0", rows: 12_800, fullScanSteps: 12_799) }.isEmpty)
  }

  @Test func leavesManySmallScansAlone() {
    #expect(
      findings { trace in
        for _ in 1...1000 { trace.fetch(Self.geo, rows: 1, fullScanSteps: 40) }
      }.isEmpty)
  }

  @Test func leavesAnIndexedSearchAlone() {
    #expect(findings { $0.fetch(Self.geo, rows: 15, vmSteps: 90_000) }.isEmpty)
  }

  @Test func flagsAScanBehindAFault() {
    let found = findings { trace in
      trace.announce(RunBuilder.faultSQL)
      trace.fault(relationship: "stopTimes", rows: 70, fullScanSteps: 3_000_000)
    }
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
  }

  @Test func advisesAnIndexForEachAlternative() {
    let sql = "SELECT 0 FROM ZSTOP t0 WHERE ( t0.ZA = ? OR  t0.ZB = ?)"
    let found = findings { $0.fetch(sql, rows: 1, fullScanSteps: 5000) }
    #expect(
      found.map(\.fix) == [
        """
        declare Index(\\.a), Index(\\.b) in Stop (each OR needs its own), or: CREATE INDEX \
        ZSTOP_ZA_INDEX ON ZSTOP (ZA); CREATE INDEX ZSTOP_ZB_INDEX ON ZSTOP (ZB)
        """
      ])
  }

  @Test func survivesAStatementWithoutItsText() {
    let found = findings { $0.end($0.begin(), Self.geo, rows: 1, fullScanSteps: 5000) }
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
  }

  @Test func flagsATextSearchOfEveryRow() {
    let found = findings { $0.fetch(Self.text, rows: 3, fullScanSteps: 12_800) }
    #expect(found.map(\.rule) == ["UnindexedStringSearch"])
  }

  @Test func leavesATextSearchOfAFewRowsAlone() {
    #expect(findings { $0.fetch(Self.text, rows: 3, fullScanSteps: 0) }.isEmpty)
    #expect(findings { $0.fetch(Self.text, rows: 3, fullScanSteps: 60) }.isEmpty)
  }

  @Test func flagsASortOfManyRows() {
    let found = findings { $0.fetch(Self.sorted, rows: 1500, vmSteps: 60_000, sorts: 1) }
    #expect(found.map(\.rule) == ["UseIndexForSort"])
    // Nothing was tried, and all rows are returned: an index may take as long.
    #expect(found[0].severity == .note)
    #expect(found[0].fix.hasPrefix("declare Index(\\.kind, \\.name) in Stop"))
  }

  @Test func flagsASortOfRowsThatTheLimitHides() {
    let found = findings {
      $0.fetch(Self.sorted, rows: 50, vmSteps: 200_000, sorts: 1, limit: 50)
    }
    #expect(found.map(\.rule) == ["UseIndexForSort"])
  }

  @Test func leavesSortsOfFewRowsAlone() {
    #expect(findings { $0.fetch(Self.sorted, rows: 15, vmSteps: 500, sorts: 1) }.isEmpty)
    #expect(
      findings { $0.fetch(Self.sorted, rows: 15, vmSteps: 500, sorts: 1, limit: 50) }.isEmpty)
  }

  @Test func leavesLookUpsOfTheSchemaAlone() {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    let found = findings {
      for _ in 1...20 {
        $0.fetch(sql, rows: 1740, vmSteps: 30_600, fullScanSteps: 6960, sorts: 1, bindHash: 1)
      }
    }
    #expect(found.isEmpty)
  }

  @Test func leavesAnIndexedOrderAlone() {
    #expect(findings { $0.fetch(Self.sorted, rows: 15_000, vmSteps: 600_000) }.isEmpty)
  }

  @Test func flagsASortByTheRulesOfALanguage() {
    let sql = "SELECT 0 FROM ZRECORD t0 ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitive"
    let found = findings { $0.fetch(sql, rows: 1500, vmSteps: 60_000, sorts: 1) }
    #expect(found.map(\.rule) == ["UseStoredSortKey"])
    #expect(found[0].fix.hasPrefix("store a sort key with the value"))
    #expect(found[0].saving == nil)
  }

  @Test func leavesShortListsAndUnsortedOnesOfALanguageAlone() {
    let sql = "SELECT 0 FROM ZRECORD t0 ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitive"
    #expect(findings { $0.fetch(sql, rows: 150, vmSteps: 6000, sorts: 1) }.isEmpty)
    #expect(findings { $0.fetch(sql, rows: 1500, vmSteps: 60_000) }.isEmpty)
    let inner =
      "SELECT 0 FROM (SELECT 1 FROM ZA ORDER BY ZX COLLATE NSCollateFinderlike) ORDER BY ZY"
    #expect(findings { $0.fetch(inner, rows: 1500, vmSteps: 60_000, sorts: 1) }.isEmpty)
  }

  @Test func flagsAnAutomaticIndex() {
    let found = findings { $0.fetch(Self.geo, rows: 15, autoIndexRows: 3_000_000) }
    #expect(found.map(\.rule) == ["AvoidAutomaticIndex"])
  }

  @Test func leavesASmallAutomaticIndexAlone() {
    #expect(findings { $0.fetch(Self.geo, rows: 15, autoIndexRows: 12) }.isEmpty)
  }

  @Test func countOfManyRowsIsAFullScan() {
    let sql = "SELECT COUNT(*) FROM ZSTOP t0 WHERE  t0.ZKIND = ?"
    let found = findings { $0.fetch(sql, kind: .count, rows: 10_456, fullScanSteps: 12_800) }
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
    #expect(found.first?.message.contains("to return 1 ") == true)
  }

  @Test func pagesThatDifferInTheirOffsetAreOneFinding() {
    let found = RunBuilder { trace in
      for page in 0..<61 as Range<UInt64> {
        trace.fetch(
          "SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.Z_PK LIMIT 50 OFFSET \(page * 1000)",
          rows: 50, fullScanSteps: page * 1000 + 50, limit: 50, offset: page * 1000)
      }
    }.profile().findings
    #expect(found.map(\.rule) == ["AvoidDeepOffset"])
    #expect(found.first?.message.contains("61 statements that differ in their values") == true)
  }

  @Test func aTextThatContainsLIKEIsNoTextSearch() {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = 'I LIKE trains'"
    let found = findings { $0.fetch(sql, rows: 1, fullScanSteps: 12_800) }
    #expect(found.map(\.rule) == ["AvoidFullTableScan"])
  }

  @Test func groupingIsNoSort() {
    let sql = "SELECT t0.ZKIND, COUNT( t0.Z_PK) FROM ZSTOP t0 GROUP BY  t0.ZKIND"
    #expect(
      !findings { $0.fetch(sql, kind: .dictionaries, rows: 1500, vmSteps: 90_000, sorts: 1) }
        .contains { $0.rule == "UseIndexForSort" })
  }

  @Test func twoLinesOfOneFormAreTwoFindings() {
    let other = SourceLocation(file: "transit/Other.swift", line: 7)
    let found = findings { trace in
      trace.fetch(Self.geo, rows: 1, fullScanSteps: 12_800)
      trace.fetch(Self.geo, at: other, rows: 1, fullScanSteps: 12_800)
    }
    #expect(Set(found.map(\.caller)) == [.search, other])
  }

  @Test func putsTheLargestSavingFirst() {
    let found = findings { trace in
      trace.fetch(Self.text, rows: 0, connection: 1000, fullScanSteps: 5000)
      trace.fetch(Self.geo, rows: 0, connection: 9000, fullScanSteps: 5000)
    }
    #expect(found.map(\.rule) == ["AvoidFullTableScan", "UnindexedStringSearch"])
  }
}
