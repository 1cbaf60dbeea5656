// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Waits for a connection of a pool while no connection of the process ran a statement.
public struct PoolWaitSite: Hashable, Sendable, Codable {
  /// The library.
  public var pool: String
  /// The last statement on an open connection, of several the latest one.
  public var holder: LockSite
  /// The first lines that waited.
  public var waiters: [SourceLocation]
  /// The number of open connections, at most.
  public var connections: UInt64
  /// The number of waits.
  public var count: UInt64 = 0
  /// The waits that ended without a connection.
  public var failures: UInt64 = 0
  /// The total time of the waits, of all threads.
  public var time: Nanoseconds = 0

  struct Key: Hashable {
    var pool: String
    var holder: LockSite.Key
  }

  var key: Key { Key(pool: pool, holder: holder.key) }

  // Arbitrary: the lines that a sentence names.
  private static let maxWaiters = 3
  private static let sums = Sums<Self, Self>(\.count, \.failures, \.time)

  mutating func add(_ other: Self) {
    Self.sums.add(other, to: &self)
    connections = max(connections, other.connections)
    for line in other.waiters where waiters.count < Self.maxWaiters && !waiters.contains(line) {
      waiters.append(line)
    }
  }
}

extension [PoolWaitSite] {
  /// Each pool and line once, longest time first.
  var merged: Self {
    merged(by: \.key) { $0.add($1) }.sorted(by: \.time, then: \.holder.sortKey)
  }
}

/// Finds the waits in which all connections of a process were idle.
///
///     request 1   SELECT at app.py:8, and keeps the connection
///     request 2   ├────── waits in the pool at app.py:10 ──────┤
struct PoolWaitTally {
  typealias Key = ProfileBuilder.Key
  // A request that computes between two statements for less keeps others waiting as well.
  private static let minIdle: Nanoseconds = 1_000_000_000
  // Arbitrary, as in `Bounds`.
  private static let maxConnections = 10_000
  private static let maxPending = 1000

  private struct Use {
    var site: LockSite
    var thread: Key
    var time: Nanoseconds
  }

  private struct Pending {
    var wait: PoolWaitSite
    /// The thread that waited, and the one that ran the last statement.
    var threads: Set<Key>
    var end: Nanoseconds
  }

  /// By process and connection.
  private var uses: [Int: [UInt64: Use]] = [:]
  private var useCount = 0
  /// By process: waits within a statement that did not end yet, or in which all connections were idle.
  private var pending: [Int: [Pending]] = [:]
  private var waits: [PoolWaitSite.Key: PoolWaitSite] = [:]

  mutating func use(
    _ connection: Key, at site: LockSite, on thread: Key, for stepTime: Nanoseconds,
    until time: Nanoseconds
  ) {
    confirm(in: connection.process, before: time &- max(stepTime, 0), by: thread)
    let isKnown = uses[connection.process]?[connection.id] != nil
    guard isKnown || useCount < Self.maxConnections else { return }
    if !isKnown { useCount += 1 }
    uses[connection.process, default: [:]][connection.id] = Use(
      site: site, thread: thread, time: time)
  }

  mutating func close(_ connection: Key) {
    if uses[connection.process]?.removeValue(forKey: connection.id) != nil { useCount -= 1 }
  }

  mutating func add(
    _ event: PoolWaited, at location: SourceLocation, on thread: Key, until time: Nanoseconds
  ) {
    let process = thread.process
    guard let open = uses[process]?.values,
      let last = open.max(by: { ($0.time, $0.site.sortKey) < ($1.time, $1.site.sortKey) }),
      time &- last.time >= Self.minIdle, pending[process]?.count ?? 0 < Self.maxPending
    else { return }
    let wait = PoolWaitSite(
      pool: event.pool, holder: last.site, waiters: [location], connections: UInt64(open.count),
      count: 1, failures: event.gaveUp, time: max(0, min(event.waitTime, time &- last.time)))
    pending[process, default: []].append(
      Pending(
        wait: wait, threads: [thread, last.thread], end: time))
  }

  /// Counts the waits that ended before a statement began; in later ones it ran.
  ///
  /// A thread that neither waited nor ran the statement before had the connection, and its line is unknown.
  private mutating func confirm(in process: Int, before start: Nanoseconds, by thread: Key?) {
    let all = pending.removeValue(forKey: process) ?? []
    if let thread, !all.contains(where: { $0.threads.contains(thread) }) { return }
    for pending in all where pending.end <= start {
      let key = pending.wait.key
      if waits[key] == nil {
        waits[key] = pending.wait
      } else {
        waits[key]?.add(pending.wait)
      }
    }
  }

  var finished: [PoolWaitSite]? {
    mutating get {
      for process in pending.keys.sorted() { confirm(in: process, before: .max, by: nil) }
      return waits.isEmpty ? nil : Array(waits.values).merged
    }
  }
}
