// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StatementReplay

/// The first variant to run pays for the disk and the caches.
@Suite struct ReplayTurnsTests {
  @Test(arguments: [1, 2, 3, 4, 7])
  func theChangedCopyIsFirstInHalfOfTheRunsOfEachStep(step: UInt64) {
    let first = (0..<1000 as Range<UInt64>).count { ReplayRace.isChangedFirst($0 * step) }
    #expect((400...600).contains(first), "\(first) of 1000")
  }
}
