// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Transactions of a few rows, and failures for which a statement of the program is the reason.
@Suite struct TransactionRuleTests {
  private func findings(
    path: String = "/srv/app.db", _ write: (inout LockRuns, LockRuns.Program) -> Void
  ) -> [String] {
    var runs = LockRuns()
    let program = runs.open(1, "a", path: path)
    write(&runs, program)
    return runs.findings
  }

  // MARK: - Transactions

  /// As drivers send them: BEGIN, one write, COMMIT, with a read in front.
  private func loop(
    _ count: Int, path: String = "/srv/app.db", rows: Int = 1, otherEvery: Int = .max
  ) -> [String] {
    findings(path: path) { runs, program in
      for number in 1...count {
        let (id, time) = (UInt64(number), Double(number) * 10)
        runs.run("SELECT a FROM t WHERE b = ?", line: 3, of: program, at: time, rows: 1)
        runs.run("BEGIN", line: 4, of: program, at: time + 1, transaction: id)
        for row in 1...rows {
          runs.run(
            "INSERT INTO t VALUES (?)", line: 4, of: program, at: time + 2, transaction: id,
            bindHash: UInt64(number * 100 + row))
        }
        runs.end(id, of: program, at: time + 3, total: 2, kind: "deferred", writer: 1)
        runs.run("COMMIT", line: 5, of: program, at: time + 3, open: 0.5, transaction: id)
        guard number.isMultiple(of: otherEvery) else { continue }
        runs.run("UPDATE u SET a = 1", line: 6, of: program, at: time + 4)
      }
    }
  }

  @Test func fiftyTransactionsOfOneRowAreReported() {
    #expect(loop(50).contains("GroupWrites 4"))
    #expect(!loop(49).contains("GroupWrites 4"))
  }

  @Test(arguments: [
    ("CREATE TEMP TABLE chosen(id)", "INSERT INTO chosen VALUES (?)", false),
    ("CREATE TEMP TABLE chosen(id)", "INSERT INTO main.chosen VALUES (?)", true),
    ("CREATE TABLE chosen(id)", "INSERT INTO chosen VALUES (?)", true),
    ("SELECT 1", "DELETE FROM temp.chosen WHERE id = ?", false),
  ])
  func writesToATemporaryTableAreNoTransactions(first: String, write: String, isReported: Bool) {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    runs.run(first, line: 2, of: program, at: 1, changes: 0)
    for number in 1...60 {
      runs.run(
        write, line: 3, of: program, at: Double(number) * 10 + 1, bindHash: UInt64(number))
    }
    #expect(runs.findings.contains("GroupWrites 3") == isReported)
  }

  @Test func transactionsOfManyRowsAreNotReported() {
    #expect(loop(60, rows: 4).contains("GroupWrites 4"))
    #expect(!loop(60, rows: 5).contains("GroupWrites 4"))
  }

  @Test func transactionsBetweenWhichAnotherLineWritesAreNotInARow() {
    #expect(!loop(200, otherEvery: 10).contains("GroupWrites 4"))
  }

  /// Autocommitted statements, as Lua, PDO and the shell send them.
  private func autocommits(
    _ count: Int, path: String = "/srv/app.db", lines: UInt64 = 1, otherEvery: Int = .max,
    pause: Double = 10, transaction: UInt64 = 0, received: (Int) -> UInt64 = { _ in 0 }
  ) -> [String] {
    let all = findings(path: path) { runs, program in
      for number in 1...count {
        let time = Double(number) * pause
        runs.run(
          "SELECT a FROM t WHERE b = ?", line: 3, of: program, at: time, rows: 1,
          bindHash: UInt64(number))
        for line in 4..<(4 + lines) {
          let time = time + Double(line) / 10
          runs.end(
            0, of: program, at: time, total: 0.1, kind: "autocommit", received: received(number))
          runs.run(
            "INSERT INTO t VALUES (?)", line: line, of: program, at: time,
            transaction: transaction, bindHash: UInt64(number))
        }
        guard number.isMultiple(of: otherEvery) else { continue }
        runs.run("UPDATE u SET a = 1", line: 9, of: program, at: time + 4)
      }
    }
    return all.filter { $0.hasPrefix("GroupWrites") }.sorted()
  }

  @Test func autocommittedWritesHaveTheSameLimit() {
    #expect(autocommits(50) == ["GroupWrites 4"])
    #expect(autocommits(49) == [])
    #expect(autocommits(200, otherEvery: 40) == [])
    #expect(autocommits(200, transaction: 1) == [])
    #expect(autocommits(200, path: ":memory:") == [])
  }

  /// A worker commits a claim before it works, and the result after it.
  @Test func theClaimsOfAQueueAreNoLoop() {
    func worker(_ claim: String) -> [String] {
      findings { runs, program in
        for number in 1...60 {
          for (line, sql) in [(4, claim), (5, "UPDATE job SET result = ? WHERE id = ?")] {
            let time = Double(number) * 10 + Double(line)
            runs.end(0, of: program, at: time, total: 0.1, kind: "autocommit")
            runs.run(
              sql, line: UInt64(line), of: program, at: time, bindHash: UInt64(number))
          }
        }
      }.filter { $0.hasPrefix("GroupWrites") }.sorted()
    }
    let next = "(SELECT id FROM job WHERE worker IS NULL LIMIT 1)"
    #expect(worker("UPDATE job SET worker = ? WHERE id = \(next) RETURNING id") == [])
    #expect(worker("DELETE FROM Job WHERE id = \(next) RETURNING id, body") == [])
    #expect(
      worker("UPDATE job SET worker = ? WHERE id = ?") == ["GroupWrites 4", "GroupWrites 5"])
    #expect(
      worker("UPDATE other SET worker = ? WHERE id = \(next) RETURNING id") == ["GroupWrites 5"])
  }

  @Test func aLoopMayWriteAtSeveralLines() {
    #expect(autocommits(50, lines: 3) == ["GroupWrites 4", "GroupWrites 5", "GroupWrites 6"])
    #expect(autocommits(49, lines: 3) == [])
  }

  /// Each of 500 requests writes one row, or one writes 60 while others arrive.
  @Test func requestsThatWriteARowEachAreNoLoop() {
    #expect(autocommits(500, received: { UInt64($0) }) == [])
    #expect(autocommits(500, received: { UInt64($0 / 4) }) == [])
    #expect(autocommits(560, received: { UInt64($0 < 500 ? $0 : 500) }) == ["GroupWrites 4"])
    #expect(autocommits(60, received: { UInt64($0 / 20) }) == ["GroupWrites 4"])
  }

  /// Opens a connection for each row, as a helper does.
  private func connections(
    _ count: Int, creates: String? = nil, threads: Bool = false,
    received: (Int) -> UInt64 = { _ in 0 }
  ) -> [String] {
    var runs = LockRuns()
    for number in 1...count {
      let (id, time) = (UInt64(number), Double(number) * 10)
      let program = runs.open(threads ? Int64(number) : 1, "a", connection: id, at: time)
      if let creates {
        runs.run(creates, line: 3, of: program, at: time + 1, changes: 0, connection: id)
      }
      runs.end(
        0, of: program, at: time + 2, total: 0.1, kind: "autocommit", received: received(number))
      runs.run(
        "INSERT INTO t VALUES (?)", line: 4, of: program, at: time + 2, bindHash: id, connection: id
      )
      runs.close(id, of: program, at: time + 3)
    }
    return runs.findings.filter { $0.hasPrefix("GroupWrites") }
  }

  @Test func oneConnectionForEachWriteIsReported() {
    #expect(connections(50) == ["GroupWrites 4"])
    #expect(connections(49) == [])
    #expect(connections(50, creates: "CREATE TABLE IF NOT EXISTS t(a)") == ["GroupWrites 4"])
    // Each test has a file of its own, a request or a process is no loop.
    #expect(connections(500, creates: "CREATE TABLE t(a)") == [])
    #expect(connections(500, received: { UInt64($0) }) == [])
    #expect(connections(500, threads: true) == [])
  }

  @Test func writesThatASecondSeparatesAreNoLoop() {
    #expect(autocommits(200, pause: 1_100) == [])
    #expect(autocommits(200, pause: 900) == ["GroupWrites 4"])
  }

  @Test(arguments: ["", ":memory:", "file::memory:?cache=shared", "file:x?mode=memory"])
  func transactionsInMemoryCostNoDisk(path: String) {
    #expect(!loop(200, path: path).contains("GroupWrites 4"))
  }

  @Test func aLineHasItsTransactionsRowsAndCommitTime() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    for number in 1...3 {
      runs.transaction(
        UInt64(number), of: program, from: Double(number) * 10, to: Double(number) * 10 + 4,
        changes: 1)
    }
    let sites = try #require(runs.profile.locks?.transactions)
    #expect(sites.map(\.site.count) == [3])
    #expect(sites.map(\.rows) == [3])
    #expect(sites.map(\.longestSequence) == [3])
    #expect(runs.findings == [])
  }

  // MARK: - Failures

  /// A SELECT that is open while another statement of its connection fails.
  private func failure(
    _ sql: String, _ error: String, busy: Bool = false, selectOpen: Double = 50
  ) -> [String] {
    findings { runs, program in
      runs.run(
        sql, line: 3, of: program, at: 40, writes: true, busy: busy ? (0, 0) : nil, error: error)
      runs.run("SELECT a FROM t", line: 2, of: program, at: 60, open: selectOpen, rows: 9)
    }
  }

  @Test func anUpdateWhileReadingNeedsNoBusyTimeout() {
    let busy = "SQLITE_BUSY: database is locked"
    let found = failure("UPDATE t SET a = ? WHERE id = ?", busy, busy: true)
    #expect(found.contains("ResetStatement 3"))
    #expect(!found.contains("SetBusyTimeout 3"))
    // The SELECT began later.
    let other = failure("UPDATE t SET a = ? WHERE id = ?", busy, busy: true, selectOpen: 10)
    #expect(!other.contains("ResetStatement 3"))
    #expect(other.contains("SetBusyTimeout 3"))
  }

  @Test(arguments: [
    ("DROP TABLE t", "SQLITE_LOCKED: database table is locked"),
    ("VACUUM", "SQLITE_ERROR: cannot VACUUM - SQL statements in progress"),
  ])
  func anOpenStatementIsNamed(sql: String, error: String) {
    #expect(failure(sql, error) == ["ResetStatement 3"])
    #expect(failure(sql, error, selectOpen: 10) == [])
  }

  @Test func listsThatAreTooLongAreOneFindingWithTheirNumberAndTheLimit() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    for count in [300, 260] {
      runs.run(
        "SELECT a FROM t WHERE b IN (?, ?)", line: 3, of: program, at: Double(count),
        error: "SQLITE_ERROR: too many SQL variables (\(count), limit 250)")
    }
    let findings = runs.profile.findings.filter { $0.rule == "RespectLimits" }
    #expect(
      findings.map(\.message) == [
        """
        It failed 2 times with SQLITE_ERROR: too many SQL variables: it has 260 parameters, and this connection \
        accepts 250.
        """
      ])
    #expect(findings.first?.fix == "split the list, or join json_each(?) or a temporary table")
  }

  @Test(arguments: [
    ("SQLITE_CONSTRAINT: UNIQUE constraint failed: t.a", false),
    ("SQLITE_ERROR: no such table: t", false),
    ("SQLITE_INTERRUPT: interrupted", true),
    ("SQLITE_ERROR: cannot start a transaction within a transaction", true),
  ])
  func otherErrorsAreNoFindings(error: String, hasCause: Bool) throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    runs.run("INSERT INTO t VALUES (?)", line: 3, of: program, at: 40, error: error)
    #expect(runs.findings == [])
    let failures = try #require(runs.profile.locks?.failures)
    #expect(failures.map { $0.cause != nil } == [hasCause])
  }

  @Test func aNestedBeginNamesTheLineThatBeganTheOpenTransaction() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    for id in 1...2 as ClosedRange<UInt64> {
      let start = Double(id) * 10
      runs.run("BEGIN", line: 11, of: program, at: start, transaction: id)
      runs.run("INSERT INTO t VALUES (0)", line: 12, of: program, at: start + 1, transaction: id)
      runs.run(
        "BEGIN IMMEDIATE", line: 5, of: program, at: start + 2, transaction: id, writes: false,
        error: "SQLITE_ERROR: cannot start a transaction within a transaction")
      runs.end(id, of: program, at: start + 3, total: 3)
      runs.run("COMMIT", line: 13, of: program, at: start + 3, transaction: id)
    }
    let profile = runs.profile
    let failure = try #require(profile.locks?.failures?.first)
    #expect(failure.site.count == 2)
    #expect(failure.transaction?.location.line == 11)
    #expect(
      failure.cause == """
        the transaction that BEGIN at a.py:11 began on this connection was still open: use SAVEPOINT for an inner one
        """)
    #expect(profile.findings.isEmpty)
  }

  @Test func errorsWithOtherReasonsHaveNoObstacle() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    let error = "SQLITE_CONSTRAINT: UNIQUE constraint failed: t.a"
    runs.run("INSERT INTO t VALUES (?)", line: 3, of: program, at: 40, error: error)
    runs.run("SELECT a FROM t", line: 2, of: program, at: 60, open: 50, rows: 9)
    let failures = try #require(runs.profile.locks?.failures)
    #expect(failures.map(\.error) == [error])
    #expect(failures.allSatisfy { $0.obstacle == nil })
  }
}
