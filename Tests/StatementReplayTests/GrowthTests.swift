// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StatementReplay

/// Costs on all rows, from those on parts of them.
@Suite struct GrowthTests {
  // 1,024 rows are a tree of depth 10, 1,048,576 one of depth 20.
  private let growth = Growth(1_048_576, 1024, 512)

  @Test func rowsInTheirOrderTakeTimeInProportion() {
    #expect(growth.time(1000, visits: 0) == 1_024_000)
  }

  @Test(
    arguments: [(512, 1_536_000), (1024, 2_048_000), (100_000, 2_048_000)] as [(UInt64, UInt64)])
  func rowsThatAreSearchedTakeTheDepthOfTheTree(visits: UInt64, time: UInt64) {
    #expect(growth.time(1000, visits: visits) == time)
  }

  @Test func noiseOfTheSmallerPartIsNotInTheTime() {
    let other = Growth(1_048_576, 1024, 1)
    #expect(other.time(1000, visits: 7) == growth.time(1000, visits: 7))
  }

  @Test func theRangeHasTheLineAndTheDepth() {
    // The line through 900 and 1,000 has a slope of 100 for 512 rows.
    let line: UInt64 = 1000 + (1_048_576 - 1024) * 100 / 512
    #expect(growth.times((950, 1000, 1100), 900) == line...1100 * 1024 * 2)
    #expect(growth.times((950, 1000, 1100), nil) == 950 * 1024...1100 * 1024 * 2)
  }

  @Test func theRangeHasTheTime() {
    for visits: UInt64 in [0, 300, 5000] {
      let range = growth.times((1000, 1000, 1000), 490)
      #expect(range.contains(growth.time(1000, visits: visits)))
    }
  }

  @Test func sizesAreOnALine() {
    let growth = Growth(1000, 100, 50)
    #expect(growth.value(210, 110) == 2010)
    #expect(growth.value(210, nil) == 2100)
    #expect(growth.value(210, 0) == 3990)
    // Within half and twice the proportional size.
    #expect(growth.value(210, 210) == 1050)
    #expect(Growth(1000, 100, 90).value(100, 50) == 2000)
  }

  @Test func aPartWithoutRowsIsNotMultiplied() {
    let growth = Growth(1000, 0, nil)
    #expect(growth.time(7, visits: 3) == 7)
    #expect(growth.value(7, nil) == 7)
    #expect(growth.times((5, 7, 9), nil) == 5...9)
  }
}
