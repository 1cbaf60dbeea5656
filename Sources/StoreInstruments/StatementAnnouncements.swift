// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Synchronization

/// Decides when the text behind a statement id is due.
final class StatementAnnouncements: Sendable {
  private struct Statement: Hashable {
    let storeID: UInt64
    let id: StatementID
  }

  private struct Announcement {
    var uses: UInt64
    let time: Nanoseconds
  }

  /// Arbitrary: a program with more statements than this announces them all a second time.
  private static let capacity = 4_096

  private let intervals: Intervals
  /// Whether any listener was attached at the last check.
  private let hasListener = Atomic<Bool>(false)
  private let announced = Mutex<[Statement: Announcement]>([:])

  init(_ intervals: Intervals) { self.intervals = intervals }

  /// Discards what was announced, so that the next listener receives everything.
  func reset() {
    guard hasListener.load(ordering: .relaxed) else { return }
    hasListener.store(false, ordering: .relaxed)
  }

  /// Whether a listener attached since the last check; all statements are due again then.
  func startsListening() -> Bool {
    guard !hasListener.load(ordering: .relaxed),
      !hasListener.exchange(true, ordering: .relaxed)
    else { return false }
    announced.withLock { $0.removeAll(keepingCapacity: true) }
    return true
  }

  /// Counts one use of a statement.
  func isDue(_ id: StatementID, storeID: UInt64) -> Bool {
    let now = intervals.time == nil ? 0 : TraceClock.coarseNow
    return announced.withLock { announced in
      let statement = Statement(storeID: storeID, id: id)
      if let last = announced[statement], last.uses < intervals.uses,
        now - last.time <= intervals.time ?? 0
      {
        announced[statement]?.uses += 1
        return false
      }
      if announced.count >= Self.capacity { announced.removeAll(keepingCapacity: true) }
      announced[statement] = Announcement(uses: 1, time: now)
      return true
    }
  }
}
