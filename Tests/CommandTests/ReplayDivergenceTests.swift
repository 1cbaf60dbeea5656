// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// What varies between runs of a program is as in the recording, or is named.
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
