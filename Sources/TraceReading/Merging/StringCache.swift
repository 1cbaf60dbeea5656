// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Strings that were made lately, so that a name that repeats is neither checked nor allocated each
/// time.
///
/// A slot holds the last string that fell into it: the cache never grows.
package final class StringCache {
  // 1,024 is arbitrary: a program has fewer entities, callers and statements than that.
  private static let slotCount = 1024
  private static let shortSlotCount = 256
  // A longer text costs more to make than its allocation does.
  private static let longest = 1024

  // No arrays: each event looks up three strings, and one thread reads.
  private let slots: UnsafeMutablePointer<String>
  private let shortSlots: UnsafeMutablePointer<(text: ShortText, string: String)>

  package init() {
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: "", count: Self.slotCount)
    shortSlots = .allocate(capacity: Self.shortSlotCount)
    let empty = ShortText(UnsafeRawBufferPointer(start: nil, count: 0))
    shortSlots.initialize(repeating: (empty, ""), count: Self.shortSlotCount)
  }

  deinit {
    slots.deinitialize(count: Self.slotCount)
    slots.deallocate()
    shortSlots.deinitialize(count: Self.shortSlotCount)
    shortSlots.deallocate()
  }

  /// The string of UTF-8 bytes; invalid bytes are replaced by U+FFFD.
  package func string(_ bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.count > ShortText.longest else { return short(bytes) }
    guard bytes.count <= Self.longest, let base = bytes.baseAddress else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let slot = slots + Self.slot(base, bytes.count)
    let isSame = slot.pointee.utf8.withContiguousStorageIfAvailable { known in
      known.count == bytes.count
        && known.baseAddress.map { memcmp($0, base, bytes.count) == 0 } == true
    }
    if isSame == true { return slot.pointee }
    let string = String(decoding: bytes, as: UTF8.self)
    slot.pointee = string
    return string
  }

  /// Swift keeps up to 15 bytes in the value itself, but checks them for UTF-8.
  private func short(_ bytes: UnsafeRawBufferPointer) -> String {
    if bytes.isEmpty { return "" }
    let text = ShortText(bytes)
    let slot = shortSlots + text.slot(of: Self.shortSlotCount)
    if slot.pointee.text == text { return slot.pointee.string }
    let string = String(decoding: bytes, as: UTF8.self)
    slot.pointee = (text, string)
    return string
  }

  /// Mixes the length with the first, the middle and the last eight bytes: a wrong slot only
  /// costs an allocation.
  @inline(__always)
  private static func slot(_ base: UnsafeRawPointer, _ count: Int) -> Int {
    var hash = UInt64(truncatingIfNeeded: count)
    mix(base, &hash)
    mix(base + (count - 8) / 2, &hash)
    mix(base + count - 8, &hash)
    return Int(truncatingIfNeeded: hash >> 32) & (slotCount - 1)
  }

  @inline(__always)
  private static func mix(_ address: UnsafeRawPointer, _ hash: inout UInt64) {
    hash ^= address.loadUnaligned(as: UInt64.self)
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    hash ^= hash >> 29
  }
}
