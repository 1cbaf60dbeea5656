// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// All nodes as a context, or the file, shows them: plain values, by number.
struct NodeImage: Equatable {
  var rows: [Int: Row] = [:]
  var pairs: [NodePairs: Set<Pair>] = [:]

  struct Row: Equatable {
    let isLeaf: Bool
    /// `Z_OPT`.
    var version: Int64 = 0
    var values: [String: StoreValue] = [:]
    var references: [NodeReference: Int] = [:]
  }

  struct Pair: Hashable {
    let first, second: Int
    var turned: Pair { Pair(first: second, second: first) }
  }

  // MARK: - Reading

  func members(_ members: NodeMembers, of owner: Int) -> Set<Int> {
    switch members.kind {
    case .inverse(of: let reference):
      Set(rows.filter { $0.value.references[reference] == owner }.keys)
    case .pairs(let table, let isTurned):
      Set(
        (pairs[table] ?? []).compactMap {
          isTurned
            ? $0.second == owner ? $0.first : nil
            : $0.first == owner ? $0.second : nil
        })
    }
  }

  // MARK: - Changing

  mutating func set(_ reference: NodeReference, of node: Int, to destination: Int?) {
    guard rows[node]?.references[reference] != destination else { return }
    if let inverse = reference.inverse {
      if let old = rows[node]?.references[reference] { rows[old]?.references[inverse] = nil }
      if let destination {
        if let other = rows[destination]?.references[inverse] {
          rows[other]?.references[reference] = nil
        }
        rows[destination]?.references[inverse] = node
      }
    }
    rows[node]?.references[reference] = destination
  }

  mutating func add(_ member: Int, to members: NodeMembers, of owner: Int) {
    switch members.kind {
    case .inverse(of: let reference): set(reference, of: member, to: owner)
    case .pairs(let table, let isTurned):
      let pair = Pair(first: owner, second: member)
      pairs[table, default: []].insert(isTurned ? pair.turned : pair)
      if table == .friends { pairs[table]?.insert(pair.turned) }
    }
  }

  mutating func remove(_ member: Int, from members: NodeMembers, of owner: Int) {
    switch members.kind {
    case .inverse(of: let reference):
      if rows[member]?.references[reference] == owner { set(reference, of: member, to: nil) }
    case .pairs(let table, let isTurned):
      let pair = Pair(first: owner, second: member)
      pairs[table]?.remove(isTurned ? pair.turned : pair)
      if table == .friends { pairs[table]?.remove(pair.turned) }
    }
  }

  /// Applies the delete rules to deleted nodes; no action and deny leave references where they are.
  mutating func delete(_ nodes: Set<Int>) {
    var gone = nodes
    while true {
      for node in gone { rows[node] = nil }
      let parts = rows.filter { $0.value.references[.whole].map(gone.contains) == true }
      guard !parts.isEmpty else { break }
      gone.formUnion(parts.keys)
    }
    for node in rows.keys {
      for reference in [NodeReference.list, .left, .right] {
        if let other = rows[node]?.references[reference], gone.contains(other) {
          rows[node]?.references[reference] = nil
        }
      }
    }
    for table in pairs.keys {
      pairs[table] = pairs[table]?.filter { !gone.contains($0.first) && !gone.contains($0.second) }
    }
  }
}

extension NodeImage {
  /// Leaves out references and pairs that the other image lacks and that lead to some nodes; no action
  /// leaves the references.
  mutating func dropReferences(since other: NodeImage, to nodes: Set<Int>) {
    guard !nodes.isEmpty else { return }
    for (node, row) in rows {
      for (reference, destination) in row.references
      where reference != .origin && nodes.contains(destination)
        && other.rows[node]?.references[reference] != destination
      {
        rows[node]?.references[reference] = nil
      }
    }
    for table in pairs.keys {
      let known = other.pairs[table] ?? []
      pairs[table] = pairs[table]?.filter {
        known.contains($0) || !nodes.contains($0.first) && !nodes.contains($0.second)
      }
    }
  }

  /// Leaves out references and pairs that the other image lacks and that lead to no node; no action
  /// leaves them, and so do deletions here.
  mutating func dropReferences(since other: NodeImage, except doomed: Set<Int>) {
    for (node, row) in rows {
      for (reference, destination) in row.references
      where reference != .origin && rows[destination] == nil && !doomed.contains(destination)
        && other.rows[node]?.references[reference] != destination
      {
        rows[node]?.references[reference] = nil
      }
    }
    for table in pairs.keys {
      let known = other.pairs[table] ?? []
      pairs[table] = pairs[table]?.filter {
        known.contains($0) || rows[$0.first] != nil && rows[$0.second] != nil
      }
    }
  }
}

/// The difference between two images.
struct NodeChanges {
  var inserted: [Int: NodeImage.Row] = [:]
  var deleted: Set<Int> = []
  var updated: [Int: Update] = [:]
  private var added: [NodePairs: Set<NodeImage.Pair>] = [:]
  private var removed: [NodePairs: Set<NodeImage.Pair>] = [:]

  struct Update {
    var values: [String: StoreValue] = [:]
    /// Nil for a reference that leads nowhere now.
    var references: [NodeReference: Int?] = [:]
    var isEmpty: Bool { values.isEmpty && references.isEmpty }
  }

  init(from old: NodeImage, to new: NodeImage) {
    inserted = new.rows.filter { old.rows[$0.key] == nil }
    deleted = Set(old.rows.keys).subtracting(new.rows.keys)
    for (node, row) in new.rows {
      guard let before = old.rows[node] else { continue }
      var update = Update()
      update.values = row.values.filter { before.values[$0.key] != $0.value }
      for reference in NodeReference.allCases {
        let (was, isNow) = (before.references[reference], row.references[reference])
        if was != isNow { update.references[reference] = .some(isNow) }
      }
      if !update.isEmpty { updated[node] = update }
    }
    for table in NodePairs.allCases {
      let (was, isNow) = (old.pairs[table] ?? [], new.pairs[table] ?? [])
      added[table] = isNow.subtracting(was)
      removed[table] = was.subtracting(isNow)
    }
  }

  var isEmpty: Bool {
    inserted.isEmpty && deleted.isEmpty && updated.isEmpty
      && added.values.allSatisfy(\.isEmpty) && removed.values.allSatisfy(\.isEmpty)
  }

  /// Nodes that others have deleted first are not deleted here, nor are the pairs among them.
  mutating func dropDeletions(of nodes: Set<Int>) {
    deleted.subtract(nodes)
    for table in NodePairs.allCases {
      removed[table] = removed[table]?.filter {
        !nodes.contains($0.first) || !nodes.contains($0.second)
      }
    }
  }

  /// Whether another context has added, or removed, the same pairs.
  func repeatsPairs(of image: NodeImage) -> Bool {
    NodePairs.allCases.contains { table in
      let pairs = image.pairs[table] ?? []
      return !pairs.isDisjoint(with: added[table] ?? [])
        || !pairs.isSuperset(of: removed[table] ?? [])
    }
  }

  /// - Parameter keepingInverses: whether a one-to-one leaves others as it is taken from them.
  /// - Returns: the image with the changes; updates of nodes that it lacks are left out.
  func applied(to image: NodeImage, keepingInverses: Bool = false) -> NodeImage {
    var result = image
    for (node, row) in inserted { result.rows[node] = row }
    for node in deleted { result.rows[node] = nil }
    for (node, update) in updated.sorted(by: { $0.key < $1.key }) {
      result.rows[node]?.values.merge(update.values) { $1 }
      for (reference, destination) in update.references {
        guard result.rows[node] != nil else { continue }
        if keepingInverses {
          result.set(reference, of: node, to: destination)
        } else {
          result.rows[node]?.references[reference] = destination
        }
      }
    }
    for table in NodePairs.allCases {
      result.pairs[table] = (result.pairs[table] ?? [])
        .union(added[table] ?? []).subtracting(removed[table] ?? [])
    }
    return result
  }
}
