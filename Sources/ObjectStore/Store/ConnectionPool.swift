// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SQLiteDriver
import Synchronization

/// One connection that writes and several that read, as the write-ahead log allows.
///
/// `lock` guards all that changes, and is held for some instructions: every cache miss takes a
/// reader. `writing` is held while the writer is in use.
final class ConnectionPool: @unchecked Sendable {
  private let lock = Mutex(())
  private let writing = NSLock()
  // Unchecked: the lock guards them.
  /// Those that nobody uses.
  @exclusivity(unchecked) private var readers: [PooledConnection] = []
  /// How many readers may still be taken.
  @exclusivity(unchecked) private var freeCount: Int
  @exclusivity(unchecked) private var waitingCount = 0
  @exclusivity(unchecked) private var writer: PooledConnection?
  @exclusivity(unchecked) private var isClosed = false
  /// Each signal hands one who waits the place of a reader that was given back.
  private let handovers = DispatchSemaphore(value: 0)
  private let path: String
  private let makeReader: @Sendable () throws(SQLiteError) -> PooledConnection

  init(
    path: String, writer: PooledConnection?, readerCount: Int,
    makeReader: @escaping @Sendable () throws(SQLiteError) -> PooledConnection
  ) {
    self.path = path
    self.writer = writer
    freeCount = max(1, readerCount)
    self.makeReader = makeReader
  }

  /// Waits for a reader; give it back with ``release(_:)``.
  func takeReader() throws -> PooledConnection {
    var mustWait = false
    if let reader = lock.withLock({ _ in
      mustWait = freeCount == 0
      guard !mustWait else {
        waitingCount += 1
        return PooledConnection?.none
      }
      freeCount -= 1
      return readers.popLast()
    }) {
      return reader
    }
    if mustWait { handovers.wait() }
    return try takeSpare() ?? makeAnother()
  }

  private func takeSpare() -> PooledConnection? { lock.withLock { _ in readers.popLast() } }

  private func makeAnother() throws -> PooledConnection {
    do {
      guard lock.withLock({ _ in !isClosed }) else { throw StoreError.closed(path: path) }
      return try makeReader()
    } catch {
      release(nil)
      guard let error = error as? SQLiteError else { throw error }
      throw StoreError(error, path: path)
    }
  }

  /// Gives a reader back; nil for one that could not be made.
  func release(_ reader: consuming PooledConnection?) {
    let isAwaited = lock.withLock { _ in
      if let reader, !isClosed { readers.append(reader) }
      guard waitingCount > 0 else {
        freeCount += 1
        return false
      }
      waitingCount -= 1
      return true
    }
    if isAwaited { handovers.signal() }
  }

  /// Runs alone on the connection that writes.
  func withWriter<R>(_ body: (PooledConnection) throws -> R) throws -> R {
    writing.lock()
    defer { writing.unlock() }
    let (writer, isClosed) = lock.withLock { _ in (self.writer, self.isClosed) }
    guard !isClosed else { throw StoreError.closed(path: path) }
    guard let writer else { throw StoreError.readOnly(path: path) }
    return try body(writer)
  }

  /// Whether this call closed it.
  func close() -> Bool {
    writing.lock()
    defer { writing.unlock() }
    return lock.withLock { _ in
      guard !isClosed else { return false }
      isClosed = true
      readers = []
      writer = nil
      return true
    }
  }
}
