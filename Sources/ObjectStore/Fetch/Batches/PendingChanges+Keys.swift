// SPDX-License-Identifier: Apache-2.0

extension PendingChanges {
  /// Applies the changes to the keys from the database.
  ///
  /// The objects that were not changed are in order already: the index of a changed one among them
  /// is found by looking at some of them, a batch at a time.
  func apply(to saved: BatchLoader, limit: Int, offset: Int) throws -> BatchLoader {
    let unchanged = Unchanged(saved, touched: Set(changed.map(\.primaryKey)))
    let moved = try arranged(among: unchanged)
    var keys = KeyList()
    var unsaved = unchanged.loader.unsaved
    var next = 0
    let end =
      limit == 0 ? Int.max : offset.addingReportingOverflow(limit).overflow ? .max : offset + limit
    var count = 0
    func append(_ key: Int64) {
      if count >= offset, count < end { keys.append(key) }
      count += 1
    }
    for index in 0...unchanged.loader.keys.count {
      while next < moved.count, moved[next].index == index {
        let object = moved[next].object
        if object.isUnsaved { unsaved[object.primaryKey] = object }
        append(object.primaryKey)
        next += 1
      }
      if index < unchanged.loader.keys.count { append(unchanged.loader.keys[index]) }
    }
    return BatchLoader(
      saved.request, context: saved.context, keys: keys, unsaved: unsaved, fetchID: saved.fetchID)
  }

  /// The changed objects that belong to the result, in order, each with the number of unchanged
  /// ones before it.
  private func arranged(
    among unchanged: Unchanged
  ) throws -> [(index: Int, object: AnyManagedObject)] {
    var seen: Set<ObjectIdentifier> = []
    var wanted: [(key: ObjectOrder.Key, object: AnyManagedObject)] = []
    for (index, object) in changed.enumerated()
    where seen.insert(ObjectIdentifier(object)).inserted {
      guard try isWanted(object) else { continue }
      let position = unchanged.positions[object.primaryKey] ?? unchanged.savedCount + index
      wanted.append((order.key(of: object, position: position), object))
    }
    wanted.sort { order.isBefore($0.key, $1.key) }
    return try wanted.map { (try index(of: $0.key, among: unchanged), $0.object) }
  }

  private func index(of key: ObjectOrder.Key, among unchanged: Unchanged) throws -> Int {
    try (0..<unchanged.loader.keys.count).partitioningIndex {
      order.isBefore(key, try sortKey(at: $0, of: unchanged))
    }
  }

  private func sortKey(at index: Int, of unchanged: Unchanged) throws -> ObjectOrder.Key {
    let position = unchanged.savedPosition(of: index)
    guard !order.isEmpty else { return order.key(of: nil, position: position) }
    guard let object = try unchanged.loader.object(at: index) else {
      return order.key(of: nil, position: position)
    }
    return order.key(of: object, position: position)
  }
}

extension AnyManagedObject {
  /// Whether the database has no row of the object, be it that a parent has inserted it; its key may
  /// be permanent already.
  final var isUnsaved: Bool {
    isInserted || primaryKey < 0 || snapshot?.version == 0
  }
}

/// The keys from the database, without objects that the context has changed.
private struct Unchanged {
  let loader: BatchLoader
  /// By key: the positions of the changed objects.
  private(set) var positions: [Int64: Int] = [:]
  let savedCount: Int
  private var gaps: [Int] = []

  init(_ saved: BatchLoader, touched: Set<Int64>) {
    var keys = KeyList()
    savedCount = saved.keys.count
    for position in 0..<savedCount {
      let key = saved.keys[position]
      if touched.contains(key) {
        positions[key] = position
        gaps.append(position)
      } else {
        keys.append(key)
      }
    }
    loader = BatchLoader(
      saved.request, context: saved.context, keys: keys,
      unsaved: saved.unsaved.filter { !touched.contains($0.key) }, fetchID: saved.fetchID)
    loader.keep(objectsOf: saved)
  }

  /// The position of the key at `index` in the database.
  func savedPosition(of index: Int) -> Int {
    // The number of gaps before it: gap `n` lies before if at most `index + n` keys do.
    index + (0..<gaps.count).partitioningIndex { gaps[$0] - $0 > index }
  }
}
