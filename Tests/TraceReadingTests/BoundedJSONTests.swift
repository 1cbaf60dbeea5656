// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TraceReading

@Suite struct BoundedJSONTests {
  private func nested(_ depth: Int) -> Data {
    Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
  }

  /// Foundation's decoder traps on exactly 513 levels.
  @Test(arguments: [65, 512, 513, 514, 100_000])
  func jsonBeyondSixtyFourLevelsIsAnError(depth: Int) {
    #expect(throws: BoundedJSON.TooDeep.self) {
      try BoundedJSON.decode([Int].self, from: nested(depth))
    }
  }

  @Test func bracketsWithinStringsAreNoLevels() throws {
    let text = String(repeating: "[{", count: 500) + "\""
    let data = try JSONEncoder().encode([text])
    #expect(try BoundedJSON.decode([String].self, from: data) == [text])
  }

  @Test func bytesThatAreNoUTF8TextAreAnError() {
    #expect(throws: DecodingError.self) {
      try BoundedJSON.decode([Int].self, from: Data([0x5b, 0, 0x5d, 0]))
    }
  }
}
