// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct TextIndexCommandRuleTests {
  private func findings(_ command: String, runs: Int) -> [Finding] {
    RunBuilder { trace in
      trace.connect()
      trace.caller(1, line: 5)
      for _ in 1...runs {
        trace.run("INSERT INTO doc(body) VALUES(?)", caller: 1, changes: 1)
        trace.run(command, caller: 1, rows: 0, changes: 1, step: 1_000_000)
      }
    }.profile().findings.filter { $0.rule == "AvoidTextIndexCommandInLoop" }
  }

  @Test func aRebuildForEachRowIsReportedWithItsLine() throws {
    let found = findings("INSERT INTO doc_text(doc_text) VALUES('rebuild')", runs: 20)
    let finding = try #require(found.first)
    #expect(found.count == 1)
    #expect(finding.severity == .warning)
    #expect(finding.caller.line == 5)
    #expect(
      finding.message
        == "'rebuild' of the text index 'doc_text' ran 20 times: each run reads all rows and indexes them again."
    )
    #expect(
      finding.fix.hasPrefix("index the row that was written alone: INSERT INTO doc_text(rowid"))
    #expect(finding.savesAtMost == 19_000_000)
  }

  @Test(arguments: [
    ("INSERT INTO doc_text(doc_text) VALUES('rebuild')", 9),
    ("INSERT INTO doc_text(doc_text) VALUES('merge')", 20),
    ("INSERT INTO doc_text(body) VALUES('optimize')", 20),
  ])
  func fewRunsAndOtherInsertionsAreNotReported(sql: String, runs: Int) {
    #expect(findings(sql, runs: runs).isEmpty)
  }
}
