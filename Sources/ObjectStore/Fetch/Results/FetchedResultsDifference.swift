// SPDX-License-Identifier: Apache-2.0

/// Finds the changes between two snapshots, of which all objects but the touched ones are in the
/// same order.
struct FetchedResultsDifference {
  let old: FetchedResultsSnapshot
  let new: FetchedResultsSnapshot
  /// Keys of objects that may have moved or have other values.
  let touched: Set<Int64>
  /// What was saved for the first time: its key now, by its key in the old snapshot.
  let saved: [Int64: Int64]
  private let oldPlaces: [Int64: Int]
  private let newPlaces: [Int64: Int]

  init(
    from old: FetchedResultsSnapshot, to new: FetchedResultsSnapshot, touched: Set<Int64>,
    saved: [Int64: Int64]
  ) {
    self.old = old
    self.new = new
    self.touched = touched
    self.saved = saved
    oldPlaces = Dictionary(
      old.enumerated().map { (saved[$1.primaryKey] ?? $1.primaryKey, $0) },
      uniquingKeysWith: { a, _ in a })
    newPlaces = Dictionary(
      new.enumerated().map { ($1.primaryKey, $0) }, uniquingKeysWith: { a, _ in a })
  }

  func changes() -> FetchedResultsChanges {
    var changes = FetchedResultsChanges()
    let (goneSections, newSections) = sectionChanges(&changes)
    var common: [(key: Int64, old: Int, new: Int)] = []
    for (place, id) in old.enumerated() {
      let key = saved[id.primaryKey] ?? id.primaryKey
      guard let newPlace = newPlaces[key] else {
        changes.objects.append(.delete(id, from: old.position(of: place)))
        continue
      }
      if touched.contains(key) { common.append((key, place, newPlace)) }
    }
    let moved = movedKeys(common)
    for (key, oldPlace, newPlace) in common {
      let from = old.position(of: oldPlace)
      let to = new.position(of: newPlace)
      let staysInSection =
        old.sections[from.section].name == new.sections[to.section].name
        && !goneSections.contains(from.section) && !newSections.contains(to.section)
      changes.objects.append(
        staysInSection && !moved.contains(key)
          ? .update(new[newPlace], from: from, to: to) : .move(new[newPlace], from: from, to: to))
    }
    for (place, id) in new.enumerated() where oldPlaces[id.primaryKey] == nil {
      changes.objects.append(.insert(id, at: new.position(of: place)))
    }
    return changes
  }

  // MARK: - Sections

  /// A name that comes again, because the order does not follow the sections, is another section.
  private func names(_ snapshot: FetchedResultsSnapshot) -> [SectionName] {
    var counts: [String: Int] = [:]
    return snapshot.sections.map { section in
      counts[section.name, default: 0] += 1
      return SectionName(name: section.name, occurrence: counts[section.name] ?? 1)
    }
  }

  private struct SectionName: Hashable {
    let name: String
    let occurrence: Int
  }

  private func sectionChanges(
    _ changes: inout FetchedResultsChanges
  ) -> (gone: Set<Int>, new: Set<Int>) {
    let oldNames = names(old)
    let newNames = names(new)
    let newPlaces = Dictionary(uniqueKeysWithValues: newNames.enumerated().map { ($1, $0) })
    let common = oldNames.enumerated().compactMap { place, name in
      newPlaces[name].map { (old: place, new: $0) }
    }
    let staying = Self.longestIncreasing(common.map(\.new)).map { common[$0] }
    let stayingOld = Set(staying.map(\.old))
    let stayingNew = Set(staying.map(\.new))
    for (place, name) in oldNames.enumerated() where !stayingOld.contains(place) {
      changes.sections.append(.delete(name: name.name, from: place))
    }
    for (place, name) in newNames.enumerated() where !stayingNew.contains(place) {
      changes.sections.append(.insert(name: name.name, at: place))
    }
    return (
      Set(oldNames.indices).subtracting(stayingOld), Set(newNames.indices).subtracting(stayingNew)
    )
  }

  // MARK: - Moves

  /// Those of the touched objects that passed an untouched one, or one another.
  private func movedKeys(_ common: [(key: Int64, old: Int, new: Int)]) -> Set<Int64> {
    let oldGaps = gaps(old) { oldKey($0) }
    let newGaps = gaps(new) { $0 }
    var moved: Set<Int64> = []
    var groups: [Int: [(key: Int64, new: Int)]] = [:]
    for (key, oldPlace, newPlace) in common {
      if oldGaps[oldPlace] == newGaps[newPlace] {
        groups[oldGaps[oldPlace], default: []].append((key, newPlace))
      } else {
        moved.insert(key)
      }
    }
    for group in groups.values {
      let staying = Set(Self.longestIncreasing(group.map(\.new)))
      for (index, member) in group.enumerated() where !staying.contains(index) {
        moved.insert(member.key)
      }
    }
    return moved
  }

  private func oldKey(_ key: Int64) -> Int64 { saved[key] ?? key }

  /// For each place, how many untouched objects that are in both snapshots come before it.
  private func gaps(_ snapshot: FetchedResultsSnapshot, key: (Int64) -> Int64) -> [Int] {
    var count = 0
    return snapshot.map { id in
      let key = key(id.primaryKey)
      defer {
        if !touched.contains(key), oldPlaces[key] != nil, newPlaces[key] != nil { count += 1 }
      }
      return count
    }
  }

  /// The indices of a longest subsequence that increases.
  static func longestIncreasing(_ values: [Int]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for index in values.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < values[index] { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var next = tails.last
    while let index = next {
      result.append(index)
      next = previous[index]
    }
    return result.reversed()
  }
}
