// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreInstruments
import Synchronization

/// The rows that a store has read or written lately, shared by its contexts.
///
/// Two generations: a row that is used moves to the younger one, and when that has grown to half
/// of the limit the older one is let go. So the limit holds without a list of uses.
///
/// `lock` guards both generations and the count; it is held for a look-up or for 512 rows of a
/// fetch.
final class RowCache: @unchecked Sendable {
  private let lock = NSLock()
  @exclusivity(unchecked) private var young: Generation
  @exclusivity(unchecked) private var old: Generation
  private var evictions = 0
  private let generationLimit: Int
  private let currentEpoch = Atomic<UInt64>(0)

  init(entityCount: Int, byteLimit: Int) {
    generationLimit = byteLimit / 2
    young = Generation(entityCount)
    old = Generation(entityCount)
  }

  /// Raised by ``removeAll()``: what was read before may be older than what was written since.
  var epoch: UInt64 { currentEpoch.load(ordering: .acquiring) }

  /// The row, `RowSnapshot.deleted` if it is known to be gone, nil if it is not cached.
  func row(_ entity: Int, _ primaryKey: Int64) -> RowSnapshot? {
    lock.lock()
    defer { lock.unlock() }
    if let row = young.row(entity, primaryKey) { return row }
    guard let row = old.remove(entity, primaryKey) else { return nil }
    add(row, entity, primaryKey)
    return row
  }

  /// Keeps rows, but never one that is older than what is there, or than an epoch that has ended.
  func insert(_ rows: [RowSnapshot], _ entity: Int, readIn epoch: UInt64) {
    var start = 0
    while start < rows.count {
      let end = min(start + 512, rows.count)
      lock.lock()
      defer { lock.unlock() }
      guard epoch == self.epoch else { return }
      for index in start..<end { insert(rows[index], entity, rows[index].primaryKey) }
      start = end
    }
  }

  /// Keeps rows that were just written.
  func insert(_ rows: [RowSnapshot], _ entity: Int) { insert(rows, entity, readIn: epoch) }

  /// Remembers that rows were deleted, so that a reader that still saw one does not bring it back.
  func insertDeleted(_ primaryKeys: [Int64], _ entity: Int) {
    lock.lock()
    defer { lock.unlock() }
    for key in primaryKeys { insert(.deleted, entity, key) }
  }

  /// Lets go of rows that nobody will ask for again, unless newer ones have taken their places.
  func remove(_ rows: [RowSnapshot], _ entity: Int) {
    lock.lock()
    defer { lock.unlock() }
    for row in rows {
      young.remove(entity, row)
      old.remove(entity, row)
    }
  }

  /// Forgets rows, deleted ones too, whose keys are written anew.
  func remove(_ primaryKeys: [Int64], _ entity: Int) {
    lock.lock()
    defer { lock.unlock() }
    for key in primaryKeys {
      _ = young.remove(entity, key)
      _ = old.remove(entity, key)
    }
  }

  /// Forgets all rows: somebody else has written to the file.
  func removeAll() {
    lock.lock()
    defer { lock.unlock() }
    currentEpoch.wrappingAdd(1, ordering: .releasing)
    young = Generation(young.tables.count)
    old = Generation(old.tables.count)
  }

  /// Adds what the cache holds to what the store has done.
  func fill(_ statistics: inout Statistics) {
    lock.lock()
    defer { lock.unlock() }
    statistics.cachedRows = UInt64(young.rowCount + old.rowCount)
    statistics.cachedBytes = UInt64(young.byteCount + old.byteCount)
    statistics.cacheEvictions = UInt64(evictions)
  }

  private func insert(_ row: RowSnapshot, _ entity: Int, _ primaryKey: Int64) {
    if let known = young.row(entity, primaryKey) {
      guard known.version <= row.version else { return }
    } else if let known = old.row(entity, primaryKey) {
      guard known.version <= row.version else { return }
      _ = old.remove(entity, primaryKey)
    }
    add(row, entity, primaryKey)
  }

  private func add(_ row: RowSnapshot, _ entity: Int, _ primaryKey: Int64) {
    young.set(entity, primaryKey, row)
    if young.byteCount > generationLimit {
      evictions += old.rowCount
      old = young
      young = Generation(old.tables.count)
    }
  }
}

/// Rows by entity and primary key; a class, so that letting a generation go is one release.
private final class Generation {
  let tables: [Table]
  @exclusivity(unchecked) var byteCount = 0

  final class Table {
    @exclusivity(unchecked) var rows = KeyTable<RowSnapshot>()

    deinit { rows.forEach { $1.release() } }
  }

  init(_ entityCount: Int) { tables = (0..<entityCount).map { _ in Table() } }

  var rowCount: Int { tables.reduce(0) { $0 + $1.rows.count } }

  func row(_ entity: Int, _ primaryKey: Int64) -> RowSnapshot? {
    tables[entity].rows.value(primaryKey)?.takeUnretainedValue()
  }

  func set(_ entity: Int, _ primaryKey: Int64, _ row: RowSnapshot) {
    byteCount += row.byteCount
    if let old = tables[entity].rows.set(primaryKey, .passRetained(row)) {
      byteCount -= old.takeUnretainedValue().byteCount
      old.release()
    }
  }

  func remove(_ entity: Int, _ row: RowSnapshot) {
    guard self.row(entity, row.primaryKey) === row else { return }
    _ = remove(entity, row.primaryKey)
  }

  func remove(_ entity: Int, _ primaryKey: Int64) -> RowSnapshot? {
    guard let row = tables[entity].rows.remove(primaryKey)?.takeRetainedValue() else { return nil }
    byteCount -= row.byteCount
    return row
  }
}
