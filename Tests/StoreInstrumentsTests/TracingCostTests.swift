// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments
import Synchronization
import TestSupport
import Testing

@Suite struct TracingCostTests {
  /// Beside an observer that takes a while, compared with the clock of this thread.
  @Test(arguments: [10, 61, 5_000]) func equalsTheTimeOfTheObservers(events: Int) throws {
    let observer = SlowObserver()
    let instruments = Instruments(
      observers: [observer], intervals: Intervals(uses: 1_000, events: 1_000_000, time: nil))
    let began = TraceClock.now
    for _ in 0..<events {
      instruments.emit(
        .storeOpened(
          StoreOpened(
            storeID: 9, path: "", journalMode: "", pageSize: 0, sqliteVersion: "",
            processStart: 0, processName: "")), contextID: 0)
    }
    let elapsed = TraceClock.now - began
    instruments.emitCounters(contextID: 0)
    let sample = try #require(observer.last)
    // Each event takes the observer 2 µs at least. A pause of the machine within a timed event
    // counts for as many as that stands for, so only the first ones have an upper bound.
    #expect(sample.tracingTime >= Int64(events - 61) * 2_000)
    if events <= 61 {
      #expect(sample.tracingTime >= Int64(events) * 2_000)
      #expect(sample.tracingTime <= elapsed)
    }
  }
}

private final class SlowObserver: StoreObserver {
  private let sample = Mutex<CountersSampled?>(nil)

  var last: CountersSampled? { sample.withLock { $0 } }
  var interests: Interests { .events }

  func record(_ event: StoreEvent, contextID: UInt64) {
    if case .counters(let counters) = event { sample.withLock { $0 = counters } }
    let end = TraceClock.now + 2_000
    while TraceClock.now < end {}
  }
  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}
