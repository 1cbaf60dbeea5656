// SPDX-License-Identifier: Apache-2.0

/// Pointers by primary key: open addressing with linear probing, at most half full.
///
/// A dictionary with a keyed hash is several times slower, and each fetched row is looked up once
/// in a context's register and once in the row cache.
struct KeyTable<Value>: ~Copyable {
  struct Slot {
    var key: Int64
    var value: Value?
  }

  private var slots: UnsafeMutableBufferPointer<Slot>
  private(set) var count = 0
  /// Slots that contain a value, or did: a look-up has to continue after them.
  private var usedCount = 0

  // The key of a slot with a removed value. It is the one key that a table does not accept: SQLite
  // assigns no negative keys.
  private static var removed: Int64 { .min }

  private static var minSlots: Int { 16 }

  init() { slots = Self.makeSlots(Self.minSlots) }

  deinit { slots.deallocate() }

  private static func makeSlots(_ capacity: Int) -> UnsafeMutableBufferPointer<Slot> {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: capacity)
    slots.initialize(repeating: Slot(key: 0, value: nil))
    return slots
  }

  /// Runs of 8 keys stay adjacent, like rows of a scan; the runs are spread.
  private func home(_ key: Int64) -> Int {
    let key = UInt64(bitPattern: key)
    let run = (key &>> 3) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (run &>> 20) &<< 3 | key & 7) & (slots.count &- 1)
  }

  private func index(after index: Int) -> Int { (index &+ 1) & (slots.count &- 1) }

  func value(_ key: Int64) -> Value? {
    guard let index = index(of: key) else { return nil }
    return slots[index].value
  }

  private func index(of key: Int64) -> Int? {
    guard key != Self.removed else { return nil }
    var index = home(key)
    while slots[index].value != nil {
      if slots[index].key == key { return index }
      index = self.index(after: index)
    }
    return nil
  }

  /// The result of ``set(_:_:over:)``.
  enum Outcome {
    case added
    case replaced(Value)
    case kept
  }

  /// Sets a value, and returns the previous one.
  @discardableResult
  mutating func set(_ key: Int64, _ value: Value) -> Value? {
    guard case .replaced(let old) = set(key, value, over: { _ in true }) else { return nil }
    return old
  }

  /// Sets a value unless an existing one is to be kept, with a single look-up.
  ///
  /// - Parameter value: evaluated if it is set; must not access the table.
  @inline(__always)
  mutating func set(
    _ key: Int64, _ value: @autoclosure () -> Value, over isOlder: (Value) -> Bool
  ) -> Outcome {
    guard key != Self.removed else { return .kept }
    if usedCount &* 2 >= slots.count { makeRoom() }
    var index = home(key)
    while let old = slots[index].value {
      if slots[index].key == key {
        guard isOlder(old) else { return .kept }
        slots[index].value = value()
        return .replaced(old)
      }
      index = self.index(after: index)
    }
    slots[index] = Slot(key: key, value: value())
    count &+= 1
    usedCount &+= 1
    return .added
  }

  /// Removes a value; if the next slot is free, this slot and removed slots before it become free
  /// again.
  @discardableResult
  mutating func remove(_ key: Int64) -> Value? {
    guard var index = index(of: key), let value = slots[index].value else { return nil }
    slots[index].key = Self.removed
    count &-= 1
    guard slots[self.index(after: index)].value == nil else { return value }
    while slots[index].key == Self.removed, slots[index].value != nil {
      slots[index].value = nil
      usedCount &-= 1
      index = (index &- 1) & (slots.count &- 1)
    }
    return value
  }

  /// Removes all values; the capacity is unchanged, unless the table was nearly empty.
  mutating func removeAll() {
    guard usedCount > 0 else { return }
    if usedCount &* 8 < slots.count, slots.count > Self.minSlots {
      slots.deallocate()
      slots = Self.makeSlots(Self.minSlots)
    } else {
      slots.update(repeating: Slot(key: 0, value: nil))
    }
    (count, usedCount) = (0, 0)
  }

  func forEach(_ body: (Int64, Value) throws -> Void) rethrows {
    for slot in slots where slot.key != Self.removed {
      if let value = slot.value { try body(slot.key, value) }
    }
  }

  /// Doubles the capacity, or only removes deleted slots if they are most of the table.
  private mutating func makeRoom() {
    let old = slots
    slots = Self.makeSlots(count &* 4 >= old.count ? old.count * 2 : old.count)
    count = 0
    usedCount = 0
    for slot in old where slot.key != Self.removed {
      if let value = slot.value { set(slot.key, value) }
    }
    old.deallocate()
  }
}
