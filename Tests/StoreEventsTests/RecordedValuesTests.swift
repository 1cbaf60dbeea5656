// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

struct RecordedValuesTests {
  typealias Value = RecordedValues.Value

  private func text(_ text: String) -> Value { .text(text, byteCount: text.utf8.count) }
  private func blob(_ bytes: [UInt8]) -> Value { .blob(bytes, byteCount: bytes.count) }

  @Test func valuesAreWrittenAsSQLLiterals() {
    let values = RecordedValues([
      .integer(-5), .real(13.41), .real(2), .null, text("Max's, 'Hof'"), blob([0, 255]),
      text("a\0b"), .real(-.infinity), .real(.nan),
    ])
    #expect(
      values.text
        == "-5, 13.41, 2.0, NULL, 'Max''s, ''Hof''', x'00ff', CAST(x'610062' AS TEXT), -9e999, NULL"
    )
    #expect(values.isWhole)
  }

  @Test(
    arguments: [
      [.integer(.min), .integer(.max), .real(.leastNonzeroMagnitude), .real(-0.0), .real(1e300)],
      [.text("", byteCount: 0), .blob([], byteCount: 0), .null],
      [.text("é' /* cut, 9 bytes */", byteCount: 22), .text("\n\u{202e}\u{301}'", byteCount: 7)],
      [.text("NULL", byteCount: 4), .text("12", byteCount: 2), .text(", ", byteCount: 2)],
      [.text("a\0'b", byteCount: 4), .real(.infinity)], [],
    ] as [[Value]])
  func valuesAreReadAsTheyWere(values: [Value]) {
    let recorded = RecordedValues(values)
    #expect(RecordedValues(text: recorded.text) == recorded)
    #expect(recorded.isWhole)
  }

  @Test func longValuesAreCutAtAScalarWithTheirLength() {
    let recorded = RecordedValues([
      text(String(repeating: "é", count: 200) + "z"),
      text("a" + String(repeating: "é", count: 200)),
      blob([UInt8](repeating: 1, count: 5000)),
    ])
    let half = String(repeating: "é", count: 128)
    let odd = "a" + String(repeating: "é", count: 127)
    let bytes = String(repeating: "01", count: 256)
    #expect(
      recorded.text
        == "'\(half)' /* cut, 401 bytes */, '\(odd)' /* cut, 401 bytes */, "
        + "x'\(bytes)' /* cut, 5000 bytes */")
    #expect(RecordedValues(text: recorded.text) == recorded)
    #expect(!recorded.isWhole)
  }

  @Test func longListsEndWithTheNumberOfValuesLeftOut() {
    let keys = RecordedValues((1...500).map { Value.integer($0) })
    #expect(keys.values.count == 64)
    #expect(keys.text.hasSuffix("63, 64 /* 436 more */"))
    #expect(RecordedValues(text: keys.text) == keys)
    let texts = RecordedValues((1...40).map { _ in text(String(repeating: "x", count: 250)) })
    #expect(texts.values.count == 16)
    #expect(texts.text.utf8.count < 8192)
    #expect(RecordedValues(text: texts.text) == texts)
  }

  @Test(arguments: [
    "1,2", "1, ", "'a", "x'0", "x'0g'", "inf", "nan", "0x10", "1 2", "'a' 'b'", "CAST(1 AS TEXT)",
    "1 /* more */", "/* 3 more */ 1", "hello", "'a' /* cut, */", "1;",
  ])
  func otherTextIsRefused(text: String) { #expect(RecordedValues(text: text) == nil) }
}

struct RunSamplerTests {
  @Test func keepsTheFirstDistinctRunsThenAFairSample() {
    var kept = [Int](repeating: 0, count: 1000)
    for seed in 1...400 {
      var sampler = RunSampler(StatementID(rawValue: UInt64(seed) &* 0x9e37_79b9))
      var slots = [Int](repeating: -1, count: RunSampler.sampleCount)
      for run in 0..<1064 {
        switch sampler.choose(hash: run) {
        case .first: #expect(run < 64)
        case .sample(let slot): slots[slot] = run - 64
        case .skip: #expect(run >= 128)
        }
        #expect(sampler.choose(hash: run % 64) == .skip)
      }
      for run in slots { kept[run] += 1 }
    }
    // Each of 1,000 runs is kept in 6.4% of 400 draws; tenths of the runs differ little.
    for tenth in stride(from: 0, to: 1000, by: 100) {
      let sum = kept[tenth..<tenth + 100].reduce(0, +)
      #expect((2200...2920).contains(sum), "\(tenth): \(sum)")
    }
  }

  @Test func sameRunsReturnTheSameChoice() {
    func choices() -> [RunSampler.Choice] {
      var sampler = RunSampler(StatementID(sql: "SELECT 1"))
      return (0..<500).map { sampler.choose(hash: $0) }
    }
    #expect(choices() == choices())
  }
}
