// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

/// The logs of database libraries, in the forms that their versions write.
struct StatementLogTests {
  private struct Run: Equatable {
    var sql: String
    var time: Nanoseconds
    var line: String
    var transaction: UInt64
  }

  private func runs(_ reading: Reading) -> [Run] {
    var (texts, callers): ([StatementID: String], [UInt64: String]) = ([:], [:])
    var runs: [Run] = []
    for record in reading.records {
      switch record.event {
      case .statement(let event): texts[event.statementID] = event.sql
      case .caller(let event): callers[event.callerID] = "\(event.file):\(event.line)"
      case .statementRun(let event):
        let caller = callers[event.callerID] ?? ""
        runs.append(
          Run(
            sql: texts[event.statementID] ?? "?", time: event.stepTime, line: caller,
            transaction: event.transactionID))
      default: break
      }
    }
    return runs
  }

  private func outcomes(_ reading: Reading) -> [String] {
    reading.records.compactMap {
      if case .transaction(let event) = $0.event {
        return "\(event.outcome) \(event.statements) \(event.writerTime)"
      }
      return nil
    }
  }

  @Test(arguments: ["web-1  | ", "> "])
  func eachLineOfAStatementMayHaveAPrefix(prefix: String) throws {
    let lines = [
      "2026-11-28 04:00:34,230 INFO sqlalchemy.engine.Engine SELECT tag.id", "FROM tag",
      "WHERE tag.note_id = ? AND tag.kind",
      "    > 3", "2026-11-28 04:00:34,231 INFO sqlalchemy.engine.Engine [generated in 0.1s] (7,)",
    ]
    func log(_ prefix: String) -> String { lines.map { prefix + $0 + "\n" }.joined() }
    let plain = try runs(Reading(log: log("")))
    #expect(
      plain.map(\.sql) == ["SELECT tag.id\nFROM tag\nWHERE tag.note_id = ? AND tag.kind\n    > 3"])
    #expect(try runs(Reading(log: log(prefix))) == plain)
  }

  // MARK: - ActiveRecord

  private static let rails = """
      Book Load (0.2ms)  SELECT "books".* FROM "books" WHERE "books"."id" = ? LIMIT ?  [["id", 3], ["LIMIT", 1]]
      ↳ app/models/book.rb:5:in `first'
      TRANSACTION (0.1ms)  begin transaction
      ↳ app/models/book.rb:9:in `block (2 levels) in add'
      Book Create (1.5ms)  INSERT INTO "books" ("title") VALUES (?) RETURNING "id"  [["title", "it's  [[\\n"]]
      ↳ app/models/book.rb:9:in `block (2 levels) in add'
      TRANSACTION (3.0ms)  commit transaction
      ↳ app/models/book.rb:9:in `block (2 levels) in add'
      CACHE Book Load (0.0ms)  SELECT "books".* FROM "books" WHERE "books"."id" = ? LIMIT ?  [["id", 3], ["LIMIT", 1]]
      ↳ app/models/book.rb:5:in `first'
       (0.4ms)  select *
     from authors
     where id = 3
      ↳ app/models/author.rb:2:in 'Author#find'

    """

  @Test func activeRecordHasTimesAndLines() throws {
    let reading = try Reading(log: Self.rails)
    #expect(
      runs(reading) == [
        Run(
          sql: #"SELECT "books".* FROM "books" WHERE "books"."id" = ? LIMIT ?"#, time: 200_000,
          line: "app/models/book.rb:5", transaction: 0),
        Run(
          sql: "begin transaction", time: 100_000, line: "app/models/book.rb:9", transaction: 1),
        Run(
          sql: #"INSERT INTO "books" ("title") VALUES (?) RETURNING "id""#, time: 1_500_000,
          line: "app/models/book.rb:9", transaction: 1),
        Run(
          sql: "commit transaction", time: 3_000_000, line: "app/models/book.rb:9", transaction: 1),
        Run(
          sql: "select *\n from authors\n where id = 3", time: 400_000,
          line: "app/models/author.rb:2", transaction: 0),
      ])
    #expect(outcomes(reading) == ["commit 3 0"])
    #expect(reading.source.kind == .statementLog)
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.source.problems == [])
    #expect(reading.source.remarks.contains { $0.hasPrefix("the log of ActiveRecord has no rows") })
  }

  /// Of the console, of Logger, and with the tags of a request.
  @Test(arguments: [
    (
      "\u{1b}[1m\u{1b}[36mBook Load (0.2ms)\u{1b}[0m  \u{1b}[1m\u{1b}[34mSELECT 1\u{1b}[0m",
      0 as Int64
    ),
    ("D, [2026-11-28T04:01:16.135284 #9232] DEBUG -- :   Book Load (0.2ms)  SELECT 1", 9232),
    ("[4f3a-9c]   Book Load (0.2ms)  SELECT 1", 0),
    ("D, [2026-11-28T04:01:16.135284 #9232] DEBUG -- : [4f3a]   Book Load (0.2ms)  SELECT 1", 9232),
    ("  ASYNC Book Load (0.2ms) (db time 3.1ms)  SELECT 1", 0),
    ("  Book Load (0.2ms)  /*application:Shop,controller:books*/ SELECT 1", 0),
    ("web.1  |   Book Load (0.2ms)  SELECT 1", 0),
  ])
  func activeRecordHasManyHeads(line: String, process: Int64) throws {
    let reading = try Reading(log: line + "\n")
    #expect(runs(reading).count == 1)
    #expect(runs(reading).first?.sql.hasSuffix("SELECT 1") == true)
    #expect(runs(reading).first?.time == 200_000)
    #expect(reading.records.first?.process.id == process)
  }

  /// Two requests write their lines among each other's; each statement keeps its own line.
  @Test func tagsKeepRequestsApart() throws {
    let reading = try Reading(
      log: """
        [a]   Book Load (0.1ms)  SELECT 1
        [b]   Book Load (0.2ms)  SELECT 2
        [b]   ↳ b.rb:2:in `x'
        [a]   ↳ a.rb:1:in `x'

        """)
    #expect(
      Set(runs(reading).map { "\($0.sql) \($0.line)" }) == ["SELECT 1 a.rb:1", "SELECT 2 b.rb:2"])
    #expect(Set(reading.records.filter { $0.event.isRun }.map(\.threadID)).count == 2)
  }

  /// A request is a task of its own.
  @Test func aRequestIsAThread() throws {
    let reading = try Reading(
      log: """
        Started GET "/books" for 127.0.0.1 at 2026-11-28 04:00:00 +0000
          Book Load (0.1ms)  SELECT 1
        Completed 200 OK in 3ms
        Started GET "/books" for 127.0.0.1 at 2026-11-28 04:00:01 +0000
          Book Load (0.1ms)  SELECT 1

        """)
    #expect(Set(reading.records.filter { $0.event.isRun }.map(\.threadID)).count == 2)
  }

  // MARK: - Django

  @Test func djangoHasTimesAndConnections() throws {
    let reading = try Reading(
      log: #"""
        (0.001) SELECT "book"."id" FROM "book" WHERE "book"."title" = 'a; args=(''
        2'; args=("a; args=('\n2",); alias=default
        DEBUG 2026-11-28 04:00:43,660 utils 7453 (0.000) BEGIN; args=None; alias=other
        CREATE TABLE "x" ("id" integer); (params None)
        (0.002) 3 times: INSERT INTO "x" VALUES (%s); args=[(1,), (2,), (3,)]; alias=other
        (0.003) COMMIT; args=None; alias=other
        (0.004) SELECT 1; args=()

        """#)
    #expect(
      runs(reading).map(\.sql) == [
        "SELECT \"book\".\"id\" FROM \"book\" WHERE \"book\".\"title\" = 'a; args=(''\n2'", "BEGIN",
        "INSERT INTO \"x\" VALUES (%s)", "INSERT INTO \"x\" VALUES (%s)",
        "INSERT INTO \"x\" VALUES (%s)", "COMMIT", "SELECT 1",
      ])
    #expect(runs(reading).map(\.transaction) == [0, 1, 1, 1, 1, 1, 0])
    #expect(outcomes(reading) == ["commit 5 0"])
    #expect(reading.source.unrecognizedLines == 0)
  }

  // MARK: - SQLAlchemy

  @Test func sqlAlchemyHasRunsWithoutTimes() throws {
    let head = "2026-11-28 04:00:34,230 INFO sqlalchemy.engine.Engine"
    let reading = try Reading(
      log: """
        \(head) BEGIN (implicit)
        \(head) INSERT INTO author (id, name) VALUES (?, ?)
        \(head) [generated in 0.00030s] [(1, "a'1\\n(x)"), (2, 'b')  ... displaying 10 of 30 total bound parameter sets ...  (30, 'z')]
        \(head) INSERT INTO author (id, name) VALUES (?, ?)
        \(head) [cached since 0.1s ago] [(1, "a), (2"), (2, 'b')]
        \(head) SELECT author.id
        FROM author
        WHERE author.id = ?
        \(head) [cached since 0.1s ago] (1,)
        \(head) Col ('id',)
        \(head) Row (1,)
        \(head) COMMIT
        \(head) BEGIN (implicit)
        \(head) SELECT 1
        \(head) [raw sql] ()
        \(head) ROLLBACK
        INFO:sqlalchemy.engine.base.Engine:SELECT 2
        INFO:sqlalchemy.engine.base.Engine:()

        """)
    let runs = runs(reading)
    #expect(runs.count { $0.sql.hasPrefix("INSERT") } == 32)
    #expect(
      runs.filter { !$0.sql.hasPrefix("INSERT") }.map(\.sql) == [
        "SELECT author.id\nFROM author\nWHERE author.id = ?", "COMMIT", "SELECT 1", "SELECT 2",
      ])
    #expect(outcomes(reading) == ["commit 34 0", "rollback 1 -1"])
    #expect(reading.records.allSatisfy { !$0.measures.contains(.totalTime) })
    #expect(reading.source.unrecognizedLines == 0)
  }

  /// A line may promise any number of runs.
  @Test func aLineWithTooManyRunsIsAProblem() throws {
    let reading = try Reading(log: "(0.001) 100001 times: DELETE FROM t; args=[]; alias=default\n")
    #expect(runs(reading).count == 100_000)
    #expect(reading.source.problems == ["a line with 100001 runs: the first 100000 were used"])
  }

  // MARK: - SQLite

  @Test func theShellsTraceIsItsStatements() throws {
    let reading = try Reading(
      log: """
        create table t(a integer primary key, b text);
        insert into t values(1,'x;y'),(2,'a
        b');
        create trigger r after insert on t begin
          update t set b = 1;
        end;
        select *
        from t; -- 12345 ns

        """)
    #expect(
      runs(reading).map(\.sql) == [
        "create table t(a integer primary key, b text)", "insert into t values(1,'x;y'),(2,'a\nb')",
        "create trigger r after insert on t begin\n  update t set b = 1;\nend",
        "select *\nfrom t",
      ])
    #expect(runs(reading).last?.time == 12345)
  }

  @Test func aTraceCallbackPrintsStatementsWithoutSemicolons() throws {
    let reading = try Reading(
      log: """
        BEGIN
        insert into t values(3)
        COMMIT
        select *
         from t where a=5
        SELECT 1

        """)
    #expect(
      runs(reading).map(\.sql) == [
        "BEGIN", "insert into t values(3)", "COMMIT", "select *\n from t where a=5", "SELECT 1",
      ])
  }

  /// Copied text often lacks the last line feed.
  @Test(arguments: [
    "(0.001) SELECT 1; args=(); alias=default", "SELECT 1;", "SELECT 1",
    "  Book Load (0.2ms)  SELECT ?  [[\"id\", 1]]",
  ])
  func theLastLineNeedsNoLineFeed(line: String) throws {
    #expect(runs(try Reading(log: line)).count == 1)
  }

  // MARK: - Damage

  /// A log that is cut anywhere is read up to there.
  @Test func truncatedLogIsReadToItsEnd() throws {
    let whole = runs(try Reading(log: Self.rails)).count
    for count in stride(from: 60, to: Self.rails.utf8.count, by: 7) {
      let part = String(decoding: Self.rails.utf8.prefix(count), as: UTF8.self)
      guard let reading = try? Reading(log: part) else { continue }
      #expect(runs(reading).count <= whole)
    }
  }

  /// Text of other programs is no log of statements.
  @Test(arguments: [
    "the query took (0.2ms)  to select the best\n", "Selected 3 rows (0.001) in all\n",
    "GET / HTTP/1.1\n", "Select the stop\n", "update the page\n", "↳ see above:3:in short\n",
    "updated by sqlalchemy.engines\n",
    "Delete this file; -- 5 ns\n",
  ])
  func otherTextIsNone(line: String) {
    #expect(throws: TraceReadingError.self) { try Reading(log: line) }
  }
}

extension StoreEvent {
  fileprivate var isRun: Bool {
    if case .statementRun = self { return true }
    return false
  }
}
