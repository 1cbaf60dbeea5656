// SPDX-License-Identifier: Apache-2.0

/// Finds the changes between two snapshots.
struct FetchedResultsDifference {
  let old: FetchedResultsSnapshot
  let new: FetchedResultsSnapshot
  /// Keys of objects that may have other values; these move rather than others.
  let touched: Set<Int64>
  /// Objects that were saved for the first time: the current key, by the key in the old snapshot.
  let saved: [Int64: Int64]

  /// An object of both snapshots, by its indices.
  private struct Common {
    let key: Int64
    let old: Int
    let new: Int
    let staysInSection: Bool
  }

  func changes() -> FetchedResultsChanges {
    var changes = FetchedResultsChanges()
    let newSections = sectionChanges(&changes)
    let newIndices = Dictionary(
      new.enumerated().map { ($1.primaryKey, $0) }, uniquingKeysWith: { a, _ in a })
    var common: [Common] = []
    for (section, oldSection) in old.sections.enumerated() {
      for index in oldSection.range {
        guard let newIndex = newIndices[oldKey(index)] else {
          changes.objects.append(.delete(old[index], from: old.position(of: index)))
          continue
        }
        let range = newSections[section].map { new.sections[$0].range }
        common.append(
          Common(
            key: oldKey(index), old: index, new: newIndex,
            staysInSection: range?.contains(newIndex) == true))
      }
    }
    report(common, in: &changes)
    let known = Set(common.map(\.new))
    for (index, id) in new.enumerated() where !known.contains(index) {
      changes.objects.append(.insert(id, at: new.position(of: index)))
    }
    return changes
  }

  private func oldKey(_ index: Int) -> Int64 {
    let key = old[index].primaryKey
    return saved[key] ?? key
  }

  private func report(_ common: [Common], in changes: inout FetchedResultsChanges) {
    let moved = movedKeys(common.filter(\.staysInSection))
    for object in common {
      let isMoved = !object.staysInSection || moved.contains(object.key)
      guard isMoved || touched.contains(object.key) else { continue }
      let (id, from) = (new[object.new], old.position(of: object.old))
      let to = new.position(of: object.new)
      changes.objects.append(
        isMoved ? .move(id, from: from, to: to) : .update(id, from: from, to: to))
    }
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

  /// - Returns: the new index of each old section; nil if the section was deleted, also if it is
  ///   inserted again elsewhere.
  private func sectionChanges(_ changes: inout FetchedResultsChanges) -> [Int?] {
    let oldNames = names(old)
    let newNames = names(new)
    let newIndices = Dictionary(uniqueKeysWithValues: newNames.enumerated().map { ($1, $0) })
    let common = oldNames.enumerated().compactMap { index, name in
      newIndices[name].map { (old: index, new: $0) }
    }
    var staying = [Int?](repeating: nil, count: oldNames.count)
    for index in Self.longestIncreasing(common.map(\.new)) {
      staying[common[index].old] = common[index].new
    }
    for (index, name) in oldNames.enumerated() where staying[index] == nil {
      changes.sections.append(.delete(name: name.name, from: index))
    }
    let stayingNew = Set(staying.compactMap(\.self))
    for (index, name) in newNames.enumerated() where !stayingNew.contains(index) {
      changes.sections.append(.insert(name: name.name, at: index))
    }
    return staying
  }

  // MARK: - Moves

  /// Objects of unchanged sections that passed others: changed ones if that is sufficient.
  private func movedKeys(_ common: [Common]) -> Set<Int64> {
    let anchors = common.filter { !touched.contains($0.key) }.map(\.new)
    guard zip(anchors, anchors.dropFirst()).allSatisfy(<) else { return leaving(common) }
    // An object that passed no untouched one may still have passed others.
    var moved: Set<Int64> = []
    var groups: [Int: [Common]] = [:]
    var anchorCount = 0
    for object in common {
      guard touched.contains(object.key) else {
        anchorCount += 1
        continue
      }
      if anchors.indices.partitioningIndex(where: { anchors[$0] > object.new }) == anchorCount {
        groups[anchorCount, default: []].append(object)
      } else {
        moved.insert(object.key)
      }
    }
    for group in groups.values { moved.formUnion(leaving(group)) }
    return moved
  }

  /// Returns a minimal set of objects to move; the others have the same order as before.
  private func leaving(_ common: [Common]) -> Set<Int64> {
    let staying = Set(Self.longestIncreasing(common.map(\.new)))
    return Set(common.indices.filter { !staying.contains($0) }.map { common[$0].key })
  }

  /// The indices of a longest subsequence that increases.
  static func longestIncreasing(_ values: [Int]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for index in values.indices {
      let position = tails.indices.partitioningIndex { values[tails[$0]] >= values[index] }
      previous[index] = position > 0 ? tails[position - 1] : nil
      if position == tails.count { tails.append(index) } else { tails[position] = index }
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
