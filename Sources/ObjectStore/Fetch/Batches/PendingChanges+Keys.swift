// SPDX-License-Identifier: Apache-2.0

extension PendingChanges {
  /// Applies the changes to the keys from the database.
  ///
  /// The objects that were not changed are in order already: the place of a changed one among them
  /// is found by looking at some of them, a batch at a time.
  func apply(to saved: BatchLoader, limit: Int, offset: Int) throws -> BatchLoader {
    let unchanged = Unchanged(saved, touched: Set(changed.map(\.primaryKey)))
    let moved = try placed(among: unchanged)
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
    for place in 0...unchanged.loader.keys.count {
      while next < moved.count, moved[next].place == place {
        let object = moved[next].object
        if object.isUnsaved { unsaved[object.primaryKey] = object }
        append(object.primaryKey)
        next += 1
      }
      if place < unchanged.loader.keys.count { append(unchanged.loader.keys[place]) }
    }
    return BatchLoader(
      saved.request, context: saved.context, keys: keys, unsaved: unsaved, fetchID: saved.fetchID)
  }

  /// The changed objects that belong to the result, in order, each with the number of unchanged
  /// ones before it.
  private func placed(
    among unchanged: Unchanged
  ) throws -> [(place: Int, object: AnyManagedObject)] {
    var seen: Set<ObjectIdentifier> = []
    var wanted: [(key: ObjectOrder.Key, object: AnyManagedObject)] = []
    for (index, object) in changed.enumerated()
    where seen.insert(ObjectIdentifier(object)).inserted {
      guard try isWanted(object) else { continue }
      let place = unchanged.places[object.primaryKey] ?? unchanged.savedCount + index
      wanted.append((order.key(of: object, place: place), object))
    }
    wanted.sort { order.isBefore($0.key, $1.key) }
    return try wanted.map { (try place(of: $0.key, among: unchanged), $0.object) }
  }

  private func place(of key: ObjectOrder.Key, among unchanged: Unchanged) throws -> Int {
    try (0..<unchanged.loader.keys.count).partitioningIndex {
      order.isBefore(key, try sortKey(at: $0, of: unchanged))
    }
  }

  private func sortKey(at index: Int, of unchanged: Unchanged) throws -> ObjectOrder.Key {
    let place = unchanged.savedPlace(of: index)
    guard !order.isEmpty else { return order.key(of: nil, place: place) }
    guard let object = try unchanged.loader.object(at: index) else {
      return order.key(of: nil, place: place)
    }
    return order.key(of: object, place: place)
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
  private(set) var places: [Int64: Int] = [:]
  let savedCount: Int
  private var gaps: [Int] = []

  init(_ saved: BatchLoader, touched: Set<Int64>) {
    var keys = KeyList()
    savedCount = saved.keys.count
    for place in 0..<savedCount {
      let key = saved.keys[place]
      if touched.contains(key) {
        places[key] = place
        gaps.append(place)
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
  func savedPlace(of index: Int) -> Int {
    // The number of gaps before it: gap `n` lies before if at most `index + n` keys do.
    index + (0..<gaps.count).partitioningIndex { gaps[$0] - $0 > index }
  }
}
