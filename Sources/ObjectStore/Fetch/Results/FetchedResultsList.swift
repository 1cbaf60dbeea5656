// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetched results controller in order, with the values that they are sorted by.
///
/// A changed object is placed by these values, never by the current values of objects and rows:
/// another context may have saved other values, and the list is in the order of the old ones.
struct FetchedResultsList {
  private(set) var entries: [Entry] = []
  private let order: ObjectOrder

  struct Entry {
    let id: ManagedObjectID
    let section: String
    /// One for each sort descriptor.
    let values: [StoreValue]
  }

  init(_ order: ObjectOrder) { self.order = order }

  /// Adds an object at the end.
  mutating func append(_ entry: Entry) { entries.append(entry) }

  var snapshot: FetchedResultsSnapshot {
    var snapshot = FetchedResultsSnapshot()
    for entry in entries { snapshot.append(entry.id, section: entry.section) }
    return snapshot
  }

  /// Removes objects by their keys, and inserts others at their positions.
  ///
  /// Among equal objects an object keeps its position; a new one comes last.
  func replacing(
    _ removed: Set<Int64>, with objects: [AnyManagedObject],
    section: (AnyManagedObject) -> String
  ) -> FetchedResultsList {
    var positions: [Int64: Int] = [:]
    var kept: [(key: ObjectOrder.Key, entry: Entry)] = []
    kept.reserveCapacity(entries.count)
    for (position, entry) in entries.enumerated() {
      if removed.contains(entry.id.primaryKey) {
        positions[entry.id.primaryKey] = position
      } else {
        kept.append((ObjectOrder.Key(values: entry.values, position: position), entry))
      }
    }
    let arriving = objects.enumerated().map { index, object in
      let key = order.key(
        of: object, position: positions[object.primaryKey] ?? entries.count + index)
      return (
        key: key,
        entry: Entry(id: object.objectID, section: section(object), values: key.values)
      )
    }.sorted { order.isBefore($0.key, $1.key) }
    var result = FetchedResultsList(order)
    result.entries.reserveCapacity(kept.count + arriving.count)
    var next = 0
    for (key, entry) in arriving {
      let index = (next..<kept.count).partitioningIndex { order.isBefore(key, kept[$0].key) }
      result.entries += kept[next..<index].map(\.entry)
      result.entries.append(entry)
      next = index
    }
    result.entries += kept[next...].map(\.entry)
    return result
  }

  /// The part that a limit and an offset select; a limit of 0 is no limit.
  func window(limit: Int, offset: Int) -> FetchedResultsList {
    guard limit > 0 || offset > 0 else { return self }
    var result = self
    let rest = entries.dropFirst(offset)
    result.entries = Array(limit > 0 ? rest.prefix(limit) : rest)
    return result
  }
}
