// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Each rule: a case that is reported, and similar ones that are not.
@Suite struct LockRuleTests {
  private static let locked = "SQLITE_BUSY: database is locked"

  private func findings(_ write: (inout LockRuns, LockRuns.Program, LockRuns.Program) -> Void)
    -> [String]
  {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    write(&runs, a, b)
    return runs.findings
  }

  @Test func aReadThatCannotBecomeAWriteNeedsBeginImmediate() {
    let upgrade = findings { runs, a, _ in
      runs.run("BEGIN", line: 1, of: a, at: 1, transaction: 1)
      runs.run("SELECT a FROM t", line: 2, of: a, at: 2, transaction: 1, rows: 1)
      runs.run(
        "UPDATE t SET a = 1", line: 3, of: a, at: 3, transaction: 1, writes: true, busy: (0, 0),
        error: Self.locked)
    }
    #expect(upgrade == ["UseBeginImmediate 3"])
  }

  /// It rolls back, reads again, and writes a value computed from the newer row.
  @Test func aTransactionThatIsAttemptedAgainWithOtherValuesHandlesItsFailure() {
    let retried = findings { runs, a, _ in
      for transaction in 1...2 as ClosedRange<UInt64> {
        let time = Double(transaction) * 10
        runs.run("BEGIN", line: 1, of: a, at: time + 1, transaction: transaction)
        runs.run("SELECT a FROM t", line: 2, of: a, at: time + 2, transaction: transaction, rows: 1)
        runs.run(
          "UPDATE t SET a = ?", line: 3, of: a, at: time + 3, transaction: transaction,
          writes: true, bindHash: transaction, busy: transaction == 1 ? (0, 0) : nil,
          error: transaction == 1 ? Self.locked : "")
        runs.run(
          transaction == 1 ? "ROLLBACK" : "COMMIT", line: 4, of: a, at: time + 4,
          transaction: transaction)
      }
    }
    #expect(retried == ["UseBeginImmediate 3"])
  }

  @Test func aRefusalWithoutASecondAttemptNeedsATimeout() {
    let first = findings { runs, a, _ in
      runs.run("BEGIN", line: 1, of: a, at: 1, transaction: 1)
      runs.run(
        "UPDATE t SET a = 1", line: 3, of: a, at: 3, transaction: 1, writes: true, busy: (0, 0),
        error: Self.locked)
    }
    #expect(first == ["SetBusyTimeout 3"])
    for attempts in [8, 40] as [UInt64] {
      let patient = findings { runs, a, _ in
        runs.run(
          "UPDATE t SET a = 1", line: 3, of: a, at: 3000, open: 2000, busy: (attempts, 2000),
          error: Self.locked)
      }
      #expect(patient == ["AvoidLockWait 3"])
    }
  }

  @Test func aWriterThatIsIdleWhileOthersWaitIsReported() {
    func waits(_ count: Int, idle: Double) -> [String] {
      findings { runs, a, b in
        for number in 0..<count {
          let start = Double(number) * 100
          runs.transaction(UInt64(number + 1), of: a, from: start, to: start + 50, idle: idle)
          runs.run("DELETE FROM u", line: 9, of: b, at: start + 52, open: 30, busy: (8, 30))
        }
      }
    }
    #expect(waits(3, idle: 40) == ["AvoidIdleWriter 20"])
    #expect(waits(2, idle: 40) == ["AvoidLockWait 9"])
    #expect(waits(3, idle: 10) == ["AvoidLockWait 9"])
  }

  /// The others wait in the pool, which SQLite does not see.
  @Test func aConnectionThatIsNotReturnedIsReportedIfOthersWaitForIt() {
    func waits(_ count: Int, gaveUp: Bool = false, then: (inout LockRuns, LockRuns.Program) -> Void)
      -> [String]
    {
      findings { runs, a, _ in
        runs.run("SELECT a FROM t", line: 8, of: a, at: 10)
        for number in 1...count {
          runs.waitForPool(500, line: 10, of: a, at: Double(number) * 600 + 600, gaveUp: gaveUp)
        }
        then(&runs, a)
      }
    }
    #expect(waits(3) { _, _ in } == ["ReturnConnection 8"])
    #expect(waits(2) { _, _ in } == [])
    #expect(waits(1, gaveUp: true) { _, _ in } == ["ReturnConnection 8"])
    let next: (inout LockRuns, LockRuns.Program) -> Void = { runs, a in
      runs.run("SELECT b FROM t", line: 9, of: a, at: 9000)
    }
    #expect(waits(3, then: next) == ["ReturnConnection 8"])
    // It ran all the time, or another connection did.
    let long: (inout LockRuns, LockRuns.Program) -> Void = { runs, a in
      runs.run("SELECT b FROM t", line: 9, of: a, at: 9000, open: 8990)
    }
    #expect(waits(3, then: long) == [])
    // A thread that did not wait had the connection, and computed before its first statement.
    let other: (inout LockRuns, LockRuns.Program) -> Void = { runs, a in
      var other = a
      other.thread = 2
      runs.run("SELECT b FROM t", line: 9, of: other, at: 9000)
    }
    #expect(waits(3, then: other) == [])
    let busy = findings { runs, a, _ in
      for number in 0...5 {
        let time = Double(number) * 600
        runs.run("SELECT a FROM t", line: 8, of: a, at: time)
        runs.waitForPool(500, line: 10, of: a, at: time + 550, gaveUp: true)
      }
    }
    #expect(busy == [])
  }

  @Test func aReadDuringManyCommitsIsReported() {
    func read(during commits: Int, isOwn: Bool = false) -> [String] {
      findings { runs, a, b in
        for number in 0..<commits {
          let start = 10 + Double(number)
          runs.transaction(
            UInt64(number + 1), of: isOwn ? b : a, from: start, to: start + 0.5)
        }
        runs.run("SELECT a FROM t", line: 5, of: b, at: 1000, open: 995, rows: 9)
      }
    }
    #expect(read(during: 100) == ["EndReadTransaction 5"])
    #expect(read(during: 99) == [])
    #expect(read(during: 100, isOwn: true) == [])
  }

  /// Its program was killed: the run has no event.
  @Test func aReadThatDoesNotEndIsReported() {
    func read(_ sql: String, ends: Bool = false, commits: Int = 100) -> [String] {
      findings { runs, a, b in
        runs.begin(sql, line: 5, of: b, at: 5)
        if ends { runs.run(sql, line: 5, of: b, at: 6, rows: 9) }
        for number in 0..<commits {
          let start = 10 + Double(number)
          runs.transaction(UInt64(number + 1), of: a, from: start, to: start + 0.5)
        }
      }
    }
    #expect(read("SELECT a FROM t") == ["EndReadTransaction 5"])
    #expect(read("WITH u AS (SELECT a FROM t) SELECT * FROM u") == ["EndReadTransaction 5"])
    #expect(read("SELECT a FROM t", ends: true) == [])
    #expect(read("SELECT a FROM t", commits: 99) == [])
    #expect(read("BEGIN") == [])
  }

  @Test func aReadThatDidNotEndIsADoubtWithItsLineAndTime() {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.begin("SELECT x FROM t WHERE y = 77", line: 7, of: b, at: 5)
    runs.run("SELECT a FROM u", line: 3, of: a, at: 4_025, rows: 1)
    let doubts = runs.profile.completeness.doubts
    #expect(
      doubts.first == """
        b[2]: b.py:7: not ended; it began 4,020 ms before the recording's last event and 0.00 ms \
        before that of its process: SELECT x FROM t WHERE y = ?
        """)
    runs.run("SELECT x FROM t WHERE y = 77", line: 7, of: b, at: 4_030, rows: 1)
    #expect(!runs.profile.completeness.doubts.contains { $0.contains("not ended") })
  }

  /// It has no run in the recording, and its text is printed as well.
  @Test func aReadThatDidNotEndHasItsStatement() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.begin("SELECT x FROM t WHERE y = 77", line: 7, of: b, at: 5)
    for number in 0..<120 {
      let start = 10 + Double(number)
      runs.transaction(UInt64(number + 1), of: a, from: start, to: start + 0.5)
    }
    #expect(runs.findings == ["EndReadTransaction 7"])
    let profile = runs.profile
    let finding = try #require(Workload(profile).findings.first)
    #expect(finding.statement.flatMap(profile.statement)?.sql == "SELECT x FROM t WHERE y = 77")
    let shared = SharedProfile(profile)
    let id = try #require(shared.shared(finding).statement)
    #expect(shared.profile.statement(id)?.sql == "SELECT x FROM t WHERE y = ?")
  }

  /// With a rollback journal, where the program was killed, or still reads.
  @Test func aCommitThatWaitsForAReadThatDidNotEndHasItsLine() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    runs.begin("SELECT x FROM t", line: 5, of: b, at: 5)
    for number in 1...3 {
      let (id, time) = (UInt64(number), Double(number) * 1000)
      runs.run("BEGIN", line: 8, of: a, at: time, transaction: id)
      runs.run("UPDATE t SET x = ?", line: 8, of: a, at: time + 1, transaction: id, bindHash: id)
      runs.run(
        "COMMIT", line: 9, of: a, at: time + 200, open: 190, transaction: id, busy: (8, 190),
        error: Self.locked)
      runs.end(
        id, of: a, at: time + 201, total: 201, kind: "deferred", writer: 1, outcome: "rollback")
      runs.run(
        "ROLLBACK", line: 9, of: a, at: time + 201, transaction: id, writes: false)
    }
    let found = Workload(runs.profile).findings
    let wait = try #require(found.first { $0.rule == "AvoidLockWait" })
    #expect(wait.message.contains("The lock was held by b at b.py:5: SELECT x FROM t."))
    #expect(wait.fix.hasPrefix("end the read sooner"))
    #expect(wait.fix.contains("WAL"))
    let failure = try #require(found.first { $0.rule == "HandleBusy" })
    #expect(!failure.fix.contains("timeout"))
  }

  @Test func aStatementThatIsATransactionHoldsTheLock() throws {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    for number in 1...12 {
      let time = Double(number) * 1000
      runs.end(0, of: b, at: time + 190, total: 190, kind: "autocommit")
      runs.run("UPDATE t SET x = x + 1", line: 5, of: b, at: time + 190, open: 190)
      runs.run(
        "INSERT INTO u VALUES (?)", line: 8, of: a, at: time + 200, open: 190,
        bindHash: UInt64(number), busy: (8, 190))
    }
    let found = Workload(runs.profile).findings
    let wait = try #require(found.first { $0.rule == "AvoidLockWait" })
    #expect(wait.fix.hasPrefix("the statement that holds the lock is a transaction of its own"))
  }

  @Test func aReadTransactionIsReportedAtItsFirstRead() {
    func read(at time: Double, ends: Bool = true) -> [String] {
      findings { runs, a, b in
        runs.run("BEGIN", line: 1, of: b, at: 1, transaction: 1)
        runs.run("SELECT a FROM t", line: 2, of: b, at: time, transaction: 1, rows: 9)
        for number in 0..<120 {
          let start = 10 + Double(number)
          runs.transaction(UInt64(number + 1), of: a, from: start, to: start + 0.5)
        }
        guard ends else { return }
        runs.end(1, of: b, at: 500, total: 499, kind: "deferred", writer: nil)
        runs.run("COMMIT", line: 3, of: b, at: 500, transaction: 1)
      }
    }
    #expect(read(at: 5) == ["EndReadTransaction 2"])
    #expect(read(at: 5, ends: false) == ["EndReadTransaction 2"])
    // BEGIN alone has no snapshot.
    #expect(read(at: 400) == [])
  }

  @Test func aFailureThatTheProgramIgnoresIsReported() {
    func fail(retries: Bool, goesOn: Bool, bindHash: UInt64 = 7) -> [String] {
      findings { runs, a, _ in
        runs.run(
          "INSERT INTO t VALUES (?)", line: 4, of: a, at: 2000, open: 1000, bindHash: 7,
          busy: (30, 1000), error: Self.locked)
        if goesOn { runs.run("SELECT a FROM u", line: 5, of: a, at: 2001, rows: 1) }
        if retries {
          runs.run("INSERT INTO t VALUES (?)", line: 4, of: a, at: 2002, bindHash: bindHash)
        }
      }
    }
    #expect(fail(retries: false, goesOn: true) == ["AvoidLockWait 4", "HandleBusy 4"])
    #expect(fail(retries: true, goesOn: true) == ["AvoidLockWait 4"])
    #expect(fail(retries: true, goesOn: false) == ["AvoidLockWait 4"])
    // The program ended with the error.
    #expect(fail(retries: false, goesOn: false) == ["AvoidLockWait 4"])
    // Other values are another row.
    #expect(fail(retries: true, goesOn: true, bindHash: 8) == ["AvoidLockWait 4", "HandleBusy 4"])
  }
}
