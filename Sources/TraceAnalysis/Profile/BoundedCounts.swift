// SPDX-License-Identifier: Apache-2.0

/// Counts by key in bounded memory: of too many keys, those counted least are evicted.
///
/// A count may be too low, never too high.
struct BoundedCounts<Key: Hashable> {
  // 1024 is arbitrary: more things at once than a program's threads work on.
  static var capacity: Int { 1024 }
  private var counts: [Key: UInt64] = [:]
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
    if let last { counts[last.key] = last.count }
    if counts.count >= Self.capacity, counts[key] == nil { evictSmallest() }
    let count = counts[key, default: 0] + 1
    counts[key] = count
    last = (key, count)
    return count
  }

  /// Half of them at once, so that a new key costs little on average.
  private mutating func evictSmallest() {
    let median = counts.values.sorted()[counts.count / 2]
    let largest = counts.filter { $0.value > median }
    counts = largest.count == counts.count ? [:] : largest
  }
}
