// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Events on their way from the thread that makes them to the one that uses them.
///
/// Unchecked: it has one owner at a time, who fills it or reads it.
final class EventBatch: @unchecked Sendable {
  /// Other data that was read with the events.
  private(set) var ledger = SourceLedger(path: "", kind: .ctf)
  /// The bytes of the packets that were begun.
  var bytesBegun = 0
  /// Whether no batch follows.
  var isLast = false

  // No array: each record moves in and out without a count of references.
  private let records: UnsafeMutablePointer<EventRecord>
  @exclusivity(unchecked) private var next = 0
  @exclusivity(unchecked) private var count = 0

  // 256 records of about 300 bytes are 75 KiB, so that four batches stay in a processor's cache.
  private static let capacity = 256

  init() { records = .allocate(capacity: Self.capacity) }

  deinit {
    removeAll()
    records.deallocate()
  }

  var isFull: Bool { count == Self.capacity }

  func removeAll() {
    (records + next).deinitialize(count: count - next)
    (next, count) = (0, 0)
    bytesBegun = 0
    ledger = SourceLedger(path: "", kind: .ctf)
  }

  /// Adds a record, for which there must be room.
  @inline(__always)
  func append(_ record: consuming EventRecord) {
    (records + count).initialize(to: record)
    count += 1
  }

  @inline(__always)
  func popFirst() -> EventRecord? {
    guard next < count else { return nil }
    defer { next += 1 }
    return (records + next).move()
  }
}
