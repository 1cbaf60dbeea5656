// SPDX-License-Identifier: Apache-2.0

/// Counts by key in bounded memory: of too many keys, the lowest counts are evicted.
///
/// A count may be too low, never too high.
struct BoundedCounts<Key: TallyKey> {
  // 1024 is arbitrary: more things at once than a program's threads work on.
  static var capacity: Int { 1024 }
  private var counts = SmallTable<Key, UInt64>()
  /// The key counted last, which is not hashed again while it comes again and again.
  private var last: (key: Key, count: UInt64)?

  /// Counts one more.
  ///
  /// - Returns: how many that makes for the key.
  mutating func count(_ key: Key) -> UInt64 {
    if let last, last.key == key {
      self.last = (key, last.count + 1)
      return last.count + 1
    }
    if let last { counts.set(last.count, for: last.key) }
    if counts.count >= Self.capacity, counts[key] == nil { evictSmallest() }
    let count = (counts[key] ?? 0) + 1
    counts.set(count, for: key)
    last = (key, count)
    return count
  }

  /// Half of them at once, so that a new key costs little on average.
  private mutating func evictSmallest() {
    let median = counts.values.sorted()[counts.count / 2]
    let before = counts.count
    counts.keep { $0 > median }
    if counts.count == before { counts = SmallTable() }
  }
}
