// SPDX-License-Identifier: Apache-2.0

/// A hash table of up to some thousand entries, with keys that cost nothing to hash.
///
///     slots    0 2 0 1 0 0 3 0      the number of an entry, at the slot of its key or behind it
///     entries  (k, v) (k, v) (k, v)
///
/// Keys that were chosen to share a slot are compared one by one, so the table is for few of them.
struct SmallTable<Key: TallyKey, Value> {
  private var entries: [(key: Key, value: Value)] = []
  // Two bytes: there is a table for each statement, and most of its memory is the entries.
  private var slots: [UInt16] = []

  private static var minSlots: Int { 16 }

  var count: Int { entries.count }
  /// All values, in the order of their keys' first appearance.
  var values: [Value] { entries.map(\.value) }

  subscript(key: Key) -> Value? {
    guard !entries.isEmpty else { return nil }
    let entry = Int(slots[slot(of: key)])
    return entry == 0 ? nil : entries[entry - 1].value
  }

  mutating func set(_ value: Value, for key: Key) {
    // At most half of the slots are in use.
    if 2 * (entries.count + 1) > slots.count {
      resize(to: max(Self.minSlots, 2 * slots.count))
    }
    let slot = slot(of: key)
    let entry = Int(slots[slot])
    guard entry == 0 else { return entries[entry - 1].value = value }
    precondition(entries.count < UInt16.max, "a small table holds no more than 65,535 entries")
    entries.append((key, value))
    slots[slot] = UInt16(entries.count)
  }

  /// Removes the entries with a value that does not satisfy a condition.
  mutating func keep(_ isKept: (Value) -> Bool) {
    let kept = entries.filter { isKept($0.value) }
    // Small again: many tables are full now and then, few at once.
    self = Self()
    for entry in kept { set(entry.value, for: entry.key) }
  }

  private mutating func resize(to slotCount: Int) {
    slots = [UInt16](repeating: 0, count: slotCount)
    for (index, entry) in entries.enumerated() {
      slots[slot(of: entry.key)] = UInt16(index + 1)
    }
  }

  /// The slot of the key, or the free one where it belongs.
  @inline(__always)
  private func slot(of key: Key) -> Int {
    var slot = Int(truncatingIfNeeded: (key.mixed &* 0x9e37_79b9_7f4a_7c15) >> 32)
    while true {
      slot &= slots.count - 1
      let entry = Int(slots[slot])
      guard entry != 0, entries[entry - 1].key != key else { return slot }
      slot += 1
    }
  }
}
