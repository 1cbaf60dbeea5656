// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TraceRendering

@Suite struct JSONBytesTests {
  private struct Sample: Encodable {
    var empty: [Int] = []
    var names = ["a\"b\\c", "line\nfeed", "é/…"]
    var numbers: [Int64] = [0, 9, 10, 99, 100, -1, -10, 12_345, .max, .min]
    var pairs = [["x": 1], ["x": 2]]
    var unsigned: [UInt64] = [.max, 0, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000]
  }

  @Test func writesTheSameAsAnEncoder() throws {
    let sample = Sample()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var json = JSONBytes()
    try json.object { json in
      json.array("empty", sample.empty) { $0.number($1) }
      json.key("names")
      try json.value(sample.names)
      json.array("numbers", sample.numbers) { $0.number($1) }
      json.array("pairs", sample.pairs) { json, pair in
        json.object {
          $0.key("x")
          $0.number(pair["x"] ?? 0)
        }
      }
      json.array("unsigned", sample.unsigned) { $0.number($1) }
    }
    #expect(json.text == String(decoding: try encoder.encode(sample), as: UTF8.self))
  }

  @Test func escapesTextThatEndsAScript() throws {
    var json = JSONBytes()
    try json.value(["</script>&"])
    #expect(json.text == #"["\u003c/script\u003e\u0026"]"#)
  }

  @Test func growsWithItsNumbers() throws {
    let numbers = Array(0..<100_000)
    var json = JSONBytes()
    json.array { json in for number in numbers { json.number(number) } }
    #expect(try JSONDecoder().decode([Int].self, from: Data(json.text.utf8)) == numbers)
  }
}
