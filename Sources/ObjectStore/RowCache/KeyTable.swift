// SPDX-License-Identifier: Apache-2.0

/// Objects by primary key, not retained: open addressing with linear probing, at most half full.
///
/// A dictionary with a keyed hash costs several times as much, and there is one look-up per row
/// fetched in a context's register and one in the row cache.
struct KeyTable<Value: AnyObject>: ~Copyable {
  private struct Slot {
    var key: Int64
    var value: Unmanaged<Value>?
  }

  private var slots: UnsafeMutableBufferPointer<Slot>
  private(set) var count = 0

  init() { slots = Self.makeSlots(16) }

  deinit { slots.deallocate() }

  private static func makeSlots(_ capacity: Int) -> UnsafeMutableBufferPointer<Slot> {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: capacity)
    slots.initialize(repeating: Slot(key: 0, value: nil))
    return slots
  }

  /// Runs of 8 keys stay together, as rows of a scan do; the runs are spread.
  ///
  /// Longer runs make longer clusters, which `remove` walks to their end.
  private func home(_ key: Int64) -> Int {
    let key = UInt64(bitPattern: key)
    let run = (key &>> 3) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (run &>> 20) &<< 3 | key & 7) & (slots.count &- 1)
  }

  func value(_ key: Int64) -> Unmanaged<Value>? {
    var index = home(key)
    while let value = slots[index].value {
      if slots[index].key == key { return value }
      index = (index &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Puts a value in, and gives the one that was there.
  @discardableResult
  mutating func set(_ key: Int64, _ value: Unmanaged<Value>) -> Unmanaged<Value>? {
    if count &* 2 >= slots.count { grow() }
    var index = home(key)
    while let old = slots[index].value {
      if slots[index].key == key {
        slots[index].value = value
        return old
      }
      index = (index &+ 1) & (slots.count &- 1)
    }
    slots[index] = Slot(key: key, value: value)
    count &+= 1
    return nil
  }

  /// Takes a value out; the entries behind it that were pushed past their home move up.
  @discardableResult
  mutating func remove(_ key: Int64) -> Unmanaged<Value>? {
    let mask = slots.count &- 1
    var hole = home(key)
    while let value = slots[hole].value {
      guard slots[hole].key != key else {
        var next = (hole &+ 1) & mask
        while slots[next].value != nil {
          let distance = (next &- home(slots[next].key)) & mask
          if distance >= (next &- hole) & mask {
            slots[hole] = slots[next]
            hole = next
          }
          next = (next &+ 1) & mask
        }
        slots[hole].value = nil
        count &-= 1
        return value
      }
      hole = (hole &+ 1) & mask
    }
    return nil
  }

  func forEach(_ body: (Int64, Unmanaged<Value>) throws -> Void) rethrows {
    for slot in slots {
      if let value = slot.value { try body(slot.key, value) }
    }
  }

  private mutating func grow() {
    let old = slots
    slots = Self.makeSlots(old.count * 2)
    count = 0
    for slot in old {
      if let value = slot.value { set(slot.key, value) }
    }
    old.deallocate()
  }
}
