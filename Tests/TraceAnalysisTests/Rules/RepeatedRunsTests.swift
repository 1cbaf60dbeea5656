// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

/// Repeats are counted over all lines that run a statement.
@Suite struct RepeatedRunsTests {
  private func findings(_ write: (inout RunBuilder) -> Void) -> [Finding] {
    RunBuilder { trace in
      trace.connect()
      for (caller, line) in [(1, 20), (2, 22), (3, 24)] as [(UInt64, UInt64)] {
        trace.caller(caller, line: line)
      }
      write(&trace)
    }.profile().findings.filter { $0.rule == "AvoidRepeatedFetch" }
  }

  @Test func theRunsAndRepeatsIncludeAllLines() throws {
    let found = findings { trace in
      for (caller, runs) in [(1, 30), (2, 25), (3, 25)] as [(UInt64, UInt64)] {
        for hash in 1...runs {
          trace.run("SELECT b FROM t WHERE a = ?", caller: caller, bindHash: hash)
        }
      }
    }
    let finding = try #require(found.first)
    #expect(found.count == 1 && finding.caller.line == 20)
    #expect(finding.message.hasPrefix("50 of 80 runs at 3 lines had the same values as a run"))
    #expect(finding.evidence.first { $0.name == "runs" }?.value == 80)
  }

  @Test func textsOfOneFormAreCountedTogether() throws {
    let found = findings { trace in
      for text in ["x", "y"] {
        for (caller, runs) in [(1, 10), (2, 8)] as [(UInt64, Int)] {
          for _ in 1...runs {
            trace.run("SELECT b FROM t WHERE a = '\(text)'", caller: caller, bindHash: 7)
          }
        }
      }
    }
    #expect(found.count == 1)
    #expect(found.first?.message.hasPrefix("34 of 36 runs at 2 lines had the same") == true)
  }

  /// A server's requests, each of which reads the same row and others, on a connection of a pool.
  @Test(arguments: [(4, .warning), (5, .note)] as [(Int, Finding.Severity)])
  func repeatsAmongOtherStatementsMayBeOfSeveralRequests(others: Int, severity: Finding.Severity) {
    let found = findings { trace in
      for request in 1...20 as ClosedRange<UInt64> {
        trace.run("SELECT b FROM setting WHERE a = ?", caller: 1, bindHash: 7)
        for other in 0..<others {
          trace.run("SELECT b FROM t\(other) WHERE a = ?", caller: 2, bindHash: request)
        }
      }
    }
    #expect(found.map(\.severity) == [severity])
  }

  @Test func valuesThatRanTwiceAreNoLoop() {
    let found = findings { trace in
      for hash in 1...20 as ClosedRange<UInt64> {
        for _ in 1...2 { trace.run("SELECT b FROM t WHERE a = ?", caller: 1, bindHash: hash) }
      }
    }
    #expect(found.map(\.severity) == [.note])
  }

  /// Its runs take a fiftieth of the time from one to the next, or less.
  @Test(arguments: [
    (50_000, 10_000_000, false), (50_000, 4_000_000, true), (400_000, 10_000_000, true),
  ])
  func aPollIsNotNear(time: Nanoseconds, pause: Nanoseconds, isNear: Bool) {
    let moment = RepeatTally.Moment(number: 2, time: pause)
    #expect(moment.isNear(.init(number: 1, time: 0), time) == isNear)
  }

  @Test(arguments: [
    ("SELECT value FROM setting", true),
    ("SELECT value FROM setting WHERE at < datetime('now')", false),
    ("SELECT 1", false),
  ])
  func aTextWithoutParametersIsRepeated(sql: String, isRepeat: Bool) {
    let found = findings { trace in for _ in 1...20 { trace.run(sql, caller: 1) } }
    #expect(found.isEmpty != isRepeat)
  }
}
