// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis
import TraceRendering

/// Waits whose holder did not end its transaction, or only read.
@Suite struct LockHolderTests {
  // MARK: - A transaction without an end

  /// A's process was killed in its transaction, then B wrote.
  private func killed(_ write: (inout LockRuns, LockRuns.Program, LockRuns.Program) -> Void)
    -> Profile
  {
    var runs = LockRuns()
    let (a, b, c) = (runs.open(1, "a"), runs.open(2, "b"), runs.open(3, "c"))
    runs.run("BEGIN IMMEDIATE", line: 3, of: a, at: 5, transaction: 1)
    runs.run("UPDATE t SET a = 1", line: 4, of: a, at: 6, transaction: 1)
    write(&runs, b, c)
    return runs.profile
  }

  @Test func aKilledWriterIsNoHolderAfterTheNextWriter() throws {
    let profile = killed { runs, b, c in
      runs.transaction(1, of: b, from: 20, to: 30)
      runs.run("DELETE FROM t", line: 9, of: c, at: 130, open: 30, busy: (9, 30))
    }
    let wait = try #require(profile.locks?.waits.first)
    #expect(wait.holder == nil)
    let text = Document(summary: profile).text()
    #expect(text.contains("waited for a connection that reads, or for a program that was not"))
  }

  /// It overlaps the wait for longer than the writer that C waited for.
  @Test func theNextWriterIsNamedBeforeAKilledOne() throws {
    let profile = killed { runs, b, c in
      runs.transaction(1, line: 20, of: b, from: 200, to: 260)
      runs.run("DELETE FROM t", line: 9, of: c, at: 262, open: 70, busy: (9, 55))
    }
    #expect(profile.locks?.waits.first?.holder?.location.text == "b.py:20")
  }

  /// A writer that did not commit yet shows it as well.
  @Test func aWriterThatIsStillOpenEndsAKilledOne() throws {
    let profile = killed { runs, b, c in
      runs.run("BEGIN IMMEDIATE", line: 7, of: b, at: 20, transaction: 1)
      runs.run("DELETE FROM t", line: 9, of: c, at: 130, open: 30, busy: (9, 30))
    }
    #expect(profile.locks?.waits.first?.holder?.location.text == "b.py:7")
  }

  @Test func theSummaryStatesThatTheEndIsMissing() {
    let profile = killed { runs, _, c in
      runs.run("DELETE FROM t", line: 9, of: c, at: 130, open: 30, busy: (9, 30))
    }
    #expect(
      Document(summary: profile).text()
        .contains("waited for a transaction of a at a.py:3, whose end is missing"))
  }

  // MARK: - Readers

  /// The blocker of W's statement, which waits from 125 to 505 ms.
  private func blocker(
    of sql: String = "COMMIT", log: UInt64 = 0,
    _ read: (inout LockRuns, LockRuns.Program) -> Void
  ) throws -> (holder: LockHolder?, text: String) {
    var runs = LockRuns()
    let (r, w) = (runs.open(1, "r"), runs.open(2, "w"))
    read(&runs, r)
    let isCommit = sql == "COMMIT"
    runs.run("BEGIN IMMEDIATE", line: 7, of: w, at: 100, transaction: 1)
    runs.run("INSERT INTO t VALUES (?)", line: 8, of: w, at: 101, transaction: 1)
    runs.end(1, of: w, at: isCommit ? 505 : 102, total: isCommit ? 405 : 2, log: log)
    if !isCommit { runs.run("COMMIT", line: 9, of: w, at: 102, transaction: 1) }
    runs.run(
      sql, line: 10, of: w, at: 505, open: 400, transaction: isCommit ? 1 : 0,
      writes: sql.hasPrefix("INSERT"), busy: (40, 380))
    let profile = runs.profile
    let wait = try #require(profile.locks?.waits.first)
    return (wait.holder, Document(summary: profile).text())
  }

  private func readTransaction(_ runs: inout LockRuns, _ r: LockRuns.Program) {
    runs.run("BEGIN", line: 1, of: r, at: 1, transaction: 1)
    runs.run("SELECT a FROM t", line: 2, of: r, at: 2, transaction: 1, rows: 9)
    runs.end(1, of: r, at: 500, total: 499, kind: "deferred", writer: nil)
    runs.run("COMMIT", line: 3, of: r, at: 500, transaction: 1)
  }

  @Test func aCommitNamesTheReadTransactionThatItWaitedFor() throws {
    let (holder, text) = try blocker(readTransaction)
    #expect(holder?.kind == LockHolder.reading && holder?.location.text == "r.py:2")
    #expect(holder?.statements.map(\.sql) == ["BEGIN", "SELECT a FROM t"])
    #expect(text.contains("waited for a read transaction of r at r.py:2: with a rollback journal"))
  }

  @Test func aCommitNamesTheStatementThatReadMeanwhile() throws {
    let (holder, _) = try blocker { runs, r in
      runs.run("SELECT a FROM t", line: 2, of: r, at: 500, open: 450, rows: 9)
    }
    #expect(holder?.kind == LockHolder.reading && holder?.location.text == "r.py:2")
  }

  @Test func aWriteThatCommitsByItselfWaitsForReaders() throws {
    let (holder, _) = try blocker(of: "INSERT INTO u VALUES (?)", readTransaction)
    #expect(holder?.location.text == "r.py:2")
  }

  /// A reader blocks neither BEGIN IMMEDIATE nor, in WAL mode, a commit.
  @Test(arguments: [("BEGIN IMMEDIATE", 0 as UInt64), ("COMMIT", 4096)])
  func aReaderIsNotNamedWhereItBlocksNothing(sql: String, log: UInt64) throws {
    #expect(try blocker(of: sql, log: log, readTransaction).holder == nil)
  }

  @Test func aCheckpointNamesTheReaderInWALMode() throws {
    let (holder, text) = try blocker(
      of: "PRAGMA wal_checkpoint(TRUNCATE)", log: 4096, readTransaction)
    #expect(holder?.location.text == "r.py:2")
    #expect(text.contains("a checkpoint that resets the log waits until no connection reads it"))
  }

  /// With a rollback journal a commit shows that its reads are over.
  @Test func aReaderWithoutAnEndIsOverWhenAnotherCommits() throws {
    func holder(otherCommits: Bool) throws -> LockHolder? {
      try blocker { runs, r in
        runs.run("BEGIN", line: 1, of: r, at: 1, transaction: 1)
        runs.run("SELECT a FROM t", line: 2, of: r, at: 2, transaction: 1, rows: 9)
        guard otherCommits else { return }
        let other = runs.open(3, "other")
        runs.transaction(1, of: other, from: 40, to: 50)
      }.holder
    }
    #expect(try holder(otherCommits: false)?.location.text == "r.py:2")
    #expect(try holder(otherCommits: true) == nil)
  }

  // MARK: - The time of a wait

  /// It waited while the statement was prepared, which no step contains.
  @Test func aWaitThatNoStepContainsHasItsWholeTime() throws {
    var runs = LockRuns()
    let a = runs.open(1, "a")
    let sql = "INSERT INTO t VALUES (?)"
    runs.run(sql, line: 9, of: a, at: 1100, open: 0.001, busy: (12, 1030))
    let profile = runs.profile
    let work = try #require(profile.statement(StatementID(sql: sql))).work
    #expect(work.waitTime == 1_030_000_000 && work.stepTime == 1000)
    let finding = try #require(profile.findings.first { $0.rule == "AvoidLockWait" })
    #expect(finding.saving?.atMost == 1_030_000_000)
  }

  @Test func aWaitWithinAStepIsNotCountedAsStepping() throws {
    var runs = LockRuns()
    let a = runs.open(1, "a")
    let sql = "INSERT INTO t VALUES (?)"
    runs.run(sql, line: 9, of: a, at: 1100, open: 1031, busy: (12, 1030))
    let work = try #require(runs.profile.statement(StatementID(sql: sql))).work
    #expect(work.waitTime == 1_030_000_000 && work.stepTime == 1_000_000)
  }
}
