// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Waits for another connection's lock.
struct LockWaits {
  var attempts: UInt64 = 0
  var time: Nanoseconds = 0

  func adding(_ event: BusyWaited) -> Self {
    var sum = self
    sum.attempts.add(event.attempts)
    sum.time.add(event.waitTime)
    return sum
  }
}

extension StatementCounts {
  /// Adds the waits of a run; its step time contains them.
  ///
  /// The step time does not contain waits before it, while a statement was prepared.
  mutating func add(_ waits: LockWaits, of run: StatementRun) {
    busyAttempts.add(waits.attempts)
    let time = max(waits.time, 0)
    waitTime.add(time)
    if time <= run.stepTime { stepTime.add(-time) }
  }
}

/// The threads of a process that use its store at the same time: if there are more than
/// connections, they wait.
///
///     thread 1  ──save──┐
///     thread 2      ──save─────   contended: thread 1 had the writer when it began
struct Concurrency {
  /// `StoreOptions.readerCount` of a store that sets none.
  static let defaultReaders = 4

  /// By thread: the fetch that no other fetch contains.
  private var fetches = PendingTable<ProfileBuilder.Key, UInt64>()
  /// By process: how many there are.
  private var fetchCounts: [Int] = []
  /// By process: the save that ended last.
  private var lastSaves: [Int: (thread: UInt64, end: Nanoseconds)] = [:]

  /// - Returns: whether all readers were in use.
  mutating func beginFetch(_ event: FetchBegin, on thread: ProfileBuilder.Key) -> Bool {
    guard event.parentID == 0 else { return false }
    // A fetch of this thread without an end is over.
    while fetchCounts.count <= thread.process { fetchCounts.append(0) }
    if fetches.insert(event.fetchID, for: thread) == nil { fetchCounts[thread.process] += 1 }
    return fetchCounts[thread.process] > Self.defaultReaders
  }

  mutating func endFetch(_ event: FetchEnd, on thread: ProfileBuilder.Key) {
    guard fetches[thread] == event.fetchID else { return }
    fetches.remove(thread)
    fetchCounts[thread.process] -= 1
  }

  /// - Returns: whether another thread saved when it began.
  mutating func endSave(
    at end: Nanoseconds, totalTime: Nanoseconds, on thread: ProfileBuilder.Key
  ) -> Bool {
    defer { lastSaves[thread.process] = (thread.id, end) }
    guard let last = lastSaves[thread.process], last.thread != thread.id else { return false }
    return end &- totalTime < last.end
  }
}
