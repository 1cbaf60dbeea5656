// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

@Suite struct GrowthTests {
  private static let sql = "SELECT 0 FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  /// A run at each size: VM steps, full-scan steps and rows by the size.
  private func growth(
    _ sizes: [UInt64], vmSteps: (UInt64) -> UInt64, fullScanSteps: (UInt64) -> UInt64 = { _ in 0 },
    rows: (UInt64) -> UInt64 = { _ in 15 }
  ) -> Growth {
    Growth(
      sizes.map { size in
        let run = RunBuilder {
          $0.open()
          for _ in 1...3 {
            $0.fetch(
              Self.sql, rows: rows(size), vmSteps: vmSteps(size),
              fullScanSteps: fullScanSteps(size))
          }
          $0.close()
        }
        return (size, run.profile())
      })
  }

  private static let sizes: [UInt64] = [1000, 10_000, 100_000]

  @Test func flagsWorkThatGrowsAsTheStoreDoes() throws {
    let growth = growth(Self.sizes, vmSteps: { 20 + 5 * $0 }, fullScanSteps: { $0 - 1 })
    let statement = try #require(growth.statements.first)
    #expect(growth.verdict == .growsLikeScan)
    #expect(statement.verdict == .growsLikeScan)
    #expect(abs((statement.fullScanSteps?.slope ?? 0) - 1) < 0.01)
    #expect((statement.vmSteps?.quality ?? 0) > 0.999)
    #expect(statement.caller == .search)
  }

  @Test func workThatGrowsByTheDepthOfATreeIsASearch() {
    // 180, 240, 300 steps.
    let growth = growth(Self.sizes, vmSteps: { 60 * UInt64("\($0)".count - 1) })
    #expect(growth.verdict == .search)
  }

  /// A lookup for each row of a list, which grows.
  @Test func aStatementThatRunsMoreOftenIsNamed() throws {
    let growth = Growth(
      Self.sizes.map { size in
        let run = RunBuilder {
          $0.open()
          for _ in 0..<(size / 1000) { $0.fetch(Self.sql, rows: 1, vmSteps: 20) }
          $0.close()
        }
        return (size, run.profile())
      })
    let statement = try #require(growth.statements.first)
    #expect(statement.runsGrow)
    #expect(abs((statement.runs?.slope ?? 0) - 1) < 0.15)
    #expect(growth.verdict == .search)
    #expect(
      Document(growth: growth).text().contains("1 statement runs more often in a larger store"))
  }

  @Test func aFetchThatReturnsMoreIsNoScan() {
    let growth = growth(Self.sizes, vmSteps: { 9 * $0 }, fullScanSteps: { $0 }, rows: { $0 })
    #expect(growth.statements.map(\.verdict) == [.growsWithRows])
    #expect(growth.verdict == .search)
  }

  @Test func aQuadraticJoinHasSlopeTwo() throws {
    let growth = growth(Self.sizes, vmSteps: { $0 * $0 / 100 })
    #expect(abs((growth.statements.first?.vmSteps?.slope ?? 0) - 2) < 0.01)
    #expect(growth.verdict == .growsLikeScan)
  }

  @Test func twoSizesAreInconclusive() {
    let growth = growth([1000, 10_000], vmSteps: { 5 * $0 })
    #expect(growth.verdict == .inconclusive)
    #expect(growth.doubts == ["2 sizes fit any line; pass 3 or more"])
  }

  @Test func workThatFollowsNoLineIsInconclusive() {
    let growth = growth(
      [100, 1000, 10_000, 100_000], vmSteps: { [100: 10, 1000: 9000, 10_000: 12][$0] ?? 90_000 })
    #expect(growth.verdict == .inconclusive)
  }

  @Test func aStatementThatSomeSizesLackIsInconclusive() {
    let runs = Self.sizes.map { size -> (UInt64, Profile) in
      let run = RunBuilder {
        $0.open()
        $0.fetch(Self.sql, vmSteps: 100)
        if size == 1000 { $0.fetch("SELECT other", vmSteps: 100) }
        $0.close()
      }
      return (size, run.profile())
    }
    #expect(Growth(runs).verdict == .inconclusive)
    #expect(Set(Growth(runs).statements.map(\.verdict)) == [.search, .inconclusive])
  }

  @Test func aLogWithoutCountersIsInconclusive() {
    #expect(growth(Self.sizes, vmSteps: { _ in 0 }).verdict == .inconclusive)
  }

  /// One instruction counts, or deletes, all rows: 9 VM steps, at every size.
  @Test(arguments: [
    ("SELECT COUNT(*) FROM ZSTOP t0", true), ("DELETE FROM ZSTOP", true),
    ("SELECT COUNT(*) FROM ZSTOP t0 WHERE t0.Z_PK = ?", false),
    ("DELETE FROM ZSTOP WHERE Z_PK = ?", false), ("SELECT COUNT(ZNAME) FROM ZSTOP t0", false),
  ])
  func whatVMStepsDoNotShowIsInconclusive(_ sql: String, isOfWholeTable: Bool) {
    let growth = Growth(
      [1000, 10_000, 100_000].map { size in
        let run = RunBuilder {
          $0.open()
          $0.fetch(sql, rows: 1, vmSteps: 9)
          $0.close()
        }
        return (UInt64(size), run.profile())
      })
    #expect(growth.statements.map(\.verdict) == [isOfWholeTable ? .inconclusive : .search])
  }
}
