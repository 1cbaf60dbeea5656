// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Which statements the advisor measures.
@Suite struct AdviceWorkloadTests {
  private func statements(
    _ write: (inout RunBuilder) -> Void
  ) -> [String] {
    var workload = AdviceWorkload(
      RunBuilder { trace in
        trace.connect()
        write(&trace)
        trace.close()
      }.profile())
    workload.mergeLists()
    return workload.statements.map { "\($0.runs) × \($0.sql)" }
  }

  private func list(_ count: Int) -> String {
    "SELECT val FROM node WHERE id IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
  }

  @Test func listsOfAllLengthsAreOneStatementOfMeanCost() {
    let merged = statements { trace in
      for count in 1...9 { trace.run(list(count), vmSteps: UInt64(10 * count)) }
    }
    #expect(merged == ["9 × \(list(5))"])
  }

  @Test func statementsWithOtherLiteralsAreOthers() {
    let merged = statements { trace in
      for state in ["waiting", "done"] {
        trace.run("SELECT id FROM job WHERE state = '\(state)'")
      }
    }
    #expect(merged.count == 2)
  }

  @Test func otherColumnsAreOtherStatements() {
    let merged = statements { trace in
      trace.run("SELECT id FROM job WHERE state IN (?, ?)")
      trace.run("SELECT id FROM job WHERE kind IN (?, ?)")
    }
    #expect(merged.count == 2)
  }
}
