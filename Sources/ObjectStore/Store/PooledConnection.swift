// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLiteDriver
import StoreEvents
import StoreInstruments

/// A connection of a pool, with what is kept per connection.
///
/// Unchecked: a connection belongs to who has taken it.
final class PooledConnection: @unchecked Sendable {
  let connection: Connection
  let collector = PageCollector()
  // Unchecked: the checks are 3% of a cache miss.

  /// The statements that fire object faults, by entity: found without hashing their text.
  @exclusivity(unchecked) var rowReaders: [RowReader?]
  @exclusivity(unchecked) private(set) var busyAttempts: UInt64 = 0
  private var busySince: Nanoseconds = 0
  private(set) var gaveUp = false
  private var isWaiting = true
  private var dataVersion: Int64?

  init(
    path: String, mode: Connection.Mode, options: StoreOptions, entityCount: Int
  ) throws(SQLiteError) {
    let vfs = options.vfs ?? (options.recordsIO ? FileCounts.vfs : nil)
    connection = try Connection(path: path, mode: mode, vfs: vfs)
    if let key = options.encryptionKey { try connection.setKey(key) }
    try SQLFunctions.register(on: connection)
    try connection.register(collector, as: PageCollector.function)
    try Collations.register(on: connection, locale: options.collationLocale)
    rowReaders = Array(repeating: nil, count: entityCount)
    let limit = Nanoseconds(options.busyTimeout / .nanoseconds(1))
    connection.setBusyHandler { [unowned self] attempts in retry(after: attempts, limit: limit) }
  }

  /// Sleeps a little longer each time, from 50 µs up to 10 ms: an uncontended writer is done soon.
  private func retry(after attempts: Int32, limit: Nanoseconds) -> Bool {
    if busyAttempts == 0 || attempts == 0 { busySince = TraceClock.now }
    busyAttempts = UInt64(attempts) + 1
    guard isWaiting, TraceClock.now - busySince < limit else {
      gaveUp = true
      return false
    }
    usleep(min(50 << min(UInt32(attempts), 8), 10_000))
    return true
  }

  /// Runs work that is left undone if another connection holds the lock that it needs.
  func withoutWaiting(_ body: () throws -> Void) rethrows {
    isWaiting = false
    defer {
      isWaiting = true
      busyAttempts = 0
      gaveUp = false
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
    guard busyAttempts > 0 else { return nil }
    defer {
      busyAttempts = 0
      gaveUp = false
    }
    return BusyWaited(
      storeID: storeID, attempts: busyAttempts, waitTime: TraceClock.now - busySince,
      gaveUp: gaveUp ? 1 : 0)
  }
}
