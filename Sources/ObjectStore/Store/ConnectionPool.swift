// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SQLiteDriver

/// One connection that writes and several that read, as the write-ahead log allows.
///
/// `lock` guards `readers`, `writer` and `isClosed`; `slots` counts the readers that may still be
/// taken; `writing` is held while the writer is in use.
final class ConnectionPool: @unchecked Sendable {
  private let lock = NSLock()
  private let writing = NSLock()
  private let slots: DispatchSemaphore
  // Unchecked: the lock guards them.
  @exclusivity(unchecked) private var readers: [PooledConnection] = []
  @exclusivity(unchecked) private var writer: PooledConnection?
  @exclusivity(unchecked) private var isClosed = false
  private let path: String
  private let makeReader: @Sendable () throws(SQLiteError) -> PooledConnection

  init(
    path: String, writer: PooledConnection?, readerCount: Int,
    makeReader: @escaping @Sendable () throws(SQLiteError) -> PooledConnection
  ) {
    self.path = path
    self.writer = writer
    slots = DispatchSemaphore(value: max(1, readerCount))
    self.makeReader = makeReader
  }

  /// Waits for a reader; give it back with ``release(_:)``.
  func takeReader() throws -> PooledConnection {
    slots.wait()
    do {
      lock.lock()
      defer { lock.unlock() }
      guard !isClosed else { throw StoreError.closed(path: path) }
      return try readers.popLast() ?? makeReader()
    } catch {
      slots.signal()
      guard let error = error as? SQLiteError else { throw error }
      throw StoreError(error, path: path)
    }
  }

  func release(_ reader: PooledConnection) {
    lock.lock()
    if !isClosed { readers.append(reader) }
    lock.unlock()
    slots.signal()
  }

  /// Runs alone on the connection that writes.
  func withWriter<R>(_ body: (PooledConnection) throws -> R) throws -> R {
    writing.lock()
    defer { writing.unlock() }
    lock.lock()
    let writer = self.writer
    let isClosed = self.isClosed
    lock.unlock()
    guard !isClosed else { throw StoreError.closed(path: path) }
    guard let writer else { throw StoreError.readOnly(path: path) }
    return try body(writer)
  }

  /// Whether this call closed it.
  func close() -> Bool {
    writing.lock()
    defer { writing.unlock() }
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { return false }
    isClosed = true
    readers = []
    writer = nil
    return true
  }
}
