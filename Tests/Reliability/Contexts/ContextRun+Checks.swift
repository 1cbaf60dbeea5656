// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import SQLiteDriver

extension ContextRun {
  // MARK: - Objects

  func checkAll(_ participant: Participant) throws {
    for node in ids.keys.sorted() { try check(node, participant) }
    try checkLists(participant)
  }

  func check(_ number: Int, _ participant: Participant) throws {
    guard let object = try object(number, participant) else { return }
    guard let row = participant.view.rows[number] else {
      _ = object.rank
      return try expect(object.isRemoved, "\(number) is there, and was to be gone: \(object)")
    }
    try expect(!object.isRemoved, "\(number) counts as deleted: \(object)")
    // The file of a value that another context has replaced is gone.
    for (name, value) in row.values where name != "blob" || !participant.isOutdated {
      let shown = try object.value(forKey: name)
      try expect(shown == value, "\(number).\(name) is \(shown) and was to be \(value)")
    }
    try expect(!object.isFault, "\(number) was read and is a fault")
    try expect(
      participant.context.registeredObject(for: object.objectID) === object,
      "there is another object of \(number)")
    for reference in NodeReference.allCases { try check(reference, of: object, row, number) }
    for members in NodeMembers.allCases { try check(members, of: object, number, participant) }
  }

  private func check(
    _ reference: NodeReference, of object: ManagedObject<Node>, _ row: NodeImage.Row, _ number: Int
  ) throws {
    let shown: Int? =
      switch try object.value(forKey: reference.rawValue) {
      case .object(let id): numbers[id] ?? -1
      default: nil
      }
    try expect(
      shown == row.references[reference],
      "\(number).\(reference) is \(text(shown)) and was to be \(text(row.references[reference]))")
    let destination =
      switch reference {
      case .whole: object.whole
      case .list: object.list
      case .guardian: object.guardian
      case .origin: object.origin
      case .left: object.left
      case .right: object.right
      }
    try expect(
      destination.flatMap { numbers[$0.objectID] } == shown,
      "\(number).\(reference) leads to \(String(describing: destination)), not to \(text(shown))")
  }

  private func check(
    _ members: NodeMembers, of object: ManagedObject<Node>, _ number: Int,
    _ participant: Participant
  ) throws {
    let list = Array(members.of(object))
    let shown = list.map { numbers[$0.objectID] ?? -1 }
    try expect(Set(shown).count == shown.count, "\(number).\(members) has some twice: \(shown)")
    guard !participant.isOutdated else { return }
    let expected = participant.view.members(members, of: number)
    try expect(
      Set(shown) == expected,
      "\(number).\(members) are \(shown.sorted()) and were to be \(expected.sorted())")
  }

  private func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "nil" }

  // MARK: - A context's own account of its changes

  func checkLists(_ participant: Participant) throws {
    let (context, changes) = (participant.context, participant.changes)
    var known: Set<ManagedObjectID> = []
    for object in context.registeredObjects {
      try expect(known.insert(object.objectID).inserted, "there are two objects of \(object)")
    }
    func numbers(_ objects: [AnyManagedObject]) -> Set<Int> {
      Set(objects.map { self.numbers[$0.objectID] ?? -1 })
    }
    let inserted = numbers(context.insertedObjects)
    try expect(
      inserted == Set(changes.inserted.keys),
      "inserted are \(inserted.sorted()), and were to be \(changes.inserted.keys.sorted())")
    let deleted = numbers(context.deletedObjects)
    // A deleted object may still be marked.
    try expect(
      deleted.intersection(participant.base.rows.keys) == changes.deleted,
      "deleted are \(deleted.sorted()), and were to be \(changes.deleted.sorted())")
    let updated = numbers(context.updatedObjects)
    try expect(
      updated.isSuperset(of: changes.updated.keys),
      "updated are \(updated.sorted()), and not all of \(changes.updated.keys.sorted())")
    try expect(
      context.hasChanges || changes.isEmpty, "the context has no changes, and should have some")
  }

  // MARK: - Fetches

  func check(_ query: NodeQuery, _ fetch: NodeFetch, _ participant: Participant) throws {
    var request = try query.request()
    request.fetchLimit = fetch.limit
    request.fetchOffset = fetch.offset
    request.returnsObjectsAsFaults = !fetch.isFilled
    request.includesPropertyValues = fetch.hasValues
    request.shouldRefreshRefetchedObjects = fetch.refreshes && !participant.isOutdated
    request.relationshipKeyPathsForPrefetching = fetch.prefetched
    if fetch.isPartial, fetch.hasValues { request.propertiesToFetch = ["name"] }
    let context = participant.context
    let objects = try context.fetch(request)
    for object in objects {
      try expect(
        context.registeredObject(for: object.objectID) === object, "fetched another \(object)")
    }
    guard !participant.isOutdated else { return }
    let all = query.nodes(in: participant.view)
    let expected = window(all, fetch)
    func compare(_ shown: [Int], _ what: String) throws {
      try expect(shown == expected, "\(what) of \(query): \(shown), and were to be \(expected)")
    }
    try compare(objects.map { numbers[$0.objectID] ?? -1 }, "objects")
    let count = try context.count(request)
    try expect(count == expected.count, "a count of \(query): \(count), not \(expected.count)")
    request.fetchBatchSize = 2
    try compare(
      try context.fetchInBatches(request).map { numbers[$0.objectID] ?? -1 },
      "batches")
    request.fetchBatchSize = 0
    request.propertiesToFetch = []
    if fetch.limit == 0, fetch.offset == 0 {
      let ids = try context.fetchObjectIDs(request).map { numbers[$0] ?? -1 }
      try expect(
        Set(ids) == Set(expected) && ids.count == expected.count, "ids of \(query): \(ids)")
    }
    for object in objects {
      guard let number = numbers[object.objectID] else { continue }
      try expect(
        object.rank == Int32(participant.view.rank(number)), "\(number).rank is \(object.rank)")
    }
    request.propertiesToFetch = ["number", "rank"]
    request.includesPropertyValues = true
    request.relationshipKeyPathsForPrefetching = []
    let rows = try context.fetchDictionaries(request).map { [$0.number, Int64($0.rank)] }
    let saved = window(query.nodes(in: store), fetch).map { [Int64($0), store.rank($0)] }
    try expect(rows == saved, "dictionaries of \(query): \(rows), and were to be \(saved)")
  }

  private func window(_ nodes: [Int], _ fetch: NodeFetch) -> [Int] {
    let rest = nodes.dropFirst(fetch.offset)
    return Array(fetch.limit > 0 ? rest.prefix(fetch.limit) : rest)
  }
}
