// SPDX-License-Identifier: Apache-2.0

/// Rows by entity and primary key, and their pages.
struct RowGeneration: ~Copyable {
  // No buffer pointer: Swift 6.3.1 makes an invalid module of a change through one that is a
  // constant, under the thread sanitizer.
  private let tables: UnsafeMutablePointer<KeyTable<RowPointer>>
  let entityCount: Int
  /// The size of the pages, counted in full while one of their rows is here, and of the entries.
  private(set) var byteCount = 0
  private(set) var rowCount = 0
  /// The epoch of the last save that put rows here.
  var lastSave: UInt64 = 0

  // A slot of a table that is half full.
  private static let entryBytes = 2 * MemoryLayout<KeyTable<RowPointer>.Slot>.stride

  init(_ entityCount: Int) {
    self.entityCount = entityCount
    tables = .allocate(capacity: entityCount)
    for entity in 0..<entityCount { (tables + entity).initialize(to: KeyTable()) }
  }

  deinit {
    releasePages()
    tables.deinitialize(count: entityCount)
    tables.deallocate()
  }

  /// Removes all rows; the tables keep their capacity, because about as many rows will follow.
  mutating func removeAll() {
    releasePages()
    for entity in 0..<entityCount { tables[entity].removeAll() }
    (byteCount, rowCount, lastSave) = (0, 0, 0)
  }

  private func releasePages() {
    for entity in 0..<entityCount {
      tables[entity].forEach {
        if let page = $1.unretainedPage, page.count(-1) == 0 { page.release() }
      }
    }
  }

  var isEmpty: Bool { rowCount == 0 }

  func row(_ entity: Int, _ primaryKey: Int64) -> RowPointer? {
    tables[entity].value(primaryKey)
  }

  mutating func set(_ entity: Int, _ primaryKey: Int64, _ row: RowPointer) {
    enter(row.unretainedPage, rows: 1)
    if let known = tables[entity].set(primaryKey, row) {
      leave(known.unretainedPage, rows: 1)
    } else {
      recordEntries(1)
    }
  }

  /// Adds the rows of a page, except rows that are older than the stored ones.
  mutating func insert(_ page: RowPage, _ entity: Int) {
    let entered = Unmanaged.passUnretained(page)
    enter(entered, rows: page.rowCount)
    var added = 0
    // Rows that were read together before leave together: counted once a page, not once a row.
    var left: (page: Unmanaged<RowPage>?, rows: Int) = (nil, 0)
    page.forEach { row in
      var leaving: Unmanaged<RowPage>?
      switch tables[entity].set(row.primaryKey, row, over: { $0.version <= row.version }) {
      case .added:
        added += 1
        return
      case .replaced(let known): leaving = known.unretainedPage
      case .kept: leaving = entered
      }
      if leaving?.toOpaque() != left.page?.toOpaque() {
        leave(left.page, rows: left.rows)
        left = (leaving, 0)
      }
      left.rows += 1
    }
    leave(left.page, rows: left.rows)
    recordEntries(added)
  }

  mutating func remove(_ entity: Int, _ primaryKey: Int64) {
    guard let row = tables[entity].remove(primaryKey) else { return }
    leave(row.unretainedPage, rows: 1)
    recordEntries(-1)
  }

  private mutating func recordEntries(_ difference: Int) {
    rowCount += difference
    byteCount += difference * Self.entryBytes
  }

  // A page is retained while the generation holds one of its rows, not for each of them.

  private mutating func enter(_ page: Unmanaged<RowPage>?, rows: Int) {
    guard let page, page.count(rows) == rows else { return }
    _ = page.retain()
    byteCount += page.byteCount
  }

  private mutating func leave(_ page: Unmanaged<RowPage>?, rows: Int) {
    guard let page, page.count(-rows) == 0 else { return }
    byteCount -= page.byteCount
    page.release()
  }
}

extension Unmanaged<RowPage> {
  fileprivate var byteCount: Int { _withUnsafeGuaranteedRef { $0.byteCount } }

  /// Counts rows that the cache holds, and returns how many there are.
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
