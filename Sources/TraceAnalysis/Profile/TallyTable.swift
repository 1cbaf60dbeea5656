// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Values that are counted by key, in bounded memory.
///
/// A recent key is found without hashing it, since an event mostly has the keys of the events
/// before it. Of too many keys the last ones share one value.
struct TallyTable<Key: TallyKey, Value> {
  private(set) var keys: [Key] = []
  private(set) var values: [Value] = []
  /// By key; empty while there are few.
  private var indexes: [Key: Int] = [:]
  /// By the mixed key: the index of the last key with this hash, or -1.
  private var recent: [Int32] = []
  /// The index of the key that was updated last.
  private var last = 0
  private let capacity: Int
  /// The value that all keys beyond the capacity share.
  private let restKey: Key
  /// Whether there were more keys than the table holds.
  private(set) var isFull = false

  // Both are arbitrary: this few keys are compared one by one, and this many fit in one page of
  // memory.
  private static var few: Int { 8 }
  private static var recentCount: Int { 256 }

  init(capacity: Int, rest: Key) {
    self.capacity = capacity
    restKey = rest
  }

  var count: Int { keys.count }

  subscript(key: Key) -> Value? {
    mutating get { index(of: key).map { values[$0] } }
  }

  /// Changes the value of a key, which is made if need be.
  ///
  /// - Returns: its index among ``keys``.
  @discardableResult
  mutating func update(_ key: Key, make: () -> Value, _ change: (inout Value) -> Void) -> Int {
    update(key, from: { _ in make() }, change)
  }

  /// - Parameter make: makes the value of the key, which is not copied into a closure then.
  @discardableResult
  mutating func update(
    _ key: Key, from make: (Key) -> Value, _ change: (inout Value) -> Void
  ) -> Int {
    last = index(of: key) ?? append(key, make)
    change(&values[last])
    return last
  }

  /// Changes the value of the key that was updated last, if it satisfies a condition: no key has to
  /// be made to find it.
  ///
  /// - Returns: its index among ``keys``, or nil if it does not.
  mutating func updateLast(where isSame: (Key) -> Bool, _ change: (inout Value) -> Void) -> Int? {
    guard last < keys.count, isSame(keys[last]) else { return nil }
    change(&values[last])
    return last
  }

  private mutating func index(of key: Key) -> Int? {
    if indexes.isEmpty { return keys.lastIndex(of: key) }
    let slot = Int(truncatingIfNeeded: (key.mixed &* 0x9e37_79b9_7f4a_7c15) >> 56)
    let index = Int(recent[slot])
    if index >= 0, keys[index] == key { return index }
    guard let index = indexes[key] else { return nil }
    recent[slot] = Int32(truncatingIfNeeded: index)
    return index
  }

  private mutating func append(_ key: Key, _ make: (Key) -> Value) -> Int {
    if keys.count >= capacity, key != restKey {
      isFull = true
      return index(of: restKey) ?? append(restKey, make)
    }
    keys.append(key)
    values.append(make(key))
    if !indexes.isEmpty {
      indexes[key] = keys.count - 1
    } else if keys.count > Self.few {
      for (index, key) in keys.enumerated() { indexes[key] = index }
      recent = [Int32](repeating: -1, count: Self.recentCount)
    }
    return keys.count - 1
  }
}

/// A key that can be distinguished from most others by a number that costs next to nothing.
protocol TallyKey: Hashable {
  var mixed: UInt64 { get }
}

extension StatementID: TallyKey {
  var mixed: UInt64 { rawValue }
}

extension SourceLocation: TallyKey {
  var mixed: UInt64 { line &+ UInt64(file.utf8.count) << 32 }
}

extension FaultProfile.Origin: TallyKey {
  var mixed: UInt64 {
    location.mixed ^ UInt64(relationship.utf8.count) << 16 ^ UInt64(entity.utf8.count) << 24
  }
}

extension ProfileBuilder.Key: TallyKey {
  var mixed: UInt64 { id ^ UInt64(process) << 48 }
}

/// Operations in progress.
///
/// A lookup compares the newest one first, before it hashes the key.
struct PendingTable<Key: Hashable, Value> {
  private var recent: [(key: Key, value: Value)] = []
  private var older: [Key: Value] = [:]

  // 8 is arbitrary: fetches nest two deep, and few threads run at once.
  private static var mostRecent: Int { 8 }

  var count: Int { recent.count + older.count }
  var keys: [Key] { recent.map(\.key) + older.keys }
  var values: [Value] { recent.map(\.value) + older.values }

  subscript(key: Key) -> Value? {
    if let index = recent.lastIndex(where: { $0.key == key }) { return recent[index].value }
    return older.isEmpty ? nil : older[key]
  }

  /// Whether a key has a value that satisfies a condition.
  func holds(_ key: Key, where condition: (Value) -> Bool) -> Bool {
    if let index = recent.lastIndex(where: { $0.key == key }) {
      return condition(recent[index].value)
    }
    return older.isEmpty ? false : older[key].map(condition) ?? false
  }

  /// Adds a value.
  ///
  /// - Returns: the one that its key had before.
  mutating func insert(_ value: Value, for key: Key) -> Value? {
    if let index = recent.lastIndex(where: { $0.key == key }) {
      defer { recent[index].value = value }
      return recent[index].value
    }
    let before = older.isEmpty ? nil : older.removeValue(forKey: key)
    if recent.count >= Self.mostRecent {
      let oldest = recent.removeFirst()
      older[oldest.key] = oldest.value
    }
    recent.append((key, value))
    return before
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    if let index = recent.lastIndex(where: { $0.key == key }) {
      // Mostly the one that began last, after which none moves.
      return index == recent.count - 1 ? recent.removeLast().value : recent.remove(at: index).value
    }
    return older.isEmpty ? nil : older.removeValue(forKey: key)
  }

  mutating func removeAll() {
    recent.removeAll()
    older.removeAll()
  }
}
