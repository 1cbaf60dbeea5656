// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// The rules that look at how a program fetches: each flags its case, and leaves its likes alone.
@Suite struct FetchRuleTests {
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"
  private static let all = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZSTOP t0"

  private func findings(_ rule: String, _ write: (inout RunBuilder) -> Void) -> [Finding] {
    RunBuilder(write).profile().findings.filter { $0.rule == rule }
  }

  // MARK: - AvoidRepeatedFetch

  @Test func flagsTheSameValuesAgainAndAgain() throws {
    let found = findings("AvoidRepeatedFetch") { trace in
      for _ in 1...184 { trace.fetch(Self.sql, total: 10_000, bindHash: 7) }
    }
    let finding = try #require(found.first)
    #expect(
      finding.message == """
        183 of 184 runs had the same values as a run before, with no commit in between; one \
        value ran 184 times.
        """)
    #expect(finding.saving?.atMost == 1_830_000)
    #expect(finding.caller == .search)
  }

  /// A program that writes its SQL itself has rows.
  @Test func repeatedRunsOfAProgramWithoutObjectsAreRunOnce() throws {
    let found = findings("AvoidRepeatedFetch") { trace in
      trace.connect()
      for _ in 1...20 { trace.run("SELECT a FROM t WHERE b = ?", bindHash: 7) }
    }
    #expect(found.map(\.fix) == ["run it once, before the loop, and keep its rows"])
  }

  /// Of a count there are no objects to keep.
  @Test func aRepeatedCountIsCountedOnce() throws {
    let found = findings("AvoidRepeatedFetch") { trace in
      for _ in 1...184 {
        trace.fetch("SELECT COUNT(*) FROM ZSTOP t0", kind: .count, total: 10_000, bindHash: 7)
      }
    }
    #expect(
      found.map(\.fix) == [
        "count once, before the loop, and keep the number; count again when a save may have changed it"
      ])
  }

  @Test func otherValuesAreNoRepeats() {
    #expect(
      findings("AvoidRepeatedFetch") { trace in
        for hash in 1...184 as ClosedRange<UInt64> {
          trace.fetch(Self.sql, total: 10_000, bindHash: hash)
        }
      }.isEmpty)
  }

  @Test func aFetchAfterACommitIsNoRepeat() {
    #expect(
      findings("AvoidRepeatedFetch") { trace in
        for _ in 1...184 {
          trace.fetch(Self.sql, total: 10_000, bindHash: 7)
          trace.commit()
        }
      }.isEmpty)
  }

  /// As by a server that reads within BEGIN and COMMIT.
  @Test func aTransactionThatOnlyReadMakesNoRowNew() {
    #expect(
      findings("AvoidRepeatedFetch") { trace in
        for _ in 1...184 {
          trace.fetch(Self.sql, total: 10_000, bindHash: 7)
          trace.append(
            .transaction(
              TransactionEnded(
                storeID: 1, saveID: 0, outcome: "commit", waitTime: 0, totalTime: 0,
                transactionID: 1, kind: "deferred", writerTime: -1)))
        }
      }.count == 1)
  }

  @Test func theSameValuesInTwoProcessesAreNoRepeats() {
    #expect(
      findings("AvoidRepeatedFetch") { trace in
        for process in 1...184 as ClosedRange<Int64> {
          trace.process.id = process
          trace.fetch(Self.sql, total: 10_000, bindHash: 7)
        }
      }.isEmpty)
  }

  @Test func repeatsAreReportedWhateverTheyTook() {
    for total in [1, 1_000_000] as [Nanoseconds] {
      let found = findings("AvoidRepeatedFetch") { trace in
        for _ in 1...50 { trace.fetch(Self.sql, total: total, bindHash: 7) }
      }
      #expect(found.count == 1)
    }
  }

  @Test func fewRepeatsAndUnknownValuesAreLeftAlone() {
    #expect(
      findings("AvoidRepeatedFetch") { trace in
        for _ in 1...10 { trace.fetch(Self.sql, total: 1000, bindHash: 7) }
        for _ in 1...100 { trace.fetch(Self.all, total: 1_000_000, bindHash: 0) }
      }.isEmpty)
  }

  @Test func repeatsAmongVeryManyValuesAreStillSeen() {
    let found = findings("AvoidRepeatedFetch") { trace in
      for hash in 1...2000 as ClosedRange<UInt64> {
        trace.fetch(Self.sql, total: 10_000, bindHash: hash)
        trace.fetch(Self.sql, total: 10_000, bindHash: .max)
      }
    }
    #expect(found.first?.evidence.contains(.init("mostOfOneValue", 2000)) == true)
  }

  // MARK: - LimitFetch

  @Test func flagsAFetchOfFarMoreThanIsRead() throws {
    let found = findings("LimitFetch") { trace in
      let fetch = trace.fetch(Self.all, rows: 12_800, total: 40_000_000)
      for pk in 1...128 as ClosedRange<Int64> {
        trace.fault(pk: pk, source: .rowCache, origin: fetch)
      }
    }
    let finding = try #require(found.first)
    #expect(
      finding.message
        == "Each run fetches all of 12,800 objects at once; 128 objects were read (1 run).")
    #expect(finding.confidence == .high)
    #expect(finding.saving?.atMost == 39_600_000)
  }

  @Test func isANoteIfTheTraceLacksTheRowsRead() {
    let found = findings("LimitFetch") { $0.fetch(Self.all, rows: 12_800, total: 40_000_000) }
    #expect(found.map(\.severity) == [.note])
    #expect(found.map(\.confidence) == [.low])
    #expect(found.first?.saving == nil)
  }

  @Test func ignoresLimitsBatchesCountsAndReadObjects() {
    #expect(
      findings("LimitFetch") { trace in
        trace.fetch(Self.all + " LIMIT 12800", rows: 12_800, limit: 12_800)
        trace.fetch("SELECT 0, t0.Z_PK FROM ZSTOP t0", rows: 12_800, batchSize: 50)
        trace.fetch("SELECT COUNT(*) FROM ZSTOP", kind: .count, rows: 12_800)
        trace.fetch(Self.sql, rows: 200)
      }.isEmpty)
    #expect(
      findings("LimitFetch") { trace in
        let fetch = trace.fetch(Self.all, rows: 6000)
        for pk in 1...6000 as ClosedRange<Int64> {
          trace.fault(pk: pk, source: .rowCache, origin: fetch)
        }
      }.isEmpty)
  }

  // MARK: - AvoidDeepOffset

  @Test func flagsADeepOffset() throws {
    let found = findings("AvoidDeepOffset") { trace in
      for page in 0..<200 as Range<UInt64> {
        trace.fetch(
          Self.all + " LIMIT ? OFFSET ?", rows: 50, connection: 1_000_000, limit: 50,
          offset: page * 50)
      }
    }
    let finding = try #require(found.first)
    #expect(
      finding.message == """
        Each run skips 4,975 rows (OFFSET) to return 50 (200 runs).
        """)
    #expect(finding.saving?.atMost == 198_009_950)
  }

  @Test func leavesTheFirstPagesAlone() {
    #expect(
      findings("AvoidDeepOffset") { trace in
        for page in 0..<10 as Range<UInt64> {
          trace.fetch(Self.all + " LIMIT ? OFFSET ?", rows: 50, limit: 50, offset: page * 50)
        }
      }.isEmpty)
    #expect(
      findings("AvoidDeepOffset") {
        $0.fetch(Self.all + " LIMIT ? OFFSET ?", rows: 5000, limit: 5000, offset: 5000)
      }.isEmpty)
  }

  // MARK: - KeepBatchSize

  private static let keys = "SELECT 0, t0.Z_PK FROM ZSTOP t0"
  private static let batch =
    "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZSTOP t0 WHERE  t0.Z_PK IN (…)  LIMIT 50"

  private func batched(
    _ trace: inout RunBuilder, rows: UInt64 = 1000, batches: Int, read: Int64 = 0
  ) {
    let fetch = trace.fetch(Self.keys, rows: rows, batchSize: 50)
    for _ in 0..<batches {
      trace.fetch(
        Self.batch, kind: .batch, parent: fetch, rows: 50, total: 100_000, limit: 50,
        batchSize: 50)
    }
    for pk in 0..<read { trace.fault(pk: pk, source: .rowCache, origin: fetch) }
  }

  @Test func flagsABatchedResultThatWasCopied() throws {
    let found = findings("KeepBatchSize") { self.batched(&$0, batches: 20, read: 25) }
    let finding = try #require(found.first)
    #expect(
      finding.message
        == "All of 1,000 Stop objects were loaded, in 20 batches, and 25 of them were read.")
    #expect(finding.saving?.atMost == 1_950_000)
    #expect(finding.caller == .search)
  }

  @Test func flagsBatchesLoadedAgainAndAgain() throws {
    let found = findings("KeepBatchSize") { self.batched(&$0, batches: 60) }
    #expect(found.first?.message.contains("3,000 rows in total") == true)
    #expect(found.first?.saving?.atMost == 4_000_000)
  }

  @Test func flagsABatchSizeThatTheFetchIgnored() {
    let found = findings("KeepBatchSize") {
      $0.fetch(Self.all, rows: 12_800, batchSize: 50)
    }
    #expect(found.map(\.fix) == ["use fetchInBatches, or fetch without a batch size"])
  }

  @Test func leavesBatchesThatServeAlone() {
    let writes: [(inout RunBuilder) -> Void] = [
      { self.batched(&$0, batches: 2, read: 60) },
      { self.batched(&$0, batches: 20, read: 1000) },
      { self.batched(&$0, batches: 20) },
      { self.batched(&$0, batches: 0) },
      { $0.fetch(Self.all, rows: 40, batchSize: 50) },
      { self.batched(&$0, rows: 60, batches: 3) },
    ]
    for write in writes { #expect(findings("KeepBatchSize", write).isEmpty) }
  }

  // MARK: - WriteCheapTermsFirst

  private static let costlyFirst =
    "SELECT 0 FROM ZEVENT t0 WHERE ( NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0) AND  t0.ZTS >= ?)"
  private static let cheapFirst =
    "SELECT 0 FROM ZEVENT t0 WHERE ( t0.ZTS >= ? AND  NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0))"

  @Test func flagsATextSearchBeforeAComparison() throws {
    let found = findings("WriteCheapTermsFirst") {
      $0.fetch(Self.costlyFirst, rows: 3, fullScanSteps: 12_800)
    }
    let finding = try #require(found.first)
    #expect(
      finding.message == """
        Each row is searched by 'NSCoreDataStringSearch(t0.ZNAME, ?1, 129, 0)' before \
        't0.ZTS >= ?2' is compared (1 run).
        """)
    #expect(finding.fix.contains("--statement \(StatementID(sql: Self.costlyFirst))"))
    #expect(finding.confidence == .medium)
  }

  @Test func leavesTheRightOrderFewRowsAndAlternativesAlone() {
    let either =
      "SELECT 0 FROM ZEVENT t0 WHERE ( t0.ZNAME LIKE ? OR  t0.ZTS >= ?)"
    let twoSearches = "SELECT 0 FROM ZEVENT t0 WHERE ( t0.ZNAME LIKE ? AND  t0.ZTEXT LIKE ?)"
    let subquery = """
      SELECT 0 FROM ZEVENT t0 WHERE ((SELECT COUNT(*) FROM ZB t1 WHERE t1.ZE = t0.Z_PK AND \
      t1.ZNAME LIKE ?) > 0 AND  t0.ZTS >= ?)
      """
    #expect(
      findings("WriteCheapTermsFirst") { trace in
        for sql in [Self.cheapFirst, either, twoSearches, subquery] {
          trace.fetch(sql, rows: 3, fullScanSteps: 12_800)
        }
        trace.fetch(Self.costlyFirst, rows: 3, fullScanSteps: 40)
      }.isEmpty)
  }
}
