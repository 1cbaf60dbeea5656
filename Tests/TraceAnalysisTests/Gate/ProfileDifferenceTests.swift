// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct ProfileDifferenceTests {
  private func pairs(
    _ before: (inout RunBuilder) -> Void, _ after: (inout RunBuilder) -> Void
  ) -> [ProfileDifference.Pair] {
    ProfileDifference(before: RunBuilder(before).profile(), after: RunBuilder(after).profile())
      .pairs
  }

  @Test func pairsStatementsWithDifferentValues() {
    let found = pairs(
      { $0.fetch("SELECT a FROM t LIMIT 10", total: 12_000) },
      { $0.fetch("SELECT a FROM t LIMIT 20", total: 1000) })
    #expect(found.map(\.speedup) == [12])
  }

  @Test func pairsTermsInAnotherOrder() {
    let elsewhere = SourceLocation(file: "transit/Search.swift", line: 99)
    let found = pairs(
      { $0.fetch("SELECT a FROM t WHERE ( t.x = ? AND  t.y > ?)", total: 2000) },
      { $0.fetch("SELECT a FROM t WHERE ( t.y > ? AND  t.x = ?)", at: elsewhere, total: 1000) })
    #expect(found.map(\.speedup) == [2])
  }

  @Test func pairsStatementsOfTheSameLine() {
    let found = pairs(
      { $0.fetch("SELECT a FROM t WHERE t.name LIKE ?", total: 2000) },
      { $0.fetch("SELECT a FROM t WHERE t.normalized >= ?", total: 1000) })
    #expect(found.map(\.speedup) == [2])
  }

  @Test func pairsStatementsOfUnknownLinesByTheirResults() {
    func pairs(rows: UInt64) -> [ProfileDifference.Pair] {
      self.pairs(
        {
          $0.fetch(
            "SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE NSCoreDataMatches( t0.ZLABEL, ?, 0)",
            entity: "Tag", at: .unknown, rows: 8, total: 38_500)
        },
        {
          $0.fetch(
            "SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE ( t0.ZNORM >= ? AND  t0.ZNORM < ?)",
            entity: "Tag", at: .unknown, rows: rows, total: 2000)
        })
    }
    #expect(pairs(rows: 8).map(\.speedup) == [19.25])
    #expect(pairs(rows: 8).map(\.isRewritten) == [true])
    #expect(pairs(rows: 9).map(\.speedup) == [nil, nil])
  }

  @Test func leavesStrangersApart() {
    let elsewhere = SourceLocation(file: "transit/List.swift", line: 7)
    let found = pairs(
      { $0.fetch("SELECT a FROM t", total: 2000) },
      { $0.fetch("SELECT b FROM u", at: elsewhere, total: 1000) })
    #expect(found.map { $0.before != nil } == [true, false])
    #expect(found.map { $0.after != nil } == [false, true])
    #expect(found.map(\.speedup) == [nil, nil])
  }

  @Test func comparesMeansNotSums() {
    let found = pairs(
      { for _ in 1...10 { $0.fetch("SELECT a", total: 1000) } },
      { $0.fetch("SELECT a", total: 1000) })
    #expect(found.map(\.speedup) == [1])
  }

  /// A demo repeats its searches on purpose: a finding that a summary suppresses is not new in a
  /// difference.
  @Test func aFindingThatIsExcusedIsNeitherNewNorGone() throws {
    let empty = RunBuilder { $0.connect() }.profile()
    let scans = RunBuilder { trace in
      trace.connect()
      for _ in 0..<20 { trace.run("SELECT a FROM b WHERE c = 1", fullScanSteps: 50_000) }
    }.profile()
    let rules = Set(scans.findings.map(\.rule)).sorted()
    try #require(!rules.isEmpty)
    let text = rules.map { "[\($0)]\nreason = on purpose\n" }.joined()
    let file = try ExceptionFile(path: "x", text: text)
    let came = ProfileDifference(before: empty, after: scans).findings
    #expect(came.new == scans.findings && came.suppressed == 0)
    let excused = ProfileDifference(
      before: empty, after: scans, exceptions: file, today: "2026-11-29"
    ).findings
    #expect(excused.new.isEmpty && excused.suppressed == scans.findings.count)
    #expect(
      ProfileDifference(before: scans, after: empty, exceptions: file, today: "2026-11-29")
        .findings.gone.isEmpty)
  }
}
