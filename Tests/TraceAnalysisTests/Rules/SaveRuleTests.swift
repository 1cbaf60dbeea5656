// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// The rules that look at saves, locks and the write-ahead log.
@Suite struct SaveRuleTests {
  private func findings(_ write: (inout RunBuilder) -> Void) -> [Finding] {
    RunBuilder(write).profile().findings
  }

  // MARK: - AvoidSlowSave

  @Test func flagsManySmallSaves() throws {
    let found = findings { trace in
      for _ in 1...100 { trace.save(updated: 0, deleted: 0, write: 100_000, commit: 2_000_000) }
    }
    let finding = try #require(found.first)
    #expect(found.map(\.rule) == ["AvoidSlowSave"])
    #expect(
      finding.message == "100 saves of 100 objects in total spent 200 ms in their commits.")
    #expect(finding.saving?.atMost == 198_000_000)
    #expect(finding.fix.hasPrefix("save after the loop"))
  }

  /// As in Core Data's log.
  @Test func commitsWithoutTimesHaveNoTimeInTheMessage() throws {
    let found = findings { trace in
      for _ in 1...60 { trace.save(updated: 0, deleted: 0, write: 0, commit: 0) }
    }
    #expect(found.map(\.message) == ["60 saves of 60 objects in total."])
    #expect(found.first?.saving == nil)
  }

  @Test func flagsASaveOfVeryManyObjects() throws {
    let found = findings { $0.save(inserted: 100_000, write: 900_000_000) }
    let finding = try #require(found.first)
    #expect(found.map(\.rule) == ["AvoidSlowSave"])
    #expect(
      finding.message
        == """
        Each save writes 100,005 objects in one transaction, and holds the write lock for 900 ms \
        on average.
        """)
    #expect(finding.fix.contains("batch insert"))
  }

  @Test func leavesQuickSavesAlone() {
    #expect(
      findings { trace in
        for _ in 1...19 { trace.save(commit: 10_000_000) }
      }.isEmpty)
    #expect(
      findings { trace in
        for _ in 1...100 { trace.save(inserted: 500, write: 4_000_000, commit: 5_000_000) }
      }.isEmpty)
    #expect(
      findings { trace in
        for _ in 1...1000 { trace.save(write: 20_000, commit: 50_000) }
      }.isEmpty)
  }

  // MARK: - AvoidLockWait

  @Test func flagsSavesThatWaitForTheWriter() throws {
    let found = findings { trace in
      for _ in 1...7 { trace.busy(500_000_000) }
      trace.save(wait: 3_900_000_000, write: 12_000_000)
    }
    let finding = try #require(found.first)
    // The wait is another's fault: it makes no slow save.
    #expect(found.map(\.rule) == ["AvoidLockWait"])
    #expect(
      finding.message
        == """
        1 save waited 3,900 ms for the writer, of 3,912 ms that they took; SQLite retried the \
        lock of another connection 21 times.
        """)
    #expect(finding.saving?.atMost == 3_900_000_000)
  }

  @Test func theAttemptsOfALockDecideAndNotTheirTime() {
    for time in [10_000, 3_000_000_000] as [Nanoseconds] {
      func rules(waits: Int) -> [String] {
        findings { trace in
          for _ in 0..<waits { trace.busy(time) }
          trace.save(wait: time, write: 1_000_000)
        }.map(\.rule)
      }
      #expect(rules(waits: 4) == ["AvoidLockWait"])
      #expect(rules(waits: 3) == [])
    }
  }

  @Test func flagsAStatementThatWaitedForAnotherConnection() throws {
    let found = findings { trace in
      trace.connect()
      trace.caller(1, line: 80)
      for _ in 1...4 { trace.busy(75_000_000) }
      trace.run(
        "INSERT INTO visit(page) VALUES (?)", caller: 1, rows: 0, changes: 1, step: 300_100_000,
        open: 300_100_000)
      trace.run("SELECT count(*) FROM visit", caller: 1)
    }
    let finding = try #require(found.first)
    #expect(found.map(\.rule) == ["AvoidLockWait"])
    #expect(finding.caller == SourceLocation(file: "app.py", line: 80))
    #expect(finding.statement == StatementID(sql: "INSERT INTO visit(page) VALUES (?)"))
    #expect(
      finding.message == """
        SQLite retried the lock of another connection 12 times, and waited 300 ms for it (1 run).
        """)
    #expect(finding.saving?.atMost == 300_000_000)
  }

  @Test func flagsSavesOfThreadsThatWaitForEachOther() {
    func rules(saves: Int, threads: Int64) -> [String] {
      findings { trace in
        for index in 0..<saves {
          trace.save(
            wait: 4_000, write: 1_000, thread: threads == 1 ? 1 : Int64(index) % threads)
        }
      }.map(\.rule)
    }
    // Records are 1,000 ns apart, and each save began 5,000 ns before its record.
    #expect(rules(saves: 11, threads: 2) == ["AvoidLockWait"])
    #expect(rules(saves: 10, threads: 2) == [])
    #expect(rules(saves: 40, threads: 1) == [])
  }

  @Test func flagsFetchesThatWaitForAConnection() {
    func findings(threads: Int64) -> [Finding] {
      self.findings { trace in
        trace.announce("SELECT 0")
        for _ in 1...10 {
          let fetches = (1...threads).map { ($0, trace.begin(thread: $0)) }
          for (thread, fetch) in fetches {
            trace.end(fetch, "SELECT 0", total: 20_000, wait: 15_000, thread: thread)
          }
        }
      }.filter { $0.rule == "AvoidLockWait" }
    }
    #expect(findings(threads: 4) == [])
    let found = findings(threads: 5)
    #expect(found.count == 1)
    #expect(found.first?.statement == StatementID(sql: "SELECT 0"))
    #expect(found.first?.message.hasPrefix("10 of its runs began while 4 other threads") == true)
  }

  @Test func aProcessWithOneThreadAndNoOtherConnectionWaitsForNothing() {
    #expect(
      findings { trace in
        trace.save(wait: 3_900_000_000, write: 12_000_000)
        trace.fetch("SELECT 0", total: 20_000_000, wait: 15_000_000)
      }.isEmpty)
  }

  @Test func fiveHundredSavesOfOneObjectAreReportedWhateverTheyTook() {
    for commit in [1000, 2_000_000] as [Nanoseconds] {
      let found = findings { trace in
        for _ in 1...500 { trace.save(updated: 0, deleted: 0, write: 500, commit: commit) }
      }
      #expect(found.map(\.rule) == ["AvoidSlowSave"])
    }
  }

  @Test(arguments: [(900_000_000, true), (1_100_000_000, false)] as [(Nanoseconds, Bool)])
  func savesThatASecondSeparatesAreAUsers(pause: Nanoseconds, isReported: Bool) {
    let found = findings { trace in
      for _ in 1...70 {
        trace.save(updated: 0, deleted: 0, write: 500, commit: 1000)
        trace.pause(pause)
      }
    }
    #expect(found.map(\.rule) == (isReported ? ["AvoidSlowSave"] : []))
  }

  @Test func fixesOfSavesDoNotContradictEachOther() {
    let found = findings { trace in
      for _ in 1...100 { trace.save(updated: 0, deleted: 0) }
      trace.checkpoint(9000, of: 9000)
    }
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.fix.contains("every thousand objects") })
  }

  @Test func flagsAWaitThatGaveUp() {
    let found = findings { trace in
      trace.busy(2_000_000)
      trace.busy(5_000_000_000, gaveUp: true)
    }
    #expect(found.map(\.rule) == ["AvoidLockWait"])
    #expect(
      found[0].message == """
        1 of 2 waits for another connection's lock gave up; the longest took 5,000 ms.
        """)
  }

  @Test func leavesShortWaitsAlone() {
    #expect(
      findings { trace in
        trace.busy(2_000_000)
        trace.save(wait: 9_000_000, write: 1_000_000)
        trace.fetch("SELECT 0", total: 100_000_000, wait: 15_000_000)
      }.isEmpty)
  }

  // MARK: - AvoidCheckpointStall

  @Test func flagsALongCheckpoint() {
    let found = findings { trace in
      trace.checkpoint(1004, of: 1004)
      trace.checkpoint(5004, of: 5004, time: 80_000_000)
    }
    #expect(found.map(\.rule) == ["AvoidCheckpointStall"])
    #expect(
      found[0].message
        == "The log grew to 5,004 frames; the longest of 2 checkpoints took 80 ms.")
    #expect(found[0].saving?.atMost == 83_000_000)
  }

  @Test func flagsALogThatReadersKeepFromBeingWorkedOff() {
    let found = findings { trace in
      for frames in [2000, 4000, 9000] as [UInt64] { trace.checkpoint(812, of: frames) }
    }
    #expect(found.map(\.rule) == ["AvoidCheckpointStall"])
    #expect(
      found[0].message
        == "3 of 3 checkpoints could not finish, and the log grew to 9,000 frames.")
  }

  @Test func leavesShortCheckpointsAlone() {
    #expect(
      findings { trace in
        for _ in 1...50 { trace.checkpoint(1004, of: 1004) }
        trace.checkpoint(812, of: 9000)
      }.isEmpty)
    #expect(
      findings { trace in
        for _ in 1...5 { trace.checkpoint(900, of: 1004) }
      }.isEmpty)
  }
}
