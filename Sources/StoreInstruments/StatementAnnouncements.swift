// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Synchronization

/// Decides when the text behind a statement id is due.
final class StatementAnnouncements: Sendable {
  private struct Statement: Hashable {
    let storeID: UInt64
    let id: StatementID
  }

  private final class Announcement {
    let statement: Statement
    var uses: UInt64 = 1
    let time: Nanoseconds

    init(_ statement: Statement, _ time: Nanoseconds) {
      self.statement = statement
      self.time = time
    }
  }

  private struct Announced {
    var all: [Statement: Announcement] = [:]
    /// Found without a hash: programs repeat statements.
    var latest: Announcement?

    mutating func removeAll() {
      all.removeAll(keepingCapacity: true)
      latest = nil
    }
  }

  /// Arbitrary: a program with more statements than this announces them all a second time.
  private static let capacity = 4_096

  private let intervals: Intervals
  /// Whether any listener was attached at the last check.
  private let hasListener = Atomic<Bool>(false)
  private let announced = Mutex(Announced())

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
    announced.withLock { $0.removeAll() }
    return true
  }

  /// Counts one use of a statement.
  func isDue(_ id: StatementID, storeID: UInt64) -> Bool {
    let now = intervals.time == nil ? 0 : TraceClock.coarseNow
    return announced.withLock { announced in
      let statement = Statement(storeID: storeID, id: id)
      let last =
        announced.latest?.statement == statement
        ? announced.latest : announced.all[statement]
      if let last, last.uses < intervals.uses, now - last.time <= intervals.time ?? 0 {
        last.uses += 1
        if announced.latest !== last { announced.latest = last }
        return false
      }
      if announced.all.count >= Self.capacity { announced.removeAll() }
      let announcement = Announcement(statement, now)
      announced.all[statement] = announcement
      announced.latest = announcement
      return true
    }
  }
}
