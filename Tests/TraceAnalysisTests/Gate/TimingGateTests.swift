// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceRendering

@testable import TraceAnalysis

struct TimingGateTests {
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0"

  private func runs(_ times: [Nanoseconds]) -> [Profile] {
    times.map { time in
      RunBuilder {
        $0.open()
        $0.fetch(Self.sql, total: time)
        $0.close()
      }.profile()
    }
  }

  private func compare(
    _ before: [Nanoseconds], _ after: [Nanoseconds], effect: Double = 0.1
  ) -> TimingGate.Result {
    let old = runs(before)
    var baseline = BaselineV1(old[0])
    baseline.addTimes(of: old)
    return TimingGate(minimumEffect: effect).compare(runs(after), with: baseline)
  }

  private static let quick: [Nanoseconds] = [1000, 1010, 1020, 1030, 1040]

  @Test func twiceTheTimeIsSlower() throws {
    let result = compare(Self.quick, Self.quick.map { $0 * 2 })
    let slower = try #require(result.slower.first)
    #expect(slower.before == 1020)
    #expect(slower.after == 2040)
    #expect(abs(slower.probability - 1.0 / 252) < 1e-12)
    #expect(slower.caller == .search)
    #expect(result.reservation == nil)
    #expect(compare(Self.quick.map { $0 * 2 }, Self.quick).faster.map(\.before) == [2040])
  }

  /// Three statements: one alone takes twice as long, or all of them do, as on a busy machine.
  @Test func statementsThatAllTakeLongerAreInconclusive() throws {
    func runs(_ factors: [Nanoseconds]) -> [Profile] {
      Self.quick.map { time in
        RunBuilder {
          $0.open()
          for (column, factor) in zip(["a", "b", "c"], factors) {
            $0.fetch("SELECT \(column) FROM t", total: time * factor)
          }
          $0.close()
        }.profile()
      }
    }
    let old = runs([1, 1, 1])
    var baseline = BaselineV1(old[0])
    baseline.addTimes(of: old)
    let one = TimingGate().compare(runs([1, 2, 1]), with: baseline)
    #expect(one.slower.map(\.sql) == ["SELECT b FROM t"])
    #expect(one.reservation == nil)
    let all = TimingGate().compare(runs([2, 3, 2]), with: baseline)
    #expect(all.slower.isEmpty)
    #expect(try #require(all.reservation).contains("half of the statements take 2.0 times as long"))
  }

  @Test func aRunThatIsOnlySlowerDoesNoMoreWork() {
    var result = GateResult()
    result.slower = compare(Self.quick, Self.quick.map { $0 * 2 }).slower
    #expect(result.verdict == .regression)
    let text = Document(gate: result, baseline: "b.json", update: "update").text()
    #expect(text.contains("Does no more work than b.json, and takes longer:"))
    #expect(!text.contains("Does more work"))
  }

  @Test func aSmallEffectIsNoneHoweverSure() {
    let result = compare(Self.quick, Self.quick.map { $0 + 50 })
    #expect(result == TimingGate.Result())
    #expect(compare(Self.quick, Self.quick.map { $0 + 50 }, effect: 0.02).slower.count == 1)
  }

  @Test func largeEffectWithinChanceIsNoDifference() {
    // One of five is much slower: the median is, too, by a third.
    #expect(compare([1000, 1000, 900, 2000, 2100], [1300, 1350, 900, 2050, 950]).slower == [])
  }

  @Test func fewRunsSayNothing() throws {
    let result = compare([1000, 1000, 1000], Self.quick.map { $0 * 9 })
    #expect(result.slower == [])
    #expect(try #require(result.reservation).contains("3 runs in the baseline and 5 now"))
  }

  // Published examples: exact one-sided probabilities of U, and a large sample.
  @Test func theTestReturnsKnownProbabilities() {
    #expect(abs(MannWhitneyTest([1, 2, 3], [4, 5, 6]).probability - 0.05) < 1e-12)
    #expect(abs(MannWhitneyTest([4, 5, 6], [1, 2, 3]).probability - 1) < 1e-12)
    #expect(abs(MannWhitneyTest([1, 3, 5], [2, 4, 6]).probability - 0.35) < 1e-12)
    #expect(MannWhitneyTest([1, 1, 1], [1, 1, 1]).probability == 1)
    #expect(MannWhitneyTest([], [1]).probability == 1)
    let low = (0..<40).map(Double.init)
    #expect(MannWhitneyTest(low, low.map { $0 + 20.5 }).probability < 1e-6)
    #expect(abs(MannWhitneyTest(low, low).probability - 0.5) < 0.01)
  }

  @Test(arguments: [(0.0, 0.5), (1.0, 0.158655), (1.96, 0.0249979), (-1.0, 0.841345), (40, 0)])
  func theNormalTailIsKnown(z: Double, tail: Double) {
    #expect(abs(NormalDistribution.upperTail(z) - tail) < 1e-6)
  }

  @Test func theExactAndTheNormalAgree() {
    // The exact one-sided probability of U = 78 of 10 against 10 is 0.0178 (Mann and Whitney's
    // tables: critical U 23 at 0.025 two-sided, 27 at 0.05).
    let first: [Double] = [1, 2, 3, 4, 5, 6, 13, 14, 16, 18]
    let second: [Double] = [7, 8, 9, 10, 11, 12, 15, 17, 19, 20]
    let exact = MannWhitneyTest(first, second).probability
    let withTie = MannWhitneyTest(first + [30], second + [30]).probability
    #expect(abs(exact - withTie) < 0.03)
    #expect(exact > 0.01 && exact < 0.05)
  }
}
