// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// One plan in the forms in which programs print it.
struct PlanForm: Sendable, CustomStringConvertible {
  var name: String
  var text: String
  var description: String { name }

  static let sql = "SELECT * FROM a WHERE x IN (SELECT a_id FROM b WHERE z = a.y) ORDER BY y"

  /// As SQLite 3.40 and its shell print it.
  static let current: [Self] = [
    .init(
      name: "tree",
      text: """
        QUERY PLAN
        |--SCAN a
        |--CORRELATED LIST SUBQUERY 1
        |  `--SEARCH b USING INDEX bz (z=?)
        `--USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "list",
      text: """
        id|parent|notused|detail
        3|0|0|SCAN a
        6|0|0|CORRELATED LIST SUBQUERY 1
        9|6|0|SEARCH b USING INDEX bz (z=?)
        29|0|0|USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "csv",
      text: """
        id,parent,notused,detail
        3,0,0,"SCAN a"
        6,0,0,"CORRELATED LIST SUBQUERY 1"
        9,6,0,"SEARCH b USING INDEX bz (z=?)"
        29,0,0,"USE TEMP B-TREE FOR ORDER BY"
        """),
    .init(
      name: "column",
      text: """
        id  parent  notused  detail
        --  ------  -------  -----------------------------
        3   0       0        SCAN a
        6   0       0        CORRELATED LIST SUBQUERY 1
        9   6       0        SEARCH b USING INDEX bz (z=?)
        29  0       0        USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "box",
      text: """
        ┌────┬────────┬─────────┬───────────────────────────────┐
        │ id │ parent │ notused │            detail             │
        ├────┼────────┼─────────┼───────────────────────────────┤
        │ 3  │ 0      │ 0       │ SCAN a                        │
        │ 6  │ 0      │ 0       │ CORRELATED LIST SUBQUERY 1    │
        │ 9  │ 6      │ 0       │ SEARCH b USING INDEX bz (z=?) │
        │ 29 │ 0      │ 0       │ USE TEMP B-TREE FOR ORDER BY  │
        └────┴────────┴─────────┴───────────────────────────────┘
        """),
    .init(
      name: "markdown",
      text: """
        | id | parent | notused |            detail             |
        |----|--------|---------|-------------------------------|
        | 3  | 0      | 0       | SCAN a                        |
        | 6  | 0      | 0       | CORRELATED LIST SUBQUERY 1    |
        | 9  | 6      | 0       | SEARCH b USING INDEX bz (z=?) |
        | 29 | 0      | 0       | USE TEMP B-TREE FOR ORDER BY  |
        """),
    .init(
      name: "table",
      text: """
        +----+--------+---------+-------------------------------+
        | id | parent | notused |            detail             |
        +----+--------+---------+-------------------------------+
        | 3  | 0      | 0       | SCAN a                        |
        | 6  | 0      | 0       | CORRELATED LIST SUBQUERY 1    |
        | 9  | 6      | 0       | SEARCH b USING INDEX bz (z=?) |
        | 29 | 0      | 0       | USE TEMP B-TREE FOR ORDER BY  |
        +----+--------+---------+-------------------------------+
        """),
    .init(
      name: "json",
      text: """
        [{"id":3,"parent":0,"notused":0,"detail":"SCAN a"},
        {"id":6,"parent":0,"notused":0,"detail":"CORRELATED LIST SUBQUERY 1"},
        {"id":9,"parent":6,"notused":0,"detail":"SEARCH b USING INDEX bz (z=?)"},
        {"id":29,"parent":0,"notused":0,"detail":"USE TEMP B-TREE FOR ORDER BY"}]
        """),
    .init(
      name: "json on one line, with sorted keys",
      text: #"""
        [{"detail":"SCAN a","id":3,"notused":0,"parent":0},{"detail":"CORRELATED LIST SUBQUERY 1","id":6,"notused":0,"parent":0},{"detail":"SEARCH b USING INDEX bz (z\u003d?)","id":9,"notused":0,"parent":6},{"detail":"USE TEMP B-TREE FOR ORDER BY","id":29,"notused":0,"parent":0}]
        """#),
    .init(
      name: "json over lines",
      text: """
        [
          {
            "id": 3,
            "parent": 0,
            "notused": 0,
            "detail": "SCAN a"
          },
          {
            "id": 6,
            "parent": 0,
            "notused": 0,
            "detail": "CORRELATED LIST SUBQUERY 1"
          },
          {
            "id": 9,
            "parent": 6,
            "notused": 0,
            "detail": "SEARCH b USING INDEX bz (z=?)"
          },
          {
            "id": 29,
            "parent": 0,
            "notused": 0,
            "detail": "USE TEMP B-TREE FOR ORDER BY"
          }
        ]
        """),
    .init(
      name: "line",
      text: """
             id = 3
         parent = 0
        notused = 0
         detail = SCAN a

             id = 6
         parent = 0
        notused = 0
         detail = CORRELATED LIST SUBQUERY 1

             id = 9
         parent = 6
        notused = 0
         detail = SEARCH b USING INDEX bz (z=?)

             id = 29
         parent = 0
        notused = 0
         detail = USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "quote",
      text: """
        'id','parent','notused','detail'
        3,0,0,'SCAN a'
        6,0,0,'CORRELATED LIST SUBQUERY 1'
        9,6,0,'SEARCH b USING INDEX bz (z=?)'
        29,0,0,'USE TEMP B-TREE FOR ORDER BY'
        """),
    .init(
      name: "html",
      text: """
        <TR><TH>id</TH>
        <TH>parent</TH>
        <TH>notused</TH>
        <TH>detail</TH>
        </TR>
        <TR><TD>3</TD>
        <TD>0</TD>
        <TD>0</TD>
        <TD>SCAN a</TD>
        </TR>
        <TR><TD>6</TD>
        <TD>0</TD>
        <TD>0</TD>
        <TD>CORRELATED LIST SUBQUERY 1</TD>
        </TR>
        <TR><TD>9</TD>
        <TD>6</TD>
        <TD>0</TD>
        <TD>SEARCH b USING INDEX bz (z=?)</TD>
        </TR>
        <TR><TD>29</TD>
        <TD>0</TD>
        <TD>0</TD>
        <TD>USE TEMP B-TREE FOR ORDER BY</TD>
        </TR>
        """),
    .init(
      name: "insert",
      text: """
        INSERT INTO "table"(id,parent,notused,detail) VALUES(3,0,0,'SCAN a');
        INSERT INTO "table"(id,parent,notused,detail) VALUES(6,0,0,'CORRELATED LIST SUBQUERY 1');
        INSERT INTO "table"(id,parent,notused,detail) VALUES(9,6,0,'SEARCH b USING INDEX bz (z=?)');
        INSERT INTO "table"(id,parent,notused,detail) VALUES(29,0,0,'USE TEMP B-TREE FOR ORDER BY');
        """),
    .init(
      name: "tabs",
      text: """
        id\tparent\tnotused\tdetail
        3\t0\t0\tSCAN a
        6\t0\t0\tCORRELATED LIST SUBQUERY 1
        9\t6\t0\tSEARCH b USING INDEX bz (z=?)
        29\t0\t0\tUSE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "ascii",
      text: "id\u{1f}parent\u{1f}notused\u{1f}detail\u{1e}3\u{1f}0\u{1f}0\u{1f}SCAN a\u{1e}"
        + "6\u{1f}0\u{1f}0\u{1f}CORRELATED LIST SUBQUERY 1\u{1e}"
        + "9\u{1f}6\u{1f}0\u{1f}SEARCH b USING INDEX bz (z=?)\u{1e}"
        + "29\u{1f}0\u{1f}0\u{1f}USE TEMP B-TREE FOR ORDER BY\u{1e}"),
    .init(
      name: "tcl",
      text: """
        "id" "parent" "notused" "detail"
        "3" "0" "0" "SCAN a"
        "6" "0" "0" "CORRELATED LIST SUBQUERY 1"
        "9" "6" "0" "SEARCH b USING INDEX bz (z=?)"
        "29" "0" "0" "USE TEMP B-TREE FOR ORDER BY"
        """),
    .init(
      name: "tuples of Python",
      text: "[(3, 0, 0, 'SCAN a'), (6, 0, 0, 'CORRELATED LIST SUBQUERY 1'), "
        + "(9, 6, 0, 'SEARCH b USING INDEX bz (z=?)'), (29, 0, 0, 'USE TEMP B-TREE FOR ORDER BY')]"),
    .init(
      name: "dictionaries of Python",
      text: """
        {'id': 3, 'parent': 0, 'notused': 0, 'detail': 'SCAN a'}
        {'id': 6, 'parent': 0, 'notused': 0, 'detail': 'CORRELATED LIST SUBQUERY 1'}
        {'id': 9, 'parent': 6, 'notused': 0, 'detail': 'SEARCH b USING INDEX bz (z=?)'}
        {'id': 29, 'parent': 0, 'notused': 0, 'detail': 'USE TEMP B-TREE FOR ORDER BY'}
        """),
    .init(
      name: "hashes of Ruby",
      text: """
        [{"id"=>3, "parent"=>0, "notused"=>0, "detail"=>"SCAN a"},
         {"id"=>6, "parent"=>0, "notused"=>0, "detail"=>"CORRELATED LIST SUBQUERY 1"},
         {"id"=>9, "parent"=>6, "notused"=>0, "detail"=>"SEARCH b USING INDEX bz (z=?)"},
         {"id"=>29, "parent"=>0, "notused"=>0, "detail"=>"USE TEMP B-TREE FOR ORDER BY"}]
        """),
    .init(
      name: "print_r of PHP",
      text: """
        Array
        (
            [0] => Array
                (
                    [id] => 3
                    [parent] => 0
                    [notused] => 0
                    [detail] => SCAN a
                )

            [1] => Array
                (
                    [id] => 6
                    [parent] => 0
                    [notused] => 0
                    [detail] => CORRELATED LIST SUBQUERY 1
                )

            [2] => Array
                (
                    [id] => 9
                    [parent] => 6
                    [notused] => 0
                    [detail] => SEARCH b USING INDEX bz (z=?)
                )

            [3] => Array
                (
                    [id] => 29
                    [parent] => 0
                    [notused] => 0
                    [detail] => USE TEMP B-TREE FOR ORDER BY
                )

        )
        """),
    .init(
      name: "rows of a program, by spaces",
      text: """
        3 0 0 SCAN a
        6 0 0 CORRELATED LIST SUBQUERY 1
        9 6 0 SEARCH b USING INDEX bz (z=?)
        29 0 0 USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "a log with words before each row",
      text: """
        2026-11-21 14:12:28 DEBUG app.db 3|0|0|SCAN a
        2026-11-21 14:12:28 DEBUG app.db 6|0|0|CORRELATED LIST SUBQUERY 1
        2026-11-21 14:12:28 DEBUG app.db 9|6|0|SEARCH b USING INDEX bz (z=?)
        2026-11-21 14:12:28 DEBUG app.db 29|0|0|USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "indented words",
      text: """
        SCAN a
        CORRELATED LIST SUBQUERY 1
          SEARCH b USING INDEX bz (z=?)
        USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "before 3.24",
      text: """
        selectid|order|from|detail
        0|0|0|SCAN TABLE a
        0|0|0|EXECUTE CORRELATED LIST SUBQUERY 1
        1|0|0|SEARCH TABLE b USING INDEX bz (z=?)
        0|0|0|USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: "3.7, with estimates",
      text: """
        0|0|0|SCAN TABLE a (~500000 rows)
        0|0|0|EXECUTE CORRELATED LIST SUBQUERY 1
        1|0|0|SEARCH TABLE b USING INDEX bz (z=?) (~10 rows)
        0|0|0|USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: ".eqp on of 3.8",
      text: """
        --EQP-- 0,0,0,SCAN TABLE a
        --EQP-- 0,0,0,EXECUTE CORRELATED LIST SUBQUERY 1
        --EQP-- 1,0,0,SEARCH TABLE b USING INDEX bz (z=?)
        --EQP-- 0,0,0,USE TEMP B-TREE FOR ORDER BY
        """),
    .init(
      name: ".scanstats on",
      text: """
        QUERY PLAN (cycles=1135772 [100%])
        |--SCAN a                              (cycles=98112 [9%] loops=1 rows=1000)
        |--CORRELATED LIST SUBQUERY 1          (cycles=901113 [79%])
        |  `--SEARCH b USING INDEX bz (z=?)    (cycles=801113 [70%] loops=1000 rows=1000)
        `--USE TEMP B-TREE FOR ORDER BY        (cycles=10123 [1%])
        """),
  ]
}

@Suite struct PlanTranscriptTests {
  private func listing(_ text: String) throws -> PlanTranscript.Listing {
    let listings = PlanTranscript(text).listings
    #expect(listings.count == 1, "\(listings)")
    return try #require(listings.first)
  }

  @Test(arguments: PlanForm.current)
  func everyFormIsTheSamePlan(form: PlanForm) throws {
    let listing = try listing(form.text)
    #expect(listing.sql == nil)
    let plan = listing.plan
    #expect(plan.roots.count == 3)
    #expect(plan.nodes.map(\.children.count) == [0, 1, 0, 0])
    let accesses = plan.nodes.compactMap(\.fact.access)
    #expect(accesses.map(\.table) == ["a", "b"])
    #expect(accesses.map(\.index) == [nil, .named("bz", isCovering: false)])
    #expect(accesses.map(\.constraint) == [nil, "z=?"])
    #expect(plan.roots.last?.fact == .temporaryBTree(purpose: "ORDER BY"))
    #expect(plan.nodes.map(\.fact).contains(.subquery(isList: true, isCorrelated: true)))
  }

  /// Ways in which a text reaches a page, and is copied from it.
  static let wrappings: [@Sendable (String) -> String] = [
    { $0.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n") },
    { $0.split(separator: "\n").map { "> > \($0)" }.joined(separator: "\n") },
    { $0.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n") },
    { "My query is slow. The plan:\n\n```\n\($0)\n```\n\nIs an index missing? SCAN is slow." },
    {
      $0.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("'", with: "&#39;").replacing("\"", with: "&quot;")
    },
    { "<p>The plan:</p><pre><code>\($0)</code></pre>" },
    { $0.replacing(" ", with: "\u{a0}") },
    { $0.replacing("\n", with: "\r\n") },
    { "\u{feff}\($0)\n\u{1b}[1mRun Time\u{1b}[0m: real 0.001 user 0.000\n" },
    { "sqlite> EXPLAIN QUERY PLAN\n   ...> \(PlanForm.sql);\n\($0)\nsqlite> .quit" },
    { "sqlite> .eqp on\nsqlite> \(PlanForm.sql);\n\($0)\n1|2|3\n4|5|6\nsqlite> " },
    { "EXPLAIN for: \(PlanForm.sql)\n\($0)\n" },
    { "\(PlanForm.sql.lowercased());\n\n\($0)" },
  ]

  @Test(arguments: PlanForm.current, wrappings.indices)
  func wrappedPlanIsReadTheSame(form: PlanForm, index: Int) throws {
    // No page shows HTML within entities, or a table of one column within a quotation.
    if form.name == "html", [4, 6].contains(index) { return }
    let text = Self.wrappings[index](form.text)
    let listing = try listing(text)
    #expect(listing.steps.count == 4, "\(text)\n\(listing.steps)")
    #expect(listing.plan.roots.count == 3, "\(text)")
    #expect((listing.sql != nil) == (index >= 9), "\(text)")
    #expect(listing.sql.map { $0.lowercased() == PlanForm.sql.lowercased() } != false)
  }

  @Test func aSessionHasAPlanForEachStatement() {
    let session = """
      SQLite version 3.40.1 2022-12-28 14:03:47
      Enter ".help" for usage hints.
      sqlite> .eqp on
      sqlite> SELECT *
         ...> FROM a
         ...> WHERE x=5;
      QUERY PLAN
      `--SCAN a
      5|5|5
      sqlite> CREATE INDEX ax ON a(x);
      sqlite> SELECT * FROM a WHERE x=5 UNION ALL
         ...> SELECT * FROM b;
      QUERY PLAN
      `--COMPOUND QUERY
         |--LEFT-MOST SUBQUERY
         |  `--SEARCH a USING INDEX ax (x=?)
         `--UNION ALL
            `--SCAN b
      5|5|5
      sqlite> EXPLAIN QUERY PLAN
         ...> DELETE FROM b
         ...> WHERE a_id=4;
      QUERY PLAN
      `--SCAN b
      sqlite>
      """
    let listings = PlanTranscript(session).listings
    #expect(
      listings.map(\.sql) == [
        "SELECT *\nFROM a\nWHERE x=5", "SELECT * FROM a WHERE x=5 UNION ALL\nSELECT * FROM b",
        "DELETE FROM b\nWHERE a_id=4",
      ])
    #expect(listings.map(\.steps.count) == [1, 5, 1])
    #expect(listings.map(\.line) == [8, 14, 24])
  }

  @Test func bytecodeAfterATreeIsNoPart() throws {
    let listing = try listing(
      """
      QUERY PLAN
      `--SCAN a
      addr  opcode         p1    p2    p3    p4             p5  comment
      ----  -------------  ----  ----  ----  -------------  --  -------------
      0     Init           0     12    0                    0
      1     Null           0     1     1                    0
      2     Explain        2     0     0     SCAN a         0
      3     Rewind         0     8     0                    0
      1
      """)
    #expect(listing.steps.map(\.detail) == ["SCAN a"])
  }

  @Test func oldCountsOfScanstatsBelongToTheirLoops() throws {
    let listing = try listing(
      """
      -------- scanstats --------
      Loop  1: SCAN TABLE a
               nLoop=1        nRow=1000     estRow=1048576  estRow/Loop=1.04858e+06
      Loop  2: SEARCH TABLE b USING INDEX bz (z=?)
               nLoop=1000     nRow=2000     estRow=10       estRow/Loop=10
      ---------------------------
      """)
    #expect(listing.plan.nodes.compactMap(\.fact.access?.rows) == [.counted(1000), .counted(2)])
  }

  @Test func plansOneAfterTheOtherAreSeparate() {
    let old = """
      1|0|0|SCAN TABLE a
      1|0|0|USE TEMP B-TREE FOR GROUP BY
      0|0|0|SCAN SUBQUERY 1 AS s
      0|0|0|SEARCH TABLE b USING INDEX bz (z=?)
      """
    #expect(PlanTranscript(old).listings.map(\.steps.count) == [3, 1])
    let new = "3|0|0|SCAN t\n9|0|0|USE TEMP B-TREE FOR ORDER BY\n2|0|0|SCAN u\n2|0|0|SCAN v"
    #expect(PlanTranscript(new).listings.map(\.steps.count) == [2, 1, 1])
    let terms = """
      0|0|0|SEARCH TABLE a USING INDEX ax (x=?)
      0|0|0|SEARCH TABLE a USING INDEX ay (y=?)
      """
    #expect(PlanTranscript(terms).listings.count == 1)
    #expect(PlanTranscript("SCAN a\n\nSCAN b").listings.count == 2)
  }

  @Test func aRowThatWasWrappedIsWhole() throws {
    let listing = try listing(
      """
      sqlite> EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZSTOP t0
         ...> WHERE (? <= t0.ZLONGITUDE AND t0.ZLONGITUDE <= ?);
      0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX
      ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND
      ZLONGITUDE<?) (~6944 rows)
      """)
    #expect(
      listing.steps.map(\.detail) == [
        "SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND "
          + "ZLONGITUDE<?) (~6944 rows)"
      ])
    let access = try #require(listing.plan.roots.first?.fact.access)
    #expect(access.rows == .estimated(6944))
    #expect(access.constraint == "ZLONGITUDE>? AND ZLONGITUDE<?")
  }

  @Test(arguments: [
    "", "\n\n", "SCAN the whole table first, then sort.", "Use an index to avoid SCAN TABLE.",
    "SEARCH for it.", "1|2|3\n4|5|6", "LEFT\nRIGHT\n", "| a | b |\n|---|---|\n| 1 | 2 |",
    "SELECT 1 UNION ALL\nSELECT 2", "{\"a\": 1}", "id = 2\nparent = 3", "<html></html>",
    "&#xffffff; &#99999999; &&&;", "0|0|0|", "sqlite> ", "EXPLAIN QUERY PLAN", "detail = ",
    "\"detail\": \"", "[[[[", "99999999999999999999|0|0|SCAN a", "\\u", "(((", "QUERY PLAN\n`--",
  ])
  func otherTextHasNoPlan(text: String) {
    #expect(PlanTranscript(text).listings.isEmpty)
  }

  @Test(arguments: PlanForm.current)
  func aPartOfAFormIsRead(form: PlanForm) {
    for count in stride(from: 0, to: form.text.count, by: 7) {
      for part in [form.text.prefix(count), form.text.suffix(count)] {
        #expect(PlanTranscript(String(part)).listings.reduce(0) { $0 + $1.steps.count } <= 4)
      }
    }
  }

  @Test func theStatementOfOtherTablesIsNotThatOfThePlan() throws {
    #expect(try listing("SELECT * FROM other;\n\n3|0|0|SCAN a").sql == nil)
    let text = "SELECT * FROM a;\nSELECT * FROM b;\nResult:\n3|0|0|SCAN a"
    #expect(try listing(text).sql == "SELECT * FROM a")
    let two = "EXPLAIN QUERY PLAN SELECT * FROM v;\n3|0|0|SCAN a\n\nOthers:\n2|0|0|SCAN posts"
    #expect(PlanTranscript(two).listings.map(\.sql) == ["SELECT * FROM v", nil])
  }
}
