// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceAnalysis

/// Which warnings of a run are new.
@Suite struct FindingComparisonTests {
  private static let lookup = "SELECT name FROM author WHERE id = ?"

  private static func known(
    _ file: String, _ function: String?, rule: String = AvoidQueryInLoop.name, sql: String = lookup
  ) -> KnownFinding {
    let finding = Finding(
      rule: rule, confidence: .high, statement: nil, caller: SourceLocation(file: file, line: 7),
      message: "", evidence: [], fix: "")
    return KnownFinding(finding, sql: sql, function: function)
  }

  private func new(
    _ now: [KnownFinding], _ known: [KnownFinding] = [known("app.py", "Shop.list")]
  ) -> [Int] {
    FindingComparison(
      known, now, functions: Set(now.map { .init($0.file ?? "", $0.function ?? "") })
    ).new
  }

  @Test(arguments: [
    known("app.py", "Shop.list"),
    // Python before 3.11 has no names of classes, and older baselines have no functions.
    known("app.py", "list"), known("app.py", nil),
    // The file or the function was renamed, or the statement edited.
    known("shop.py", "Shop.list"), known("app.py", "Shop.all"),
    known("app.py", "Shop.list", sql: "SELECT name FROM author WHERE id = ? AND born > 1900"),
  ])
  func aWarningThatMovedIsNotNew(finding: KnownFinding) {
    #expect(new([finding]) == [])
  }

  @Test func theSameLoopInAnotherFunctionIsNew() {
    #expect(new([Self.known("app.py", "Shop.list"), Self.known("app.py", "Shop.page")]) == [1])
    #expect(new([Self.known("app.py", "Shop.all"), Self.known("app.py", "Shop.page")]) == [1])
  }

  @Test(arguments: [
    known("app.py", "Shop.list", rule: AvoidFullTableScan.name),
    known("app.py", "Shop.list", sql: "SELECT title FROM book WHERE id = ?"),
    known("shop.py", "Shop.list", sql: "SELECT title FROM book WHERE id = ?"),
  ])
  func anotherRuleOrTableIsNew(finding: KnownFinding) {
    #expect(new([finding]) == [0])
  }

  @Test(
    arguments: zip(
      [
        "Shop.books.<locals>.<listcomp>", "<lambda>", "block (2 levels) in Shop#books",
        "shop::books::h0123456789abcdef", "std::list<int>", "<module>",
      ], ["Shop.books", "", "Shop#books", "shop::books", "std::list<int>", "<module>"]))
  func aFunctionHasOneName(name: String, normalized: String) {
    #expect(CallerFunction.normalized(name) == normalized)
  }
}
