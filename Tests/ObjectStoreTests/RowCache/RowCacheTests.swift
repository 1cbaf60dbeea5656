// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectStore

@Suite struct RowCacheTests {
  private func row(_ key: Int64, version: Int64 = 1) -> RowSnapshot {
    let layout = RowLayout(kinds: [.integer])
    var builder = RowBuilder(layout: layout)
    builder.begin()
    builder.set(0, UInt64(key))
    return builder.makeSnapshot(primaryKey: key, version: version)
  }

  @Test func holdsItsLimit() {
    let size = row(1).page.byteCount + 48
    let cache = RowCache(entityCount: 1, byteLimit: size * 100)
    for key in 1...1000 { cache.insert(row(Int64(key)), 0, savedIn: cache.epoch) }
    let kept = (1...1000).filter { cache.row(0, Int64($0)) != nil }
    #expect(kept.count <= 101 && kept.count >= 49 && kept.last == 1000)
  }

  @Test func keepsARowThatIsUsed() {
    let size = row(1).page.byteCount + 48
    let cache = RowCache(entityCount: 1, byteLimit: size * 100)
    for key in 1...1000 {
      cache.insert(row(Int64(key)), 0, savedIn: cache.epoch)
      #expect(cache.row(0, 1)?.integer(0) == 1)
    }
  }

  @Test func keepsTheNewerVersion() {
    let cache = RowCache(entityCount: 2, byteLimit: 1 << 20)
    cache.insert(row(1, version: 2), 0, savedIn: cache.epoch)
    cache.insert(row(1, version: 1), 0, savedIn: cache.epoch)
    #expect(cache.row(0, 1)?.version == 2 && cache.row(1, 1) == nil)
    cache.insertDeleted([1], 0, savedIn: cache.epoch)
    cache.insert(row(1, version: 3), 0, savedIn: cache.epoch)
    #expect(cache.row(0, 1)?.pointer == RowSnapshot.deleted.pointer)
  }

  /// A page that a reader made of an older version must not come after the eviction of a newer one.
  @Test func ignoresAReadThatStartedBeforeASaveOfAnEvictedRow() {
    let size = row(1).page.byteCount + 48
    let cache = RowCache(entityCount: 1, byteLimit: size * 4)
    let before = cache.epoch
    cache.insert(row(1, version: 2), 0, savedIn: cache.epoch)
    for key in 2...20 { cache.insert(row(Int64(key)), 0, savedIn: cache.epoch) }
    #expect(cache.row(0, 1) == nil)
    cache.insert(row(1, version: 1).page, 0, readIn: before)
    #expect(cache.row(0, 1) == nil)
    cache.insert(row(1, version: 2).page, 0, readIn: cache.epoch)
    #expect(cache.row(0, 1)?.version == 2)
  }

  /// Between a commit and the end of its save another connection may write, and be noticed.
  @Test func takesNoRowsOfASaveThatWasOverwritten() {
    let cache = RowCache(entityCount: 1, byteLimit: 1 << 20)
    let saved = cache.epoch
    cache.removeAll()
    let read = cache.epoch
    cache.insert(row(1, version: 3).page, 0, readIn: read)
    cache.insert(row(1, version: 2), 0, savedIn: saved)
    cache.insertDeleted([2], 0, savedIn: saved)
    #expect(cache.row(0, 1) == nil && cache.row(0, 2) == nil)
    // A read that was under way might be from before the commit.
    cache.insert(row(2).page, 0, readIn: read)
    #expect(cache.row(0, 2) == nil)
  }

  @Test func findsTheSameAsADictionary() {
    var table = KeyTable<RowPointer>()
    var expected: [Int64: RowSnapshot] = [:]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      // Few keys and long strides: runs collide, and removals have entries behind them.
      let key =
        Int64.random(in: -40...40, using: &random)
        * [1, 64, 4096][Int.random(in: 0..<3, using: &random)]
      if Bool.random(using: &random) {
        let row = row(abs(key))
        expected[key] = row
        table.set(key, row.pointer)
      } else {
        expected[key] = nil
        table.remove(key)
      }
      #expect(table.count == expected.count)
    }
    for key in Int64(-40 * 4096)...(40 * 4096) where expected[key] != nil || key % 64 == 0 {
      #expect(table.value(key) == expected[key]?.pointer)
    }
  }
}
