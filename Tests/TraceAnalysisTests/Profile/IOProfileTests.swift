// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis
import TraceRendering

@Suite struct IOProfileTests {
  private var profile: Profile {
    var runs = LockRuns()
    let a = runs.open(1, "a")
    for number in 1...2 {
      let (id, time) = (UInt64(number), Double(number) * 10)
      runs.run("BEGIN IMMEDIATE", line: 3, of: a, at: time, transaction: id)
      var files = StatementIO(storeID: 1)
      (files.runID, files.cacheHits, files.cacheMisses) = (1, 5, 2)
      (files.reads, files.readBytes, files.readTime) = (2, 8192, 1000)
      runs.files(files, of: a, at: time + 1)
      runs.run("INSERT INTO t VALUES (?)", line: 4, of: a, at: time + 1, transaction: id)
      var commit = CommitIO(storeID: 1)
      (commit.transactionID, commit.totalTime, commit.changes) = (id, 5_000_000, 40)
      (commit.waitTime, commit.bodyTime, commit.logTime) = (500_000, 1_000_000, 250_000)
      (commit.syncTime, commit.commitTime, commit.syncs) = (3_000_000, 250_000, 1)
      commit.logWrites = 24
      runs.cost(commit, of: a, at: time + 2)
      runs.end(id, of: a, at: time + 2, total: 5)
      runs.run("COMMIT", line: 5, of: a, at: time + 2, transaction: id)
    }
    // The connection closes.
    var last = StatementIO(storeID: 1)
    (last.writes, last.syncs) = (7, 2)
    runs.files(last, of: a, at: 99)
    return runs.profile
  }

  @Test func commitsBelongToTheLineThatBeganToWrite() throws {
    let io = try #require(profile.io)
    let commits = try #require(io.commits.first)
    #expect(io.commits.count == 1)
    #expect(commits.site.location.line == 3)
    #expect(commits.site.count == 2)
    #expect(commits.syncTime == 6_000_000)
    #expect(commits.changes == 80)
    #expect(commits.parts.reduce(0) { $0 + $1.time } == commits.totalTime)
  }

  @Test func filesBelongToTheRunThatFollows() throws {
    let io = try #require(profile.io)
    let statement = try #require(io.statements.first)
    #expect(io.statements.count == 1)
    #expect(statement.site.location.line == 4)
    #expect(statement.site.count == 2)
    #expect(statement.work.readBytes == 16384)
    #expect(statement.work.cacheHits == 10)
    // I/O outside of all runs is in the total.
    #expect(io.total.writes == 7)
    #expect(io.total.reads == 4)
  }

  @Test func theSummaryShowsWhereTheTimeOfCommitsWent() {
    let text = Document(summary: profile).text(.plain)
    #expect(
      text.contains(
        "60% syncing, 20% running statements, 10% waiting for the writer, 5% writing the log"))
    #expect(text.contains("a commit: 40 rows, 24 log writes, 1 sync"))
    #expect(text.contains("4 reads of 16.4 kB"))
  }

  @Test func aProfileOfTwoRunsAddsThemUp() throws {
    let io = try #require(Profile.merged([profile, profile]).io)
    #expect(io.commits.count == 1)
    #expect(io.commits.first?.site.count == 4)
    #expect(io.statements.first?.work.reads == 8)
    #expect(io.total.syncs == 4)
  }

  @Test func aRecordingWithoutIOHasNoSuchSection() {
    var runs = LockRuns()
    let a = runs.open(1, "a")
    runs.run("SELECT a FROM t", line: 3, of: a, at: 1)
    #expect(runs.profile.io == nil)
    #expect(!Document(summary: runs.profile).text(.plain).contains("Time of commits"))
  }
}
