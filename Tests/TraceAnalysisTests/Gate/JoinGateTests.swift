// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// A list whose loop of lookups became a join: the list does more, all of it together does less.
@Suite struct JoinGateTests {
  private static let list = "SELECT id, author_id FROM book LIMIT 60"
  private static let one = "SELECT name FROM author WHERE id = ?"
  private static let joined =
    "SELECT book.id, author.name FROM book JOIN author ON author.id = book.author_id LIMIT 60"

  private func profile(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder { trace in
      trace.connect()
      for line in 1...3 as ClosedRange<UInt64> { trace.caller(line, line: 10 * line) }
      write(&trace)
      trace.close()
    }.profile()
  }

  /// - Parameter others: runs of the lookup by other pages.
  private func looping(_ one: String = one, others: Int = 0) -> Profile {
    profile { trace in
      trace.run(Self.list, caller: 1, rows: 60, vmSteps: 366, list: 1)
      for row in 0..<60 as Range<UInt64> {
        let isKept = row < 32
        trace.run(
          one, caller: 2, bindHash: row + 1, vmSteps: 9, origin: isKept ? 1 : 0,
          row: isKept ? row + 1 : 0)
      }
      for _ in 0..<others { trace.run(one, caller: 3, bindHash: 1, vmSteps: 9) }
    }
  }

  private func joining(steps: UInt64, others: Int = 0) -> Profile {
    profile { trace in
      trace.run(Self.joined, caller: 1, rows: 60, vmSteps: steps)
      for _ in 0..<others { trace.run(Self.one, caller: 3, bindHash: 1, vmSteps: 9) }
    }
  }

  private func gate(_ before: Profile, _ after: Profile) -> GateResult {
    Gate().compare(after, with: BaselineV1(before))
  }

  @Test func aJoinInPlaceOfALoopIsNoRegression() throws {
    let result = gate(looping(), joining(steps: 547))
    #expect(result.verdict == .same, "\(result.regressions)")
    let difference = try #require(result.rewritten.first)
    #expect(difference.joined == [Self.one])
    #expect(
      difference.changes == [
        .init(metric: .count, before: 61, after: 1), .init(metric: .rows, before: 120, after: 60),
        .init(metric: .vmSteps, before: 906, after: 547),
      ])
    let text =
      Document(gate: result, baseline: "baseline.json", update: "update").text()
    #expect(text.contains("Does less work than baseline.json"))
    #expect(text.contains("+ \(Self.one)\n  → SELECT book.id"), "\(text)")
  }

  /// Other pages still look up authors.
  @Test func lookupsThatStayAreCountedOnBothSides() {
    let result = gate(looping(others: 30), joining(steps: 547, others: 30))
    #expect(result.verdict == .same, "\(result.regressions)")
  }

  @Test func aJoinThatDoesMoreThanTheLoopIsARegression() {
    let result = gate(looping(), joining(steps: 5000))
    #expect(result.verdict == .regression)
    #expect(
      result.regressions.contains { $0.sqlBefore == "SELECT id, author_id FROM book LIMIT ?" })
  }

  @Test func removedStatementOnAnotherTableDoesNotOffsetARegression() {
    let before = looping("SELECT path FROM photo WHERE id = ?")
    #expect(gate(before, joining(steps: 547)).verdict == .regression)
  }
}
