// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Each rule on the write-ahead log and on files: a case that is reported, and similar ones that are not.
@Suite struct LogRuleTests {
  private func findings(_ write: (inout LockRuns, LockRuns.Program, LockRuns.Program) -> Void)
    -> [String]
  {
    var runs = LockRuns()
    let (a, b) = (runs.open(1, "a"), runs.open(2, "b"))
    write(&runs, a, b)
    return runs.findings
  }

  private func checkpoints(_ frames: [UInt64], done: (UInt64) -> UInt64 = { $0 }) -> [String] {
    findings { runs, a, _ in
      for (number, frames) in frames.enumerated() {
        runs.checkpoint(done(frames), of: frames, by: a, at: Double(number))
      }
    }
  }

  @Test func aLogThatNeverBeginsAgainIsReportedOnce() {
    #expect(checkpoints([1000, 2010, 3020, 4500]) == ["AllowLogReset 0"])
    #expect(checkpoints([1000, 4500]) == ["AvoidCheckpointStall 0"])
    // It began again in between.
    #expect(checkpoints([1000, 2010, 900, 2200, 1000, 3100]) == [])
    // A reader stops the checkpoints.
    #expect(checkpoints([1000, 2010, 3020, 4500]) { _ in 7 } == ["AvoidCheckpointStall 0"])
  }

  @Test func aLogThatNoCheckpointWasSeenOfIsReported() {
    func grow(to sizes: [UInt64], checkpoint: Bool = false) -> [String] {
      findings { runs, a, _ in
        if checkpoint { runs.checkpoint(10, of: 10, by: a, at: 0.5) }
        for (number, size) in sizes.enumerated() {
          let time = Double(number + 1)
          runs.run(
            "INSERT INTO t VALUES (?)", line: 4, of: a, at: time, transaction: UInt64(number + 1))
          runs.end(UInt64(number + 1), of: a, at: time, total: 0.1, log: size << 20)
        }
      }
    }
    #expect(grow(to: [2, 9, 16]) == ["AllowLogReset 0"])
    #expect(grow(to: [2, 9, 15]) == [])
    // One large transaction.
    #expect(grow(to: [2, 64, 64, 64]) == [])
    #expect(grow(to: [2, 9, 16], checkpoint: true) == [])
  }

  @Test func aCommitThatPaysForTheCheckpointsOfOthersIsReported() {
    func pay(_ count: Int, others: Int, own: Int = 0) -> [String] {
      findings { runs, a, b in
        var id: UInt64 = 0
        for round in 0..<count {
          let start = Double(round) * 1000
          for number in 0..<others + own {
            id += 1
            runs.transaction(
              id, of: number < others ? a : b, from: start + Double(number),
              to: start + Double(number) + 0.5)
          }
          id += 1
          let end = start + 900
          runs.run("BEGIN IMMEDIATE", line: 7, of: b, at: end, transaction: id)
          runs.checkpoint(1000, of: 1000, by: b, at: end + 1)
          runs.end(id, of: b, at: end + 1, total: 1)
          runs.run("COMMIT", line: 8, of: b, at: end + 1, transaction: id)
        }
      }
    }
    #expect(pay(3, others: 20) == ["AvoidForeignCheckpoint 7"])
    #expect(pay(2, others: 20) == [])
    // It wrote most of it itself.
    #expect(pay(3, others: 20, own: 20) == [])
    #expect(pay(3, others: 0, own: 20) == [])
  }

  private func commits(
    _ count: Int, rows: UInt64, syncs: UInt64, checkpointEvery: Int = .max, logWrites: UInt64 = 3,
    kind: String = "immediate", othersEvery: Int = 10
  ) -> [String] {
    findings { runs, a, _ in
      for number in 1...count {
        let (id, time) = (UInt64(number), Double(number) * 10)
        let checkpoints: UInt64 = number % checkpointEvery == 0 ? 1 : 0
        var commit = CommitIO(storeID: 1)
        commit.transactionID = kind == "autocommit" ? 0 : id
        commit.totalTime = 5_000_000
        commit.changes = rows
        commit.syncs = syncs
        commit.logWrites = logWrites
        commit.checkpoints = checkpoints
        if kind == "autocommit" {
          runs.cost(commit, of: a, at: time)
          runs.end(0, of: a, at: time, total: 5, kind: kind)
          runs.run("INSERT INTO t VALUES (?)", line: 4, of: a, at: time, bindHash: id)
        } else {
          runs.run("BEGIN IMMEDIATE", line: 3, of: a, at: time, transaction: id)
          runs.run(
            "INSERT INTO t VALUES (?)", line: 4, of: a, at: time + 1, transaction: id, changes: rows
          )
          runs.cost(commit, of: a, at: time + 2)
          runs.end(id, of: a, at: time + 2, total: 5)
          runs.run("COMMIT", line: 5, of: a, at: time + 2, transaction: id)
          if number % othersEvery == 0 {
            runs.run("UPDATE u SET a = 1", line: 9, of: a, at: time + 3)
          }
        }
      }
    }
  }

  @Test func manySyncsForFewRowsAreReportedOnce() {
    #expect(commits(50, rows: 1, syncs: 1) == ["AvoidSyncForFewRows 3"])
    #expect(commits(50, rows: 4, syncs: 4) == ["AvoidSyncForFewRows 3"])
    #expect(commits(49, rows: 1, syncs: 1) == [])
    #expect(commits(50, rows: 40, syncs: 1) == [])
    #expect(commits(50, rows: 1, syncs: 0) == [])
    // A loop without a transaction is one problem.
    #expect(commits(120, rows: 1, syncs: 1, kind: "autocommit") == ["GroupWrites 4"])
    #expect(commits(50, rows: 1, syncs: 1, othersEvery: .max) == ["GroupWrites 3"])
    #expect(commits(60, rows: 1, syncs: 1, kind: "autocommit") == ["GroupWrites 4"])
  }

  @Test func checkpointsAfterEveryFewCommitsAreReported() {
    #expect(commits(100, rows: 9, syncs: 0, checkpointEvery: 10) == ["AvoidFrequentCheckpoint 3"])
    #expect(commits(90, rows: 9, syncs: 0, checkpointEvery: 10) == [])
    #expect(commits(200, rows: 9, syncs: 0, checkpointEvery: 20) == [])
    #expect(commits(100, rows: 9, syncs: 0, checkpointEvery: 2, logWrites: 1200) == [])
  }
}
