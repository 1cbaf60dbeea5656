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
    for key in 1...1000 { cache.insert([row(Int64(key))], 0) }
    let kept = (1...1000).filter { cache.row(0, Int64($0)) != nil }
    #expect(kept.count <= 101 && kept.count >= 49 && kept.last == 1000)
  }

  @Test func keepsARowThatIsUsed() {
    let size = row(1).page.byteCount + 48
    let cache = RowCache(entityCount: 1, byteLimit: size * 100)
    for key in 1...1000 {
      cache.insert([row(Int64(key))], 0)
      #expect(cache.row(0, 1)?.integer(0) == 1)
    }
  }

  @Test func keepsTheNewerVersion() {
    let cache = RowCache(entityCount: 2, byteLimit: 1 << 20)
    cache.insert([row(1, version: 2)], 0)
    cache.insert([row(1, version: 1)], 0)
    #expect(cache.row(0, 1)?.version == 2 && cache.row(1, 1) == nil)
    cache.insertDeleted([1], 0)
    cache.insert([row(1, version: 3)], 0)
    #expect(cache.row(0, 1)?.pointer == RowSnapshot.deleted.pointer)
  }

  @Test func findsWhatADictionaryFinds() {
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
