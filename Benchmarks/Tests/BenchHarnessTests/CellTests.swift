// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Testing

@Suite struct CellTests {
  @Test(
    arguments: [
      (2.345, "2.3 ns"), (281.4, "281 ns"), (9_999, "9,999 ns"), (38_140, "38.1 µs"),
      (3_104_000, "3.10 ms"), (3_104_000_000, "3.10 s"), (-199, "-199 ns"),
    ] as [(Double, String)])
  func writesTimesInTheirUnit(nanoseconds: Double, text: String) {
    #expect(Cell.time(nanoseconds) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_234_567.8, "1,234,568")] as [(Double, String)])
  func groupsDigits(number: Double, text: String) {
    #expect(Cell.count(number) == text)
  }

  @Test(
    arguments: [
      ([1.5, 1.4, 1.6], "1.50 (1.40–1.60)"), ([0.05, 0.04, 0.06], "0.0500 (0.0400–0.0600)"),
      ([23, 16, 27], "23 (16–27)"),
    ] as [([Double], String)])
  func writesARatioWithItsInterval(values: [Double], text: String) {
    #expect(Cell.ratio(Ratio(values)) == text)
  }

  @Test func writesMinutesAndSeconds() {
    #expect(Cell.clock(.seconds(7)) == "0:07")
    #expect(Cell.clock(.milliseconds(754_900)) == "12:34")
    #expect(Cell.seconds(.milliseconds(12_340)) == "12.3 s")
  }
}
