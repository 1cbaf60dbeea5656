// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis
import TraceRendering

@Suite struct LockJoinTests {
  /// A holds the lock from 10 to 50 ms, B waits from 20 to 55.
  private func fight(
    path: String = "/srv/app.db", inode: UInt64 = 7, holderEnds: Double = 50, gaveUp: Bool = false
  ) -> Profile {
    var runs = LockRuns()
    let a = runs.open(1, "holder")
    let b = runs.open(2, "waiter", path: path, inode: inode)
    runs.transaction(1, of: a, from: 10, to: holderEnds, idle: 30)
    runs.run(
      "INSERT INTO t VALUES (?)", line: 9, of: b, at: 55, open: 35, busy: (12, 35),
      error: gaveUp ? "SQLITE_BUSY: database is locked" : "")
    return runs.profile
  }

  /// A save that waited for longer than it held the lock.
  @Test func aSaveThatWaitedIsTheHolderForAllOfItsTime() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.save(1, line: 39, of: a, path: "/srv/app.db", from: 100, to: 110, wait: 80)
    runs.run(
      "BEGIN IMMEDIATE", line: 9, of: b, at: 104, open: 3, transaction: 2, busy: (1, 2))
    #expect(runs.profile.locks?.waits.first?.holder?.location.line == 39)
  }

  /// SQLite slept for 1 ms of the 4 ms: the holder ended before that sleep did.
  @Test func aHolderThatEndedBeforeTheLastSleepIsNamed() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.transaction(1, of: a, from: 10, to: 20)
    runs.run("BEGIN IMMEDIATE", line: 9, of: b, at: 23, open: 4, transaction: 2, busy: (1, 1))
    let wait = try #require(runs.profile.locks?.waits.first)
    #expect(wait.holder?.location.line == 20)
    // One that ended before the statement began is none.
    var later = LockRuns()
    let (c, d) = (later.open(1, "c"), later.open(2, "d"))
    later.transaction(1, of: c, from: 10, to: 18)
    later.run("BEGIN IMMEDIATE", line: 9, of: d, at: 23, open: 4, transaction: 2, busy: (1, 1))
    #expect(later.profile.locks?.waits.first?.holder == nil)
  }

  /// Two that wait can keep each other from the lock for a moment, but not for long.
  @Test(arguments: [(1 as UInt64, LockHolder.waiting as String?), (2, nil)])
  func briefWaitWithoutAHolderNamesTheOtherWaiter(attempts: UInt64, kind: String?) throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.run(
      "BEGIN IMMEDIATE", line: 9, of: a, at: 23, open: 4, transaction: 1, busy: (attempts, 1))
    runs.run("BEGIN IMMEDIATE", line: 8, of: b, at: 40, open: 25, transaction: 2, busy: (9, 24))
    let wait = try #require(runs.profile.locks?.waits.first { $0.waiterProcess == "a" })
    #expect(wait.holder?.kind == kind)
    #expect(wait.holder?.location.text == (kind == nil ? nil : "b.py:8"))
    let text = Document(summary: runs.profile).text()
    #expect(
      text.contains("waited beside b at b.py:8, which waited for the lock as well") == (kind != nil)
    )
  }

  @Test func aWaitNamesItsHoldersStatementsAndLine() throws {
    let waits = try #require(fight().locks).waits
    let wait = try #require(waits.first)
    #expect(waits.count == 1 && wait.count == 1 && wait.failures == 0)
    #expect(wait.database == "/srv/app.db")
    #expect(wait.waiterProcess == "waiter" && wait.waiter.location.text == "waiter.py:9")
    #expect(wait.time == 35_000_000)
    let holder = try #require(wait.holder)
    #expect(holder.process == "holder" && holder.kind == "immediate")
    #expect(holder.location.text == "holder.py:20")
    #expect(holder.statements.map(\.sql) == ["BEGIN IMMEDIATE", "INSERT INTO t VALUES (?)"])
    #expect(holder.time == 40_000_000 && holder.idleTime == 30_000_000)
  }

  /// The holder's transaction is reported when it ends, after the wait.
  @Test func aWaitThatGaveUpNamesATransactionThatEndedLater() throws {
    let wait = try #require(fight(holderEnds: 500, gaveUp: true).locks?.waits.first)
    #expect(wait.failures == 1)
    #expect(wait.holder?.location.text == "holder.py:20")
  }

  @Test func twoPathsOfOneInodeAreOneDatabase() throws {
    let wait = try #require(fight(path: "/mnt/app.db").locks?.waits.first)
    #expect(wait.holder?.process == "holder")
    let other = try #require(fight(inode: 8).locks?.waits.first)
    #expect(other.holder == nil)
  }

  @Test func theHolderIsTheOneThatOverlapsLongest() throws {
    var runs = LockRuns()
    let (a, b, c) = (runs.open(1, "a"), runs.open(2, "b"), runs.open(3, "c"))
    runs.transaction(1, line: 10, of: a, from: 0, to: 12)
    runs.transaction(1, line: 30, of: b, from: 12, to: 49)
    runs.run("DELETE FROM t", line: 9, of: c, at: 50, open: 40, busy: (9, 40))
    // After the wait.
    runs.transaction(2, line: 50, of: a, from: 51, to: 99)
    let wait = try #require(runs.profile.locks?.waits.first)
    #expect(wait.holder?.location.text == "b.py:30")
  }

  @Test func aTransactionThatNeverEndedIsNamed() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.run("BEGIN IMMEDIATE", line: 3, of: a, at: 5, transaction: 1)
    runs.run("UPDATE t SET a = 1", line: 4, of: a, at: 6, transaction: 1)
    runs.run(
      "DELETE FROM t", line: 9, of: b, at: 5000, open: 4900, busy: (50, 4900),
      error: "SQLITE_BUSY: database is locked")
    let holder = try #require(runs.profile.locks?.waits.first?.holder)
    #expect(holder.process == "a" && holder.location.text == "a.py:3")
  }

  @Test func anAutocommitIsNamedByItsStatement() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.end(0, of: a, at: 30, total: 20, kind: "autocommit")
    runs.run("INSERT INTO t VALUES (?)", line: 3, of: a, at: 30, open: 20)
    runs.run("DELETE FROM t", line: 9, of: b, at: 31, open: 20, busy: (4, 20))
    let holder = try #require(runs.profile.locks?.waits.first?.holder)
    #expect(holder.location.text == "a.py:3" && holder.kind == "autocommit")
  }

  /// A program may have a store and, beside it, a connection of the same number.
  @Test func aSaveIsTheHolderByItsLine() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a", path: "/srv/other.db", inode: 99), runs.open(2, "b"))
    runs.save(1, line: 77, of: a, path: "/srv/app.db", from: 10, to: 40)
    runs.run("DELETE FROM t", line: 9, of: b, at: 41, open: 20, busy: (4, 20))
    let holder = try #require(runs.profile.locks?.waits.first?.holder)
    #expect(holder.process == "a" && holder.location.text == "a.swift:77")
  }

  @Test func theSummaryShowsBothSides() {
    let text = Document(summary: fight()).text()
    #expect(text.contains("Lock waits"))
    #expect(text.contains("waiter.py:9"))
    #expect(text.contains("waited for an immediate transaction of holder at holder.py:20"))
    #expect(text.contains("75% of it between statements"))
  }

  @Test func mergedProfilesAddUp() throws {
    let merged = Profile.merged([fight(), fight()])
    let wait = try #require(merged.locks?.waits.first)
    #expect(merged.locks?.waits.count == 1 && wait.count == 2 && wait.time == 70_000_000)
  }
}
