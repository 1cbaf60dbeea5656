// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// The line above all numbers.
@Suite struct SummaryWarningTests {
  private func warning(_ trace: RunBuilder) throws -> Substring? {
    let profile = trace.profile()
    let warning = Document(summary: profile).text().split(separator: "\n")
      .first { $0.hasPrefix("INCON") }
    if let sentence = warning?.dropFirst("INCONCLUSIVE".count) {
      #expect(
        try DashboardPage(TimedProfile(profile: profile)).html().contains("Inconclusive" + sentence)
      )
    }
    return warning
  }

  @Test func anInputThatIsReadTwiceHasCountsThatAreTooHigh() throws {
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
      try warning(twice) == "INCONCLUSIVE: events were read twice; a count below may be too high.")
    #expect(try warning(once) == nil)
  }

  @Test func aProcessWithoutAnEndHasCountsThatMayBeTooLow() throws {
    let trace = RunBuilder { trace in
      trace.connect()
      trace.run("SELECT a FROM t")
    }
    #expect(
      try warning(trace) == "INCONCLUSIVE: events may be missing; a count below may be too low.")
  }
}
