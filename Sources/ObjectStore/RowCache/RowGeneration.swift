// SPDX-License-Identifier: Apache-2.0

/// Rows by entity and primary key, and the pages that they lie in; a class, so that letting a
/// generation go is one release.
final class RowGeneration {
  private let tables: [Table]
  /// Of the pages, whole as long as one of their rows is here, and of the entries.
  @exclusivity(unchecked) private(set) var byteCount = 0
  @exclusivity(unchecked) private(set) var rowCount = 0

  private final class Table {
    @exclusivity(unchecked) var rows = KeyTable<RowPointer>()
  }

  // A slot of a table that is half full.
  private static let entryBytes = 2 * MemoryLayout<KeyTable<RowPointer>.Slot>.stride

  init(_ entityCount: Int) { tables = (0..<entityCount).map { _ in Table() } }

  deinit {
    for table in tables { table.rows.forEach { _ = leave($1) } }
  }

  var entityCount: Int { tables.count }
  var isEmpty: Bool { rowCount == 0 }

  func row(_ entity: Int, _ primaryKey: Int64) -> RowPointer? {
    tables[entity].rows.value(primaryKey)
  }

  func set(_ entity: Int, _ primaryKey: Int64, _ row: RowPointer) {
    enter(row)
    if let known = tables[entity].rows.set(primaryKey, row) {
      byteCount -= leave(known)
    } else {
      byteCount += Self.entryBytes
      rowCount += 1
    }
  }

  func remove(_ entity: Int, _ primaryKey: Int64) {
    guard let row = tables[entity].rows.remove(primaryKey) else { return }
    byteCount -= leave(row) + Self.entryBytes
    rowCount -= 1
  }

  // MARK: - Pages

  // A page is retained while the generation holds one of its rows, not for each of them.

  private func enter(_ row: RowPointer) {
    guard let page = row.unretainedPage, page.count(1) == 1 else { return }
    _ = page.retain()
    byteCount += page.byteCount
  }

  /// Gives how many bytes that frees.
  private func leave(_ row: RowPointer) -> Int {
    guard let page = row.unretainedPage, page.count(-1) == 0 else { return 0 }
    defer { page.release() }
    return page.byteCount
  }
}

extension Unmanaged<RowPage> {
  fileprivate var byteCount: Int { _withUnsafeGuaranteedRef { $0.byteCount } }

  /// Counts rows that the cache holds, and gives how many there are.
  fileprivate func count(_ difference: Int) -> Int {
    _withUnsafeGuaranteedRef {
      // Through the pointer: the property would check for exclusive access, for every row.
      $0.withUnsafeMutablePointerToHeader {
        $0.pointee.cachedRows &+= difference
        return $0.pointee.cachedRows
      }
    }
  }
}
