// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectStore

@Suite struct JSONArrayTests {
  @Test(
    arguments: [
      ([], "[]"), ([0], "[0]"), ([1, 10, 99, 100], "[1,10,99,100]"),
      ([-1, -20, 305], "[-1,-20,305]"),
      ([Int64.min, .max], "[-9223372036854775808,9223372036854775807]"),
    ] as [([Int64], String)])
  func listsKeys(_ keys: [Int64], _ text: String) {
    #expect(JSONArray(keys: keys).text == text)
    #expect(!JSONArray(keys: keys).isEncoded)
  }
}
