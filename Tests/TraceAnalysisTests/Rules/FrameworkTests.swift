// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Fixes in the words of the library that spells the SQL, and in SQL for all others.
@Suite struct FrameworkTests {
  /// A list of 20 rows, and a query for each of them.
  private func loop(_ list: String, _ query: String, file: String = "shop/views.py") -> String? {
    RunBuilder { trace in
      trace.connect()
      trace.caller(1, line: 40, file: file)
      trace.caller(2, line: 41, file: file)
      for id in 1...3 as ClosedRange<UInt64> {
        trace.run(list, caller: 1, rows: 20, list: id)
        for row in 1...20 { trace.run(query, caller: 2, forRow: row, of: id) }
      }
    }.profile().findings.first { $0.rule == "AvoidQueryInLoop" }?.fix
  }

  @Test(arguments: [
    (
      "shop/views.py", #"SELECT "shop_book"."id", "shop_book"."author_id" FROM "shop_book""#,
      #"SELECT "shop_author"."id" FROM "shop_author" WHERE "shop_author"."id" = ? LIMIT 21"#,
      #"add select_related("author") to the query at shop/views.py:40"#
    ),
    (
      // Two relations may lead to one table, and another name shows none.
      "shop/views.py", #"SELECT "shop_book"."id", "shop_book"."owner_id" FROM "shop_book""#,
      #"SELECT "shop_author"."id" FROM "shop_author" WHERE "shop_author"."id" = ? LIMIT 21"#,
      """
      add select_related() for the relation to 'shop_author' to the query at shop/views.py:40, or read these rows \
      before the loop by in_bulk()
      """
    ),
    (
      "shop/views.py", #"SELECT "shop_book"."id" FROM "shop_book""#,
      #"SELECT "shop_loan"."id" FROM "shop_loan" WHERE "shop_loan"."book_id" = ?"#,
      "add prefetch_related() for the relation to 'shop_loan' to the query at shop/views.py:40"
    ),
    (
      "shop/views.py", #"SELECT "shop_book"."id" FROM "shop_book""#,
      #"SELECT COUNT(*) AS "__count" FROM "shop_loan" WHERE "shop_loan"."book_id" = ?"#,
      "add annotate() with Count() for the relation to 'shop_loan' to the query at shop/views.py:40"
    ),
    (
      "app.py", "SELECT book.id, book.title \nFROM book",
      "SELECT loan.id \nFROM loan \nWHERE ? = loan.book_id",
      "add options(selectinload()) for the relation to 'loan' to the query at app.py:40"
    ),
    (
      "app/models/book.rb", #"SELECT "books"."id", "books"."author_id" FROM "books""#,
      #"SELECT "authors".* FROM "authors" WHERE "authors"."id" = ? LIMIT ?"#,
      "add includes(:author) to the query at app/models/book.rb:40"
    ),
    (
      "app/Book.php", #"select * from "books""#,
      #"select * from "loans" where "loans"."book_id" = ? and "loans"."book_id" is not null"#,
      #"add with() for the relation to 'loans' to the query at app/Book.php:40"#
    ),
    (
      "Sources/App/List.swift", #"SELECT * FROM "book""#,
      #"SELECT * FROM "loan" WHERE "bookId" = ?"#,
      "add including(all:) for the relation to 'loan' to the query at Sources/App/List.swift:40"
    ),
  ])
  func aLoopIsReplacedInTheWordsOfItsLibrary(
    _ file: String, _ list: String, _ query: String, _ fix: String
  ) {
    #expect(loop(list, query, file: file) == fix)
  }

  /// A formset reads the row of each form again to validate its key.
  @Test func aFormsetThatReadsTheRowsOfItsListIsANote() throws {
    let columns = #"SELECT "shop_loan"."id", "shop_loan"."due" FROM "shop_loan" WHERE "#
    func severity(_ list: String, _ query: String) throws -> Finding.Severity {
      let profile = RunBuilder { trace in
        trace.connect()
        trace.caller(1, line: 40, file: "shop/views.py")
        for id in 1...6 as ClosedRange<UInt64> {
          trace.run(list, caller: 1, rows: 3, list: id)
          for row in 1...3 { trace.run(query, caller: 1, forRow: row, of: id) }
        }
      }.profile()
      return try #require(profile.findings.first { $0.rule == "AvoidQueryInLoop" }).severity
    }
    let list = columns + #""shop_loan"."book_id" = ?"#
    #expect(try severity(list, columns + #""shop_loan"."id" = ? LIMIT 21"#) == .note)
    let author = #"SELECT "shop_author"."id" FROM "shop_author" WHERE "shop_author"."id" = ?"#
    #expect(try severity(list, author) == .warning)
  }

  @Test func theRepeatsOfALoopArePartOfItsFinding() {
    let rules = RunBuilder { trace in
      trace.connect()
      trace.caller(1, line: 40)
      trace.caller(2, line: 41)
      for id in 1...3 as ClosedRange<UInt64> {
        trace.run("SELECT id, author_id FROM book", caller: 1, rows: 20, list: id)
        for row in 1...20 as ClosedRange<UInt64> {
          trace.run(
            "SELECT a FROM author WHERE id = ?", caller: 2, bindHash: row % 8 + 1, origin: id,
            row: row)
        }
      }
    }.profile().findings.map(\.rule)
    #expect(rules == ["AvoidQueryInLoop"])
  }

  @Test func otherProgramsReadSQL() {
    let sql = "join this table in the statement at "
    // Plain SQL; the SQL of Django at a line of Go; a query of a relation with another condition.
    #expect(
      loop("SELECT id FROM book", "SELECT id FROM loan WHERE book_id = ?")?.hasPrefix(sql) == true)
    let django = #"SELECT "shop_loan"."id" FROM "shop_loan" WHERE "shop_loan"."book_id" = ?"#
    let list = #"SELECT "shop_book"."id" FROM "shop_book""#
    #expect(loop(list, django, file: "main.go")?.hasPrefix(sql) == true)
    #expect(loop(list, django + #" AND "shop_loan"."due" > ?"#)?.hasPrefix(sql) == true)
  }

  private func scan(_ sql: String, file: String) -> String? {
    RunBuilder { trace in
      trace.connect()
      trace.caller(1, line: 7, file: file)
      for run in 1...30 {
        trace.run(
          sql, caller: 1, rows: 1, bindHash: UInt64(run), vmSteps: 90_000, fullScanSteps: 12_800)
      }
    }.profile().findings.first { $0.rule == "AvoidFullTableScan" }?.fix
  }

  @Test(arguments: [
    (
      "shop/views.py", #"SELECT "shop_loan"."id" FROM "shop_loan" WHERE "shop_loan"."due" = ?"#,
      """
      add models.Index(fields=["due"]) to Meta.indexes of the model of 'shop_loan': CREATE INDEX shop_loan_due ON \
      shop_loan (due)
      """
    ),
    (
      "app.py", "SELECT loan.id \nFROM loan \nWHERE loan.due = ? AND loan.book = ?",
      """
      add Index("loan_due_book", "due", "book") to __table_args__ of the model of 'loan': CREATE INDEX loan_due_book \
      ON loan (due, book)
      """
    ),
    (
      "loan.rb", #"SELECT "loans".* FROM "loans" WHERE "loans"."due" = ?"#,
      "add_index :loans, [:due] in a migration: CREATE INDEX loans_due ON loans (due)"
    ),
    (
      "app.py", #"SELECT "t1"."id" FROM "loan" AS "t1" WHERE ("t1"."due" = ?)"#,
      #"add (("due",), False) to Meta.indexes of the model of 'loan': CREATE INDEX loan_due ON loan (due)"#
    ),
    ("app.py", "SELECT id FROM loan WHERE due = ?", "CREATE INDEX loan_due ON loan (due)"),
  ])
  func anIndexIsDeclaredInTheModel(_ file: String, _ sql: String, _ fix: String) {
    #expect(scan(sql, file: file) == fix)
  }

  @Test func aWriteIsOfTheOnlyLibraryOfItsLanguage() {
    func fix(_ insert: String, reads: [String]) -> String? {
      RunBuilder { trace in
        trace.connect()
        trace.caller(1, line: 7, file: "shop/views.py")
        for sql in reads { trace.run(sql, caller: 1) }
        for row in 1...80 {
          trace.run(insert, caller: 1, rows: 0, changes: 1, bindHash: UInt64(row))
        }
      }.profile().findings.first { $0.rule == "GroupWrites" }?.fix
    }
    let insert = #"INSERT INTO "shop_loan" ("due") VALUES (?)"#
    let django = #"SELECT "shop_loan"."id" FROM "shop_loan""#
    #expect(fix(insert, reads: [django])?.contains("transaction.atomic()") == true)
    #expect(fix(insert, reads: [django])?.contains("bulk_create()") == true)
    #expect(fix("INSERT INTO loan (due) VALUES (?)", reads: [django])?.contains("BEGIN") == true)
    let peewee = #"SELECT "t1"."id" FROM "loan" AS "t1""#
    #expect(fix(insert, reads: [django, peewee])?.contains("BEGIN IMMEDIATE") == true)
  }
}
