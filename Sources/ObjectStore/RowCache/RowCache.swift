// SPDX-License-Identifier: Apache-2.0

import StoreInstruments
import Synchronization

/// The rows that a store has read or written lately, shared by its contexts.
///
/// Two generations: a row that is used moves to the younger one, and when that has grown to half
/// of the limit the older one is discarded. So the limit holds without a list of uses.
///
/// `lock` guards both generations and the count; it is held for a look-up or for one page.
final class RowCache: @unchecked Sendable {
  private let lock = Mutex(())
  @exclusivity(unchecked) private var young: RowGeneration
  @exclusivity(unchecked) private var old: RowGeneration
  private var evictions = 0
  private let generationLimit: Int
  /// Counts the events that make earlier reads stale: saves, and writes by others.
  private let currentEpoch = Atomic<UInt64>(0)
  /// Rows that were read or saved before this epoch may be older than rows that were already
  /// evicted.
  private var firstGoodEpoch: UInt64 = 0

  init(entityCount: Int, byteLimit: Int) {
    generationLimit = byteLimit / 2
    young = RowGeneration(entityCount)
    old = RowGeneration(entityCount)
  }

  /// Read this before a read begins, and before a save commits, while no other writer can write.
  var epoch: UInt64 { currentEpoch.load(ordering: .acquiring) }

  /// The row, `RowSnapshot.deleted` if it is known to be gone, nil if it is not cached.
  func row(_ entity: Int, _ primaryKey: Int64) -> RowSnapshot? {
    lock.withLock { _ in
      if let row = young.row(entity, primaryKey) { return RowSnapshot(row) }
      guard let row = old.row(entity, primaryKey) else { return nil }
      // The page belongs to the older generation; this row leaves it.
      let copy = RowSnapshot(copying: row)
      old.remove(entity, primaryKey)
      young.set(entity, primaryKey, copy.pointer)
      evictOldGeneration()
      return copy
    }
  }

  /// The row, with a reference of its page for the caller; nil if it is not among the younger ones,
  /// or known to be gone.
  ///
  /// - Parameter isUnknown: becomes true if there is no information on the row.
  @inline(__always)
  func retainedRow(
    _ entity: Int, _ primaryKey: Int64, _ isUnknown: inout Bool
  ) -> RowPointer? {
    lock.withLock { _ in
      guard let row = young.row(entity, primaryKey) else {
        isUnknown = old.isEmpty || old.row(entity, primaryKey) == nil
        return nil
      }
      guard let page = row.unretainedPage else { return nil }
      _ = page.retain()
      return row
    }
  }

  /// Stores rows, but never a row that is older than the stored one, or may be older than an
  /// evicted one.
  func insert(_ page: RowPage, _ entity: Int, readIn epoch: UInt64) {
    lock.withLock { _ in
      guard epoch >= firstGoodEpoch else { return }
      put(page, entity)
    }
  }

  /// Stores rows that were just written.
  func insert(_ page: RowPage, _ entity: Int, savedIn epoch: UInt64) {
    lock.withLock { _ in
      guard beginSave(epoch) else { return page.forEach { drop($0.primaryKey, entity) } }
      put(page, entity)
    }
  }

  /// Stores a row that a save has found in the file.
  func insert(_ row: RowSnapshot, _ entity: Int, savedIn epoch: UInt64) {
    lock.withLock { _ in
      guard beginSave(epoch) else { return drop(row.primaryKey, entity) }
      put(row.pointer, entity, row.primaryKey)
      evictOldGeneration()
    }
  }

  /// Remembers that rows were deleted, so that a reader that still saw one does not bring it back.
  func insertDeleted(_ primaryKeys: [Int64], _ entity: Int, savedIn epoch: UInt64) {
    lock.withLock { _ in
      guard beginSave(epoch) else { return primaryKeys.forEach { drop($0, entity) } }
      for key in primaryKeys {
        put(RowSnapshot.deleted.pointer, entity, key)
        evictOldGeneration()
      }
    }
  }

  /// Returns false if another writer may have changed the rows of a save since `epoch`; the caller
  /// then evicts them and older ones.
  private func beginSave(_ epoch: UInt64) -> Bool {
    let now = nextEpoch()
    guard epoch >= firstGoodEpoch else {
      firstGoodEpoch = now
      return false
    }
    young.lastSave = now
    return true
  }

  private func nextEpoch() -> UInt64 {
    currentEpoch.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// Removes rows that will not be read again, unless newer ones have replaced them.
  func remove(_ rows: [RowSnapshot], _ entity: Int) {
    lock.withLock { _ in
      for row in rows {
        if young.row(entity, row.primaryKey) == row.pointer { young.remove(entity, row.primaryKey) }
        if old.row(entity, row.primaryKey) == row.pointer { old.remove(entity, row.primaryKey) }
      }
    }
  }

  /// Evicts rows, deleted ones too, that a write has changed without the cache; also rows that are
  /// being read.
  func evict(_ primaryKeys: [Int64], _ entity: Int) {
    lock.withLock { _ in
      firstGoodEpoch = nextEpoch()
      for key in primaryKeys { drop(key, entity) }
    }
  }

  /// Removes all rows: another connection has written to the file.
  func removeAll() {
    lock.withLock { _ in
      firstGoodEpoch = nextEpoch()
      young.removeAll()
      old.removeAll()
    }
  }

  /// Adds the cache's counts to the store's statistics.
  func fill(_ statistics: inout Statistics) {
    lock.withLock { _ in
      statistics.cachedRows = UInt64(young.rowCount + old.rowCount)
      statistics.cachedBytes = UInt64(young.byteCount + old.byteCount)
      statistics.cacheEvictions = UInt64(evictions)
    }
  }

  private func drop(_ primaryKey: Int64, _ entity: Int) {
    young.remove(entity, primaryKey)
    old.remove(entity, primaryKey)
  }

  private func put(_ page: RowPage, _ entity: Int) {
    if old.isEmpty {
      young.insert(page, entity)
    } else {
      page.forEach { put($0, entity, $0.primaryKey) }
    }
    evictOldGeneration()
  }

  private func put(_ row: RowPointer, _ entity: Int, _ primaryKey: Int64) {
    if let known = young.row(entity, primaryKey) {
      guard known.version <= row.version else { return }
    } else if !old.isEmpty, let known = old.row(entity, primaryKey) {
      guard known.version <= row.version else { return }
      old.remove(entity, primaryKey)
    }
    young.set(entity, primaryKey, row)
  }

  private func evictOldGeneration() {
    guard young.byteCount > generationLimit else { return }
    evictions += old.rowCount
    // A read that started before those rows were saved must not bring older ones back.
    firstGoodEpoch = max(firstGoodEpoch, old.lastSave)
    old.removeAll()
    swap(&old, &young)
  }
}
