// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Tables of pairs, found by their columns.
///
/// Core Data names such a table for either end, and its columns with numbers where two tables would
/// have the same: `Z_15USERS (Z_15SYSTEMMESSAGES, Z_23USERS1)`. A column holds the objects that the
/// relationship of its name leads to.
extension StorePlan {
  /// A table of the file that may hold the pairs of a relationship.
  private struct Candidate {
    let near: RelationshipDescription
    let table: String
    /// The column with the keys of the destinations of `near`.
    let toNear: PairColumn
    /// The column with the keys of the objects that have `near`.
    let toFar: PairColumn
    let score: Int
    /// Whether both columns have the names of today.
    let isCurrent: Bool
    /// Whether one of the columns has no name of its end.
    let isHalf: Bool
  }

  mutating func planPairs() throws {
    let owned = model.entities.flatMap(\.ownRelationships).filter(\.ownsJoinTable)
    findExchangedRelationships()
    var candidates: [Candidate] = []
    for near in owned {
      for (name, table) in file.tables {
        guard let (a, b) = table.pairColumns else { continue }
        let both = [candidate(near, name, a, b), candidate(near, name, b, a)]
        if let best = both.compactMap(\.self).max(by: { $0.score < $1.score }) {
          candidates.append(best)
        }
      }
    }
    candidates.sort { ($1.score, $0.table, $0.near.name) < ($0.score, $1.table, $1.near.name) }
    var found: [ObjectIdentifier: Candidate] = [:]
    var merged: [ObjectIdentifier: [Candidate]] = [:]
    var used: Set<String> = []
    for candidate in candidates where !used.contains(candidate.table) {
      let key = ObjectIdentifier(candidate.near)
      if let first = found[key] {
        guard candidate.isCurrent, first.isCurrent else { continue }
        merged[key, default: []].append(candidate)
      } else {
        recordRival(of: candidate, among: candidates, used)
        found[key] = candidate
      }
      used.insert(candidate.table)
    }
    for near in owned {
      let key = ObjectIdentifier(near)
      if let candidate = found[key] {
        pairTables[key] = Set(([candidate] + (merged[key] ?? [])).map(\.table))
        try adopt(candidate)
        for other in merged[key] ?? [] { merge(other, into: candidate) }
        try addPairCounts(candidate, merged[key] ?? [])
      } else {
        planNewPairs(near)
      }
    }
    for (name, table) in file.tables.sorted(by: { $0.key < $1.key }) where !used.contains(name) {
      guard let (a, b) = table.pairColumns, file.entity(numbered: a.number) != nil,
        file.entity(numbered: b.number) != nil
      else { continue }
      leftovers.pairTables.append(name)
    }
  }

  /// Finds many-to-manys with tables that have each other's names.
  private mutating func findExchangedRelationships() {
    for root in model.roots {
      let relationships = root.kinds.flatMap(\.ownRelationships).filter {
        $0.renamingIdentifier != nil && $0.isToMany && $0.inverse?.isToMany == true
      }
      guard !relationships.isEmpty else { continue }
      let wanted = relationships.map {
        NameMatch.Wanted(pairs: $0).pending(in: root.entityID, record?.renamings)
      }
      let columns = file.tables.values.compactMap(\.pairColumns)
      let names = Set(columns.flatMap { [$0.relationship, $1.relationship] })
      let match = NameMatch(wanted, in: names)
      for (relationship, item) in zip(relationships, wanted)
      where item.isPending && names.contains(item.name) && match[item] == item.former {
        exchanged.insert(ObjectIdentifier(relationship))
      }
    }
  }

  private func candidate(
    _ near: RelationshipDescription, _ table: String, _ toNear: PairColumn, _ toFar: PairColumn
  ) -> Candidate? {
    guard let far = near.inverse, (toNear.name == toFar.name) == (near === far),
      number(of: near.destination, fits: toNear.number),
      number(of: near.entity, fits: toFar.number)
    else { return nil }
    let names = zip([near, far], [toNear, toFar]).map {
      $0.score($1.relationship, isExchanged: exchanged.contains(ObjectIdentifier($0)))
    }
    guard names.contains(where: { $0 > 0 }) else { return nil }
    let numbers = [
      near.destination.entityID == toNear.number, near.entity.entityID == toFar.number,
    ]
    return Candidate(
      near: near, table: table, toNear: toNear, toFar: toFar,
      score: names.reduce(0, +) * 4 + numbers.filter(\.self).count,
      isCurrent: names.allSatisfy { $0 >= RelationshipDescription.currentScore },
      isHalf: names.contains(0))
  }

  /// If two tables are possible, neither is chosen.
  private mutating func recordRival(
    of candidate: Candidate, among candidates: [Candidate], _ used: Set<String>
  ) {
    guard candidate.isHalf else { return }
    let rival = candidates.first {
      $0.score == candidate.score && !used.contains($0.table)
        && ($0.near === candidate.near) != ($0.table == candidate.table)
    }
    guard let rival else { return }
    note(
      "the pairs of \(candidate.near.entity.name).\(candidate.near.name) may be in \(candidate.table)"
        + " or in \(rival.table)")
  }

  // MARK: - A table that is there

  private mutating func adopt(_ candidate: Candidate) throws {
    try planReturnedPairs(
      candidate.near, candidate.table,
      toNear: candidate.near.inverse === candidate.near ? "REFLEXIVE" : candidate.toNear.name,
      toFar: candidate.toFar.name)
    guard let table = file.tables[candidate.table], let far = candidate.near.inverse,
      case .joinTable(let newTable, let newSource, let newDestination, _) = candidate.near.storage
    else { return }
    var (name, source, destination) = (
      candidate.table, candidate.toFar.name,
      candidate.near === far ? "REFLEXIVE" : candidate.toNear.name
    )
    if !candidate.isCurrent {
      if tables[newTable] == nil {
        add(
          "no table \(newTable)", "ALTER TABLE \(quoted(name)) RENAME TO \(newTable)",
          "renamed \(name) to \(newTable)")
        tables[newTable] = tables.removeValue(forKey: name)
        name = newTable
      }
      for (old, new) in [(source, newSource), (destination, newDestination)] where old != new {
        rename(old, to: new, in: name, table)
      }
      (source, destination) = (newSource, newDestination)
    }
    currentNames[candidate.table] = name
    candidate.near.storage = .joinTable(
      name, source: source, destination: destination,
      order: order(
        of: candidate.near, far === candidate.near ? source : destination, candidate.toNear.name,
        name, table))
    guard far !== candidate.near else { return }
    far.storage = .joinTable(
      name, source: destination, destination: source,
      order: order(of: far, source, candidate.toFar.name, name, table))
  }

  private mutating func rename(
    _ old: String, to new: String, in name: String, _ table: FileStructure.Table
  ) {
    add(
      "no column \(name).\(new)",
      "ALTER TABLE \(name) RENAME COLUMN \(quoted(old)) TO \(quoted(new))",
      "renamed \(name).\(old) to \(new)")
  }

  /// The column with the order of an ordered end, added where the file lacks it.
  private mutating func order(
    of relationship: RelationshipDescription, _ column: String, _ former: String, _ name: String,
    _ table: FileStructure.Table
  ) -> String? {
    guard relationship.isOrdered else { return nil }
    let wanted = "Z_FOK_" + column.dropFirst(2)
    if table.has(wanted) { return wanted }
    let old = "Z_FOK_" + former.dropFirst(2)
    if table.has(old) {
      rename(old, to: wanted, in: name, table)
    } else {
      add(
        "no column \(name).\(wanted)", "ALTER TABLE \(name) ADD COLUMN \(wanted) INTEGER",
        "added \(name).\(wanted)")
    }
    return wanted
  }

  /// Pairs of relationships of two subentities that are one of their parent now.
  private mutating func merge(_ other: Candidate, into candidate: Candidate) {
    guard
      case .joinTable(let name, let source, let destination, let order) = candidate.near.storage,
      case .joinTable(_, _, _, let inverseOrder)? = candidate.near.inverse?.storage
    else { return }
    let old = quoted(other.table)
    var columns = [(source, other.toFar.name), (destination, other.toNear.name)]
    for (wanted, column) in [(order, other.toNear.name), (inverseOrder, other.toFar.name)] {
      let former = "Z_FOK_" + column.dropFirst(2)
      if let wanted, file.tables[other.table]?.has(former) == true,
        !columns.contains(where: { $0.0 == wanted })
      {
        columns.append((wanted, former))
      }
    }
    let (into, from) = (columns.map(\.0), columns.map(\.1))
    add("the pairs of \(other.table) are in \(name) in the model") { migration in
      try migration.connection.execute(
        "INSERT INTO \(name)(\(into.joined(separator: ", "))) "
          + "SELECT \(from.joined(separator: ", ")) FROM \(old)")
      try migration.execute("DROP TABLE \(old)", "moved the pairs of \(other.table) to \(name)")
    }
    tables[other.table] = nil
  }

  private mutating func addPairCounts(_ candidate: Candidate, _ merged: [Candidate]) throws {
    guard case .joinTable(let name, _, _, _) = candidate.near.storage else { return }
    let tables = ([candidate] + merged).map(\.table)
    preservedCounts.append {
      let before = tables.map { "(SELECT count(*) FROM \(SchemaComparison.quoted($0)))" }
      return PreservedCount(
        label: "pairs of \(name)", before: "SELECT " + before.joined(separator: " + "),
        after: "SELECT count(*) FROM \(SchemaComparison.quoted(name))")
    }
  }

  // MARK: - A table that is not

  private mutating func planNewPairs(_ near: RelationshipDescription) {
    guard let far = near.inverse,
      case .joinTable(let wanted, let source, let destination, let order) = near.storage,
      case .joinTable(_, _, _, let inverseOrder) = far.storage
    else { return }
    var name = wanted
    var number = 0
    while tables[name] != nil {
      number += 1
      name = wanted + String(number)
    }
    near.storage = .joinTable(name, source: source, destination: destination, order: order)
    if far !== near {
      far.storage = .joinTable(name, source: destination, destination: source, order: inverseOrder)
    }
    let table = StoreSchema.JoinTable(near)
    add("no table \(name)") { migration in
      guard let table else { return }
      try migration.execute(table.sql, "added table \(name)")
      try migration.connection.execute(table.indexSQL)
    }
    tables[name] = FileStructure.Table(name: name)
  }
}

extension RelationshipDescription {
  fileprivate static let currentScore = 7

  /// How well the upper-cased name in a column fits; 0 where it does not.
  ///
  /// - Parameter isExchanged: whether another relationship has its name in the file.
  fileprivate func score(_ column: String, isExchanged: Bool) -> Int {
    for (name, score) in zip(namesInFile, isExchanged ? [0, 6] : [8, 6]) where score > 0 {
      if column == name { return score }
      if column.hasPrefix(name), column.dropFirst(name.count).allSatisfy({ "0"..."9" ~= $0 }) {
        return score - 1
      }
    }
    return 0
  }
}
