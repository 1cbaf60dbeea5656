// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// The line above all numbers.
@Suite struct SummaryWarningTests {
  private func warning(_ trace: RunBuilder) -> Substring? {
    Document(summary: trace.profile()).text().split(separator: "\n")
      .first { $0.hasPrefix("INCON") }
  }

  @Test func anInputThatIsReadTwiceHasCountsThatAreTooHigh() {
    let once = RunBuilder { trace in
      trace.connect()
      trace.run("SELECT a FROM t")
      trace.close()
    }
    let twice = RunBuilder { trace in
      for record in once.records {
        for _ in 1...2 { trace.append(record.event) }
      }
    }
    #expect(
      warning(twice) == "INCONCLUSIVE: events were read twice; a count below may be too high.")
    #expect(warning(once) == nil)
  }

  @Test func aProcessWithoutAnEndHasCountsThatMayBeTooLow() {
    let trace = RunBuilder { trace in
      trace.connect()
      trace.run("SELECT a FROM t")
    }
    #expect(
      warning(trace) == "INCONCLUSIVE: events may be missing; a count below may be too low.")
  }
}
