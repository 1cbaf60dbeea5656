// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SQLiteDriver
import StoreEvents
import StoreInstruments
import Synchronization

/// One connection that writes and several that read, as the write-ahead log allows.
///
/// A released reader waits in `spare` for the next caller: every cache miss takes one,
/// and two exchanges cost a quarter of two locks. It counts as taken, so a caller that finds none
/// free looks there after announcing that it waits, and a caller that releases one looks for
/// waiters after putting it there: one of the two sees the other.
///
/// `lock` guards all else that changes. `writing` is held while the writer is in use.
final class ConnectionPool: @unchecked Sendable {
  private let lock = Mutex(())
  private let writing = NSLock()
  // Unchecked: the lock guards them.
  @exclusivity(unchecked) private var readers: [PooledConnection] = []
  /// The number of readers that may still be taken.
  @exclusivity(unchecked) private var freeCount: Int
  @exclusivity(unchecked) private var waitingCount = 0
  private let spare = Atomic<UnsafeRawPointer?>(nil)
  /// The number of waiting threads, plus one once it is closed.
  private let needs = Atomic<Int>(0)
  @exclusivity(unchecked) private var writer: PooledConnection?
  @exclusivity(unchecked) private var isClosed = false
  /// Each signal passes the slot of a released reader to one waiting caller.
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

  deinit { _ = acquireSpare() }

  /// Waits for a reader; return it with ``release(_:)``.
  func acquireReader() throws -> PooledConnection { try acquireReader(measures: false).0 }

  /// The same, and how long it took: 0 if a reader was free, or if nothing is measured.
  func acquireReader(measures: Bool) throws -> (PooledConnection, wait: Nanoseconds) {
    if let reader = acquireSpare() { return (reader, 0) }
    let start = measures ? TraceClock.now : 0
    let reader = try waitForReader()
    return (reader, measures ? TraceClock.now - start : 0)
  }

  private func acquireSpare() -> PooledConnection? {
    spare.exchange(nil, ordering: .sequentiallyConsistent).map {
      Unmanaged.fromOpaque($0).takeRetainedValue()
    }
  }

  private func waitForReader() throws -> PooledConnection {
    var mustWait = false
    let reader = lock.withLock { _ -> PooledConnection? in
      guard freeCount == 0 else {
        freeCount -= 1
        return readers.popLast()
      }
      needs.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if let reader = acquireSpare() {
        needs.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return reader
      }
      waitingCount += 1
      mustWait = true
      return nil
    }
    if mustWait { handovers.wait() }
    return try reader ?? lock.withLock { _ in readers.popLast() } ?? makeAnother()
  }

  private func makeAnother() throws -> PooledConnection {
    do {
      guard lock.withLock({ _ in !isClosed }) else { throw StoreError.closed(path: path) }
      return try makeReader()
    } catch {
      handOver(nil)
      guard let error = error as? SQLiteError else { throw error }
      throw StoreError(error, path: path)
    }
  }

  func release(_ reader: consuming PooledConnection) {
    let kept = Unmanaged.passRetained(reader)
    let (isSpare, _) = spare.compareExchange(
      expected: nil, desired: UnsafeRawPointer(kept.toOpaque()), ordering: .sequentiallyConsistent)
    guard isSpare else { return handOver(kept.takeRetainedValue()) }
    guard needs.load(ordering: .sequentiallyConsistent) > 0, let reader = acquireSpare() else {
      return
    }
    handOver(reader)
  }

  /// Passes a slot to the next waiting caller; without a reader, if none could be made.
  private func handOver(_ reader: PooledConnection?) {
    let isAwaited = lock.withLock { _ in
      if let reader, !isClosed { readers.append(reader) }
      guard waitingCount > 0 else {
        freeCount += 1
        return false
      }
      waitingCount -= 1
      needs.wrappingSubtract(1, ordering: .sequentiallyConsistent)
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
      needs.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if acquireSpare() != nil { freeCount += 1 }
      readers = []
      writer = nil
      return true
    }
  }
}
