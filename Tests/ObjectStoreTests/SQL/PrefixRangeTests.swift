// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectStore

@Suite struct PrefixRangeTests {
  @Test(arguments: [
    ("az", "a{"), ("\u{D7FF}", "\u{E000}"), ("a\u{10FFFF}", "b"), ("\u{7F}", "\u{80}"),
    ("\u{FFFF}", "\u{10000}"), ("a\0", "a\u{1}"),
  ])
  func endsBehindTheLastString(_ prefix: String, _ bound: String) {
    #expect(PrefixRange.upperBound(of: prefix) == bound)
  }

  @Test func hasNoEndWhereNothingFollows() {
    #expect(PrefixRange.upperBound(of: "") == nil)
    #expect(PrefixRange.upperBound(of: "\u{10FFFF}\u{10FFFF}") == nil)
  }
}
