// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLiteDriver
import StoreEvents
import StoreFunctions
import StoreInstruments

/// A connection of a pool, with the caches of that connection.
///
/// Unchecked: a connection belongs to the caller that has acquired it.
final class PooledConnection: @unchecked Sendable {
  let connection: Connection
  let collector = PageCollector()
  let triggeredRows = TriggeredRows()
  // Unchecked: the checks are 3% of a cache miss.

  /// The statements that fire object faults, by entity: found without hashing their text.
  @exclusivity(unchecked) var rowReaders: [RowReader?]
  private let wait: BusyWait
  private var dataVersion: Int64?

  init(
    path: String, mode: Connection.Mode, options: StoreOptions, entityCount: Int
  ) throws(SQLiteError) {
    let vfs = options.vfs ?? (options.recordsIO ? FileCounts.vfs : nil)
    connection = try Connection(path: path, mode: mode, vfs: vfs)
    if let key = options.encryptionKey { try connection.setKey(key) }
    let add = { [triggeredRows] (connection: Connection) throws(SQLiteError) in
      try connection.addStoreFunctions { triggeredRows.insert($0, $1) }
    }
    switch mode {
    case .readOnly, .guarded: connection.deferFunctions(named: "NSCoreData", add)
    case .readWrite, .create: try add(connection)
    }
    try connection.register(collector, as: PageCollector.function)
    try Collations.register(on: connection, locale: options.collationLocale)
    rowReaders = Array(repeating: nil, count: entityCount)
    // Kept by the handler: the connection may be used for longer than this object.
    let wait = BusyWait(limit: options.busyTimeout.nanoseconds)
    self.wait = wait
    connection.setBusyHandler { wait.retry(after: $0) }
  }

  /// Runs work that is left undone if another connection holds the lock that it needs.
  func withoutWaiting(_ body: () throws -> Void) rethrows {
    wait.isWaiting = false
    defer {
      wait.isWaiting = true
      wait.reset()
    }
    try body()
  }

  /// Whether another connection has written to the file since the last call, or might have if
  /// there was none.
  ///
  /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_data_version>
  func sawForeignWrites() throws(SQLiteError) -> Bool {
    let statement = try connection.cachedStatement("PRAGMA data_version")
    defer { connection.recycle(statement) }
    let version = try statement.step() ? statement.int64(0) : 0
    defer { dataVersion = version }
    return version != dataVersion
  }

  /// The wait since the last call, if there was one.
  func takeBusyWait(storeID: UInt64) -> BusyWaited? {
    guard wait.attempts > 0 else { return nil }
    defer { wait.reset() }
    return BusyWaited(
      storeID: storeID, attempts: wait.attempts, waitTime: TraceClock.now - wait.since,
      gaveUp: wait.gaveUp ? 1 : 0)
  }
}

/// The wait of a connection for a lock.
private final class BusyWait {
  private let limit: Nanoseconds
  // Unchecked: the checks are 3% of a cache miss.
  @exclusivity(unchecked) private(set) var attempts: UInt64 = 0
  private(set) var since: Nanoseconds = 0
  private(set) var gaveUp = false
  var isWaiting = true

  init(limit: Nanoseconds) { self.limit = limit }

  /// Sleeps a little longer each time, from 50 µs up to 10 ms: an uncontended writer is done soon.
  func retry(after earlier: Int32) -> Bool {
    if attempts == 0 || earlier == 0 { since = TraceClock.now }
    attempts = UInt64(earlier) + 1
    guard isWaiting, TraceClock.now - since < limit else {
      gaveUp = true
      return false
    }
    usleep(min(50 << min(UInt32(earlier), 8), 10_000))
    return true
  }

  func reset() {
    attempts = 0
    gaveUp = false
  }
}

extension Duration {
  /// The nearest number of nanoseconds, at most 292 years.
  var nanoseconds: Nanoseconds {
    let count = (self / .nanoseconds(1)).rounded()
    return Nanoseconds(exactly: count) ?? (count < 0 ? 0 : .max)
  }
}
