// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct CodeCommentsTests {
  private func review(_ code: String, line: UInt64) -> FindingReview {
    let profile = RunBuilder {
      $0.fetch(
        "SELECT a FROM t WHERE b = ?", at: SourceLocation(file: "app.py", line: line), rows: 3,
        fullScanSteps: 12_800)
    }.profile()
    var file = ExceptionFile()
    file.add(CodeComments(in: code, path: "app.py", caller: "app.py"))
    return FindingReview(profile.findings, in: profile, file: file, today: "2026-11-26")
  }

  private static let ignored = "storescope: ignore[AvoidFullTableScan] three rows"

  @Test(arguments: [
    "x()  # \(ignored)", "// \(ignored)\nx();", "/* \(ignored) */\n\nx();",
    "-- \(ignored)\n-- and more\nx", "<!-- \(ignored) -->\nx",
    "# storescope: ignore[AvoidFullTableScan, AvoidQueryInLoop] three rows\r\nx()",
  ])
  func aCommentExcusesItsLineOrTheNextLineOfCode(code: String) {
    let line = code.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    let found = review(code, line: UInt64(line))
    #expect(found.findings.isEmpty)
    #expect(found.suppressed.map(\.exception.reason) == ["three rows"])
  }

  @Test(
    arguments: zip(
      ["x()  # \(ignored)\ny()", "y()\n# \(ignored)\nx()", "# \(ignored)\nx()\ny()"],
      [2, 1, 3] as [UInt64]))
  func noOtherLineIsExcused(code: String, line: UInt64) {
    let found = review(code, line: line)
    #expect(found.findings.map(\.rule) == ["AvoidFullTableScan"])
    let place = code.hasPrefix("y") ? 2 : 1
    #expect(
      found.complaints == [
        "app.py:\(place): the exception from AvoidFullTableScan matches nothing; take it out "
          + "(it was compared with app.py:\(line))"
      ])
  }

  @Test func aCommentThatIsNotUnderstoodIsReported() {
    let noReason = review("x()  # storescope: ignore[AvoidFullTableScan]", line: 1)
    #expect(noReason.findings.count == 1)
    #expect(
      noReason.complaints == [
        "app.py:1: the exception from AvoidFullTableScan has no reason; write why the finding is accepted"
      ])
    let noRule = review("x()  # storescope: ignore[AvoidScans] old", line: 1)
    #expect(
      noRule.complaints == ["app.py:1: no rule \"AvoidScans\"; 'trace-report explain' lists them"])
    let unclosed = review("x()  # storescope: ignore[AvoidFullTableScan", line: 1)
    #expect(unclosed.findings.count == 1 && unclosed.complaints.count == 1)
  }

  @Test func theNameOfAFileIsEscaped() {
    let comments = CodeComments(
      in: "x  # storescope: ignore[Gate]", path: "a\u{1b}.py", caller: "a\u{1b}.py")
    #expect(comments.problems.count == 1)
    #expect(comments.problems.allSatisfy { !$0.contains("\u{1b}") })
  }
}
