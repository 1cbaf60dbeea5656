// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  /// Fetches the destinations of relationships: one statement a relationship, all within this
  /// fetch.
  ///
  ///     SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))
  ///     SELECT 0, t0.Z_PK, …, t0.ZSTOP FROM ZSTOPTIME t0 WHERE  t0.ZSTOP IN (SELECT value FROM json_each(?))  ORDER BY t0.ZSTOP
  ///
  /// Their faults then cost no SQL: the rows are in the row cache, and the relationships have their
  /// objects.
  func prefetch(
    _ tree: PrefetchTree, of objects: [AnyManagedObject], rows: [RowSnapshot]
  ) throws {
    // Children read unsaved changes of their parents: the faults read from them.
    guard !tree.isEmpty, !objects.isEmpty, !context.inheritsChanges else { return }
    let rows =
      tree.readsRows
      ? Dictionary(rows.map { ($0.primaryKey, $0) }, uniquingKeysWith: { a, _ in a }) : [:]
    for branch in tree.branches {
      var operation = FetchOperation(prefetching: branch, for: self)
      let (members, memberRows) = try operation.measure {
        branch.relationship.isToMany
          ? try $0.fetchMembers(branch, of: objects)
          : try $0.fetchDestinations(branch.relationship, of: objects, rows)
      }
      store.instruments.annotate(
        "Prefetching with key '\(branch.keyPath)'.  Got \(operation.resultCount) rows.",
        contextID: context.contextID)
      try prefetch(branch.tree, of: members, rows: memberRows)
    }
  }

  private init(prefetching branch: PrefetchTree.Branch, for parent: borrowing FetchOperation) {
    self.init(
      context: parent.context, entity: branch.relationship.destination, kind: .prefetch,
      predicate: nil, terms: [], limit: 0, offset: 0, includesPendingChanges: true,
      location: parent.location)
    parentID = parent.fetchID
    fillsObjects = parent.fillsObjects
  }

  // MARK: - To-one

  private mutating func fetchDestinations(
    _ relationship: RelationshipDescription, of objects: [AnyManagedObject],
    _ rows: [Int64: RowSnapshot]
  ) throws -> ([AnyManagedObject], [RowSnapshot]) {
    let slot = relationship.slot
    let keys = objects.map { $0.destinationKey(slot, rows[$0.primaryKey]) }
    var seen: Set<Int64> = []
    // An object that was never saved is in the context already.
    let wanted = keys.compactMap { $0 }.filter { $0 > 0 && seen.insert($0).inserted }
    select = SelectStatement(
      sql: store.statements[entity.index].rowsByKey,
      bindings: [.string(JSONArray(keys: wanted).text)])
    let fetched = try store.rows(
      of: entity, select, interests: interests, contextID: context.contextID, cost: &cost)
    let start = isMeasured ? TraceClock.now : 0
    var maker = RowObjects(context, entity, origin, isFilled: fillsObjects)
    var destinations: [Int64: AnyManagedObject] = [:]
    for row in fetched { destinations[row.primaryKey] = maker.object(of: row.pointer) }
    for (object, key) in zip(objects, keys) {
      guard let destination = key.flatMap({ destinations[$0] }) else { continue }
      object.keepDestination(destination, relationship)
    }
    maker.notify()
    let found = fetched.compactMap { destinations[$0.primaryKey] }
    if isMeasured { materializeTime = TraceClock.now - start }
    resultCount = found.count
    if interests.contains(.rows) { returned = found }
    return (found, fetched)
  }

  // MARK: - To-many

  private mutating func fetchMembers(
    _ branch: PrefetchTree.Branch, of objects: [AnyManagedObject]
  ) throws -> ([AnyManagedObject], [RowSnapshot]) {
    let relationship = branch.relationship
    let owners = objects.filter { $0.needsMembers(relationship.slot) }
    let statements = store.statements[relationship.entity.index]
    select = SelectStatement(
      sql: statements.toManyPrefetches[relationship.slot],
      bindings: [.string(JSONArray(keys: owners.map(\.primaryKey)).text)])
    let ends = RowEnds()
    let isOrdered = relationship.isOrdered
    let firstEnd = Int32(entity.columns.count + 3)
    var lists = MemberLists(owners, of: relationship)
    var maker = RowObjects(context, entity, origin, isFilled: fillsObjects)
    var members: [AnyManagedObject] = []
    var rows: [RowSnapshot] = []
    let (listsMembers, keepsRows) = (
      !branch.tree.isEmpty || interests.contains(.rows), branch.tree.readsRows
    )
    var count = 0
    try store.pages(
      of: entity, select, collected: statements.collectedPrefetches[relationship.slot],
      interests: interests, contextID: context.contextID, cost: &cost,
      extra: { row in
        let orderKey = isOrdered && !row.isNull(firstEnd + 1) ? row.int64(firstEnd + 1) : .min
        ends.all.append((row.int64(firstEnd), orderKey))
      }
    ) { page in
      var index = 0
      page.forEach { row in
        let member = maker.object(of: row)
        let (owner, orderKey) = ends.all[index]
        lists.append(member, of: owner, orderKey: orderKey)
        if listsMembers { members.append(member) }
        if keepsRows { rows.append(RowSnapshot(row)) }
        index += 1
      }
      count += index
      ends.all.removeAll(keepingCapacity: true)
    }
    let start = isMeasured ? TraceClock.now : 0
    let changes = MemberChanges(context, of: relationship)
    lists.forEach { owner, list in
      let link = owner.unloadedLink(relationship.slot)
      if isOrdered { link.recordOrderKeys(list.savedOrderKeys) }
      for member in list.members { member.releaseOwner(owner, relationship) }
      link.members = link.arranged(changes.apply(to: list.members, of: owner, link))
    }
    maker.notify()
    if isMeasured { materializeTime = TraceClock.now - start + cost.materialize }
    resultCount = count
    if interests.contains(.rows) { returned = members }
    return (members, rows)
  }
}

/// The owners and order keys of the rows of one page.
private final class RowEnds {
  // Unchecked: a captured variable would be checked for exclusive access at each row.
  @exclusivity(unchecked) var all: [(owner: Int64, orderKey: Int64)] = []
}

extension AnyManagedObject {
  /// The key that a to-one refers to, without firing a fault.
  fileprivate func destinationKey(_ slot: Int, _ row: RowSnapshot?) -> Int64? {
    if !changes.isEmpty, let value = changes[slot] {
      guard case .object(let id) = value else { return nil }
      return id.primaryKey
    }
    guard let row = snapshot ?? row, !row.isNull(slot) else { return nil }
    return row.integer(slot)
  }

  /// Whether the members of a to-many have not been read yet.
  fileprivate func needsMembers(_ slot: Int) -> Bool {
    state.isDisjoint(with: [.inserted, .inaccessible]) && links?.toManys[slot]?.members == nil
  }
}
