// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Strings that were made lately, so that a name that repeats is not allocated each time.
///
/// A slot holds the last string that fell into it: the cache never grows.
package final class StringCache {
  package init() {}

  // 1,024 is arbitrary: a program has fewer entities, callers and statements than that.
  private static let slotCount = 1024
  // A longer text costs more to make than its allocation does.
  private static let longest = 1024
  // Unchecked, like other types that are used for every event: only one thread reads, and checks
  // take a twentieth of the time.
  @exclusivity(unchecked) private var slots = [String](repeating: "", count: slotCount)

  /// The string of UTF-8 bytes; what is not UTF-8 is replaced by U+FFFD.
  package func string(_ bytes: UnsafeRawBufferPointer) -> String {
    // Swift keeps up to 15 bytes in the value itself.
    guard bytes.count > 15, bytes.count <= Self.longest, let base = bytes.baseAddress else {
      return bytes.isEmpty ? "" : String(decoding: bytes, as: UTF8.self)
    }
    let slot = Self.slot(base, bytes.count)
    let isSame = slots[slot].utf8.withContiguousStorageIfAvailable { known in
      known.count == bytes.count
        && known.baseAddress.map { memcmp($0, base, bytes.count) == 0 } == true
    }
    if isSame == true { return slots[slot] }
    let string = String(decoding: bytes, as: UTF8.self)
    slots[slot] = string
    return string
  }

  /// Mixes the length with the first, the middle and the last eight bytes: a wrong slot only
  /// costs an allocation.
  private static func slot(_ base: UnsafeRawPointer, _ count: Int) -> Int {
    var hash = UInt64(truncatingIfNeeded: count)
    for offset in [0, (count - 8) / 2, count - 8] {
      hash ^= base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = hash &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
    }
    return Int(truncatingIfNeeded: hash >> 32) & (slotCount - 1)
  }
}
