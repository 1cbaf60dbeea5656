// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rows that a store has read or written lately, shared by its contexts.
///
/// Two generations: a row that is used moves to the younger one, and when that has grown to half
/// of the limit the older one is let go. So the limit holds without a list of uses.
///
/// `lock` guards both generations; it is held for a look-up or for 512 rows of a fetch.
final class RowCache: @unchecked Sendable {
  private let lock = NSLock()
  @exclusivity(unchecked) private var young: Generation
  @exclusivity(unchecked) private var old: Generation
  private let generationLimit: Int

  init(entityCount: Int, byteLimit: Int) {
    generationLimit = byteLimit / 2
    young = Generation(entityCount)
    old = Generation(entityCount)
  }

  /// The row, `RowSnapshot.deleted` if it is known to be gone, nil if it is not cached.
  func row(_ entity: Int, _ primaryKey: Int64) -> RowSnapshot? {
    lock.lock()
    defer { lock.unlock() }
    if let row = young.row(entity, primaryKey) { return row }
    guard let row = old.row(entity, primaryKey) else { return nil }
    insert(row, entity, primaryKey)
    return row
  }

  /// Keeps rows, but never one that is older than what is there.
  func insert(_ rows: [RowSnapshot], _ entity: Int) {
    var start = 0
    while start < rows.count {
      let end = min(start + 512, rows.count)
      lock.lock()
      for index in start..<end { insert(rows[index], entity, rows[index].primaryKey) }
      lock.unlock()
      start = end
    }
  }

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

  private func insert(_ row: RowSnapshot, _ entity: Int, _ primaryKey: Int64) {
    if let known = young.row(entity, primaryKey) ?? old.row(entity, primaryKey),
      known.version > row.version
    {
      return
    }
    young.set(entity, primaryKey, row)
    if young.byteCount > generationLimit {
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
    byteCount -= row.byteCount
    tables[entity].rows.remove(row.primaryKey)?.release()
  }
}
