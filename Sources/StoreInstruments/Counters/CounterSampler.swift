// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Synchronization

/// Decides when the counters are due, and whether they have changed.
final class CounterSampler: Sendable {
  private let intervals: Intervals
  /// 0 until the store is known.
  private let store = Atomic<UInt64>(0)
  private let sampledEvents = Atomic<UInt64>(0)
  private let sampledTime: Atomic<Int64>
  private let sample = Mutex<Statistics?>(nil)

  init(_ intervals: Intervals) {
    self.intervals = intervals
    sampledTime = Atomic(intervals.time == nil ? 0 : TraceClock.coarseNow)
  }

  var storeID: UInt64? {
    get {
      let id = store.load(ordering: .relaxed)
      return id == 0 ? nil : id
    }
    set { store.store(newValue ?? 0, ordering: .relaxed) }
  }

  /// Whether enough events, or enough time, went by since the last sample.
  func isDue(events: UInt64) -> Bool {
    if events &- sampledEvents.load(ordering: .relaxed) >= intervals.events { return true }
    // Each fourth event reads the clock.
    guard let time = intervals.time, events.isMultiple(of: 4) else { return false }
    return TraceClock.coarseNow - sampledTime.load(ordering: .relaxed) >= time
  }

  func hasChanged(_ statistics: Statistics) -> Bool {
    sample.withLock { statistics != $0 } && statistics != Statistics()
  }

  /// - Parameter statistics: Those after the sample was emitted.
  func didSample(_ statistics: Statistics) {
    sample.withLock { $0 = statistics }
    sampledEvents.store(statistics.events, ordering: .relaxed)
    if intervals.time != nil { sampledTime.store(TraceClock.coarseNow, ordering: .relaxed) }
  }
}

extension CountersSampled {
  init(_ statistics: Statistics, storeID: UInt64, tracingTime: Nanoseconds) {
    self.init(
      storeID: storeID, fetches: statistics.fetches, faults: statistics.faults,
      cacheHits: statistics.cacheHits, cacheMisses: statistics.cacheMisses,
      saves: statistics.saves, events: statistics.events, tracingTime: tracingTime)
  }
}
