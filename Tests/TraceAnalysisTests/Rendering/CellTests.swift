// SPDX-License-Identifier: Apache-2.0

import Testing
import TraceRendering

@Suite struct CellTests {
  @Test(arguments: [
    (Cell.duration(0), "0 ns"), (.duration(999), "999 ns"), (.duration(1000), "1.00 µs"),
    (.duration(999_499), "999 µs"), (.duration(999_500), "1.00 ms"),
    (.duration(12_345_678), "12.3 ms"), (.duration(90_000_000_000), "90.0 s"),
    (.duration(5_000_000_000_000), "5,000 s"), (.duration(-1500), "-1.50 µs"),
    (.duration(.max), "9,223,372,037 s"), (.count(0), "0"), (.count(12_800), "12,800"),
    (.bytes(4096), "4.10 kB"), (.ratio(0.431), "43%"), (.ratio(.nan), "–"),
    (.factor(2.5), "2.50×"), (.factor(.infinity), "–"), (.none, "–"),
  ]) func writesItsUnit(cell: Cell, text: String) {
    #expect(cell.text == text)
  }
}
