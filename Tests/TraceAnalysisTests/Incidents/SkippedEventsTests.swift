// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceAnalysis

@Suite struct SkippedEventsTests {
  /// An event from a time to another, in ms.
  private func event(_ from: Int64, to: Int64, thread: Int64 = 1) -> Offender {
    let record = EventRecord(
      timestamp: to * 1_000_000, process: ProcessIdentity(id: 7, name: "shop"), threadID: thread,
      contextID: 0, event: .connectionClosed(.init(connectionID: 1)))
    return Offender(record, duration: (to - from) * 1_000_000)
  }

  @Test func eventsWithoutAnIncidentAreCountedOnce() {
    var skipped = SkippedEvents()
    skipped.add([event(0, to: 10), event(20, to: 30)])
    skipped.remove(event(20, to: 30))
    #expect(skipped.count == 1)
    // The next snapshot contains them again.
    skipped.add([event(0, to: 10), event(20, to: 30), event(40, to: 50)])
    #expect(skipped.count == 2)
  }

  @Test func eventsOfOneThreadThatOverlapAreOneOccurrence() {
    var skipped = SkippedEvents()
    // A wait for a lock, the statement that waited, and its transaction in autocommit mode.
    skipped.add([event(2, to: 9), event(0, to: 10), event(0, to: 11)])
    #expect(skipped.count == 1)
    skipped.add([event(12, to: 13), event(1, to: 14, thread: 2)])
    #expect(skipped.count == 3)
  }

  @Test func anEventThatBecomesAnIncidentLaterIsNotSkipped() {
    var skipped = SkippedEvents()
    skipped.add([event(0, to: 10), event(20, to: 30)])
    skipped.remove(event(20, to: 30))
    skipped.remove(event(2, to: 9))
    #expect(skipped.count == 0)
  }
}
