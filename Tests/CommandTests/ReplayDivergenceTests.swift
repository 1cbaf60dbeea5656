// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// Values that vary between runs of a program are as in the recording, or are named.
@Suite struct ReplayDivergenceTests {
  private let sample: RecordedLoans
  init() throws { sample = try RecordedLoans() }

  private func replay(_ program: String, mode: String = "DELETE", _ arguments: String...)
    async throws
    -> Program.Run
  {
    try sample.makeDatabase(mode: mode)
    try await sample.record(program)
    return try await sample.report.run(["replay", sample.trace] + arguments)
  }

  @Test func connectionsShareADatabaseInMemory() async throws {
    let run = try await replay(
      """
      name = "file:shared?mode=memory&cache=shared"
      a = sqlite3.connect(name, uri=True, isolation_level=None)
      a.execute("CREATE TABLE t(x)")
      b = sqlite3.connect(name, uri=True, isolation_level=None)
      b.execute("INSERT INTO t VALUES (1), (2)")
      a.execute("SELECT * FROM t").fetchall()
      private = sqlite3.connect(":memory:")
      private.execute("CREATE TABLE t(x)")

      """)
    #expect(run.status == 0, "\(run.output)\(run.error)")
  }

  @Test func anInterruptedRunIsInterruptedAgain() async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db")
      db.set_progress_handler(lambda: 1, 5000)
      try: db.execute("SELECT count(*) FROM loan a, loan b").fetchall()
      except sqlite3.OperationalError: pass
      db.set_progress_handler(None, 0)
      db.execute("SELECT count(*) FROM loan").fetchall()

      """)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("All runs had the rows"), "\(run.output)")
  }

  @Test func aStatementThatFoundALockIsListedAndHarmless() async throws {
    let run = try await replay(
      """
      a = sqlite3.connect("app.db", isolation_level=None)
      b = sqlite3.connect("app.db", isolation_level=None, timeout=0)
      a.execute("BEGIN IMMEDIATE")
      try: b.execute("INSERT INTO loan(book) VALUES (1)")
      except sqlite3.OperationalError: pass
      a.execute("COMMIT")
      b.execute("INSERT INTO loan(book) VALUES (1)")

      """)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("SQLITE_BUSY in the recording; left out"), "\(run.output)")
  }

  @Test func theClockIsThatOfTheRecording() async throws {
    let run = try await replay(
      """
      import time
      db = sqlite3.connect("app.db", isolation_level=None)
      db.execute("CREATE TABLE seen(at TEXT)")
      db.execute("INSERT INTO seen VALUES (datetime('now'))")
      time.sleep(2.1)
      # At another speed than that of the recording both would be of one second.
      db.execute("SELECT * FROM seen WHERE at < datetime('now', '-1 seconds')").fetchall()

      """)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("All runs had the rows"), "\(run.output)")
  }

  @Test func aRandomNumberIsNamed() async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db", isolation_level=None)
      for i in range(20): db.execute("SELECT * FROM loan WHERE abs(random() % 2) = 0").fetchall()

      """)
    #expect(run.status == 3, "\(run.output)\(run.error)")
    #expect(run.output.contains("random() has other values in each run"), "\(run.output)")
  }

  @Test func otherValuesInAsManyRowsAreNamed() async throws {
    try sample.makeDatabase()
    try await sample.record(
      """
      db = sqlite3.connect("app.db")
      db.execute("SELECT book, day FROM loan WHERE id < 10").fetchall()

      """)
    let other = sample.folder.path("other.db")
    try FileManager.default.copyItem(atPath: sample.database, toPath: other)
    try Connection(path: other).execute("UPDATE loan SET day = 'another' WHERE id = 7")
    let run = try await sample.report.run(
      "replay", sample.trace, "--database", other)
    #expect(run.status == 3, "\(run.output)\(run.error)")
    #expect(run.output.contains("1 run: other values in its rows than in the recording"))
  }

  @Test func aChangeThatReturnsOtherValuesHasAnotherResult() async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db")
      db.execute("SELECT day FROM loan WHERE book = 3").fetchall()
      db.execute("SELECT sum(id) / 7.0 FROM loan").fetchall()

      """, "--with", "UPDATE loan SET day = 'another' WHERE id = 53")
    #expect(run.status == 2, "\(run.output)\(run.error)")
    #expect(run.output.contains("1 run with another result"), "\(run.output)")
  }

  /// Rows in another order are the same result; so is a look-up of the schema, which sees the index itself.
  @Test func anIndexHasNoOtherResults() async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db")
      db.execute("SELECT id, book, day FROM loan WHERE book > 40").fetchall()
      db.execute("SELECT avg(id / 3.0), total(id * 0.1) FROM loan WHERE book > 1").fetchall()
      db.execute("SELECT name, sql FROM sqlite_master").fetchall()
      db.execute("PRAGMA index_list(loan)").fetchall()

      """, "--with", "CREATE INDEX loan_book ON loan(book, day)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("All runs had the rows"), "\(run.output)")
  }

  @Test func valuesOfARandomDefaultAreNotCompared() async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db", isolation_level=None)
      db.execute("CREATE TABLE token(id INTEGER PRIMARY KEY, text DEFAULT (hex(randomblob(8))))")
      db.execute("INSERT INTO token DEFAULT VALUES")
      db.execute("SELECT * FROM token").fetchall()
      db.execute("SELECT random(), datetime('now')").fetchall()

      """)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("All runs had the rows"), "\(run.output)")
  }

  /// The result holds for the other runs, unless they are the smaller part.
  @Test(arguments: [
    ("SELECT twice(id) FROM loan WHERE id < 5", 0 as Int32, "twice; left out"),
    ("SELECT sum(twice(a.id)) FROM loan a, loan b WHERE b.id < 9", 3, "twice; left out"),
    ("UPDATE loan SET book = twice(book) WHERE id = 1", 3, "the program defines, twice\n"),
  ])
  func aReadThatCallsAFunctionOfTheProgramIsLeftOut(
    sql: String, status: Int32, reason: String
  ) async throws {
    let run = try await replay(
      """
      db = sqlite3.connect("app.db", isolation_level=None)
      db.create_function("twice", 1, lambda n: n * 2)
      db.execute("\(sql)").fetchall()
      db.execute("SELECT count(*) FROM loan WHERE day LIKE '%7'").fetchall()

      """)
    #expect(run.status == status, "\(run.output)\(run.error)")
    #expect(run.output.contains(reason), "\(run.output)")
  }

  @Test func thePausesOfTheProgramAreKept() async throws {
    try sample.makeDatabase()
    try await sample.record(
      """
      import time
      db = sqlite3.connect("app.db")
      for i in range(3):
          db.execute("SELECT count(*) FROM loan").fetchall()
          time.sleep(0.4)

      """)
    let start = ContinuousClock.now
    let run = try await sample.report.run("replay", sample.trace, "--think-time")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    // At least the two pauses between statements; how much longer is the machine's affair.
    #expect(ContinuousClock.now - start >= .milliseconds(700))
    #expect(
      run.output.contains("The program's pauses") || run.output.contains("the program's pauses"))
  }

  @Test func adviceIsProvenOnTheWholeRecording() async throws {
    try sample.makeDatabase()
    try await sample.record(RecordedLoans.program)
    let before = try FolderSnapshot(sample.folder.url)
    let run = try await sample.report.run(
      "advise", sample.trace, "--database", sample.database, "--replay")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("CREATE INDEX"), "\(run.output)")
    #expect(run.output.contains("VM steps with the change"), "\(run.output)")
    #expect(run.output.contains("insert into loan") || run.output.contains("INSERT INTO loan"))
    #expect(try FolderSnapshot(sample.folder.url) == before)
  }
}
