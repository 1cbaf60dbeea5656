// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Statements that are compiled for each run, and similar ones that are not reported.
@Suite struct BindParametersTests {
  private func findings(
    _ count: Int, prepare: Double = 0.02, line: UInt64 = 4, connections: Int = 1,
    open: Double = 0, vmSteps: UInt64 = 20, _ sql: (Int) -> String
  ) -> [String] {
    var runs = LockRuns()
    var program = runs.open(1, "a")
    for connection in 1..<UInt64(connections) {
      program = runs.open(1, "a", connection: connection)
    }
    for number in 1...count {
      runs.run(
        sql(number), line: line, of: program, at: Double(number) * 10, open: open, writes: false,
        rows: 1, bindHash: UInt64(number), connection: UInt64(number % connections) + 1,
        prepare: prepare, vmSteps: vmSteps)
    }
    return runs.profile.findings.filter { $0.rule == "BindParameters" }
      .map { "\($0.severity) \($0.caller.line)" }
  }

  @Test func textsThatDifferInTheirValuesAreReported() {
    let sql = { (number: Int) in "SELECT a FROM t WHERE b = 'v\(number)' AND c > \(number)" }
    #expect(findings(100, sql) == ["warning 4"])
    #expect(findings(99, sql) == [])
    // The driver found them in its cache, or sqlite3_exec() compiled them.
    #expect(findings(200, prepare: 0, sql) == [])
  }

  /// `@` is the number of the run, and `#` as many values of a list.
  @Test(arguments: [
    "SELECT a FROM t WHERE b IN (?, #?)", "SELECT a FROM t WHERE b IN (#1)",
    "SELECT a FROM t ORDER BY b LIMIT 20 OFFSET @", "SELECT a FROM t@ WHERE b = 1",
    "CREATE TABLE t@(a DEFAULT @)", "PRAGMA user_version = @", "SAVEPOINT s@",
  ])
  func otherTextsAreNotReported(sql: String) {
    let found = findings(150) { number in
      sql.map { letter -> String in
        switch letter {
        case "@": "\(number)"
        case "#": String(repeating: sql.contains("?") ? "?, " : "1, ", count: number)
        default: String(letter)
        }
      }.joined()
    }
    #expect(found == [])
  }

  @Test func oneTextThatAConnectionCompilesAgainIsANote() {
    let sql = { (_: Int) in "SELECT a FROM t WHERE b = ?" }
    #expect(findings(101, sql) == ["note 4"])
    #expect(findings(100, sql) == [])
    // Each request of a server may have a connection of its own.
    #expect(findings(200, connections: 200, sql) == [])
  }

  @Test func aJoinThatTakesLongerToCompileThanToRunIsANote() {
    let sql = { (_: Int) in "SELECT a FROM t JOIN u USING (c) JOIN v USING (d) WHERE b = ?" }
    #expect(findings(101, prepare: 0.2, open: 0.05, vmSteps: 800, sql) == ["note 4"])
    #expect(findings(101, prepare: 0.02, open: 0.5, vmSteps: 800, sql) == [])
  }

  @Test func aLargeSchemaThatEachConnectionReadsIsANote() {
    let sql = { (_: Int) in "SELECT a FROM t WHERE b = ?" }
    #expect(findings(150, prepare: 4, connections: 150, sql) == ["note 4"])
    #expect(findings(99, prepare: 4, connections: 99, sql) == [])
    // Connections that the runs share are a pool.
    #expect(findings(150, prepare: 4, connections: 10, sql) == [])
  }

  /// A program that runs once for each statement has to read the schema each time.
  @Test func aConnectionOfEachProcessIsNeeded() {
    var runs = LockRuns()
    for pid in 1...150 as ClosedRange<Int64> {
      let program = runs.open(pid, "a")
      runs.run(
        "SELECT a FROM t WHERE b = ?", line: 4, of: program, at: Double(pid) * 10, rows: 1,
        prepare: 4)
    }
    #expect(runs.findings == [])
  }

  @Test func theTimeToCompileIsPartOfTheTime() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    runs.run("SELECT a FROM t", line: 4, of: program, at: 10, open: 2, rows: 1, prepare: 3)
    let work = try #require(runs.profile.statements.first?.work)
    #expect(work.prepareTime == 3_000_000)
    #expect(work.stepTime == 2_000_000)
    #expect(work.totalTime == 5_000_000)
    #expect(runs.profile.timeInDatabase == 5_000_000)
  }
}
