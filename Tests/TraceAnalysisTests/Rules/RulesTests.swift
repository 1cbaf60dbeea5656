// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TraceAnalysis

@Suite struct RulesTests {
  @Test func rulesHaveNamesOfTheirOwnAndFullExplanations() {
    let names = Rules.all.map { type(of: $0).name }
    #expect(Set(names).count == names.count)
    for rule in Rules.all {
      let explanation = type(of: rule).explanation
      for text in [
        explanation.law, explanation.reason, explanation.bad, explanation.good, explanation.limits,
      ] {
        #expect(text.count > 20, "\(type(of: rule).name)")
      }
      #expect(explanation.law.hasSuffix("."))
      #expect(explanation.bad != explanation.good)
    }
  }

  @Test func rulesAreFoundByName() throws {
    let rule = try #require(Rules.named("avoidfulltablescan"))
    #expect(type(of: rule).name == "AvoidFullTableScan")
    #expect(Rules.named("NoSuchRule") == nil)
  }

  /// `make rules` writes the file again.
  @Test func theDocumentationIsCurrent() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "Documentation/Rules.md")
    #expect(try String(contentsOf: file, encoding: .utf8) == Rules.markdown)
  }
}
