// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  /// Fetches what relationships of objects lead to: one statement a relationship, all within this
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
    // What parents have not saved is for their children to see: the faults read from them.
    guard !tree.isEmpty, !objects.isEmpty, !context.inheritsChanges else { return }
    let rows = Dictionary(rows.map { ($0.primaryKey, $0) }, uniquingKeysWith: { a, _ in a })
    for branch in tree.branches {
      var operation = FetchOperation(prefetching: branch, for: self)
      let (members, memberRows) = try operation.measure {
        branch.relationship.isToMany
          ? try $0.fetchMembers(branch.relationship, of: objects)
          : try $0.fetchDestinations(branch.relationship, of: objects, rows)
      }
      store.instruments.annotate(
        "Prefetching with key '\(branch.keyPath)'.  Got \(members.count) rows.",
        contextID: context.contextID)
      try prefetch(branch.tree, of: members, rows: memberRows)
    }
  }

  private init(prefetching branch: PrefetchTree.Branch, for parent: FetchOperation) {
    self.init(
      context: parent.context, entity: branch.relationship.destination, kind: .prefetch,
      predicate: nil, terms: [], limit: 0, offset: 0, includesPendingChanges: true,
      location: parent.location)
    parentID = parent.fetchID
    fillsObjects = parent.fillsObjects
  }

  private var origin: FetchOrigin? {
    isMeasured ? FetchOrigin(fetchID: parentID, location: location) : nil
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
    let origin = origin
    var destinations: [Int64: AnyManagedObject] = [:]
    for row in fetched { destinations[row.primaryKey] = object(of: row, origin) }
    for (object, key) in zip(objects, keys) {
      guard let destination = key.flatMap({ destinations[$0] }) else { continue }
      object.makeLinks().toOnes[slot - object.entity.attributes.count] = destination
    }
    finish(fetched.compactMap { destinations[$0.primaryKey] }, since: start)
    return (fetched.compactMap { destinations[$0.primaryKey] }, fetched)
  }

  // MARK: - To-many

  private mutating func fetchMembers(
    _ relationship: RelationshipDescription, of objects: [AnyManagedObject]
  ) throws -> ([AnyManagedObject], [RowSnapshot]) {
    let owners = objects.filter { $0.needsMembers(relationship.slot) }
    select = SelectStatement(
      sql: store.statements[relationship.entity.index].toManyPrefetches[relationship.slot],
      bindings: [.string(JSONArray(keys: owners.map(\.primaryKey)).text)])
    var places: [(owner: Int64, place: Int64)] = []
    let ownerColumn: Int32 = relationship.isOrdered ? 2 : 1
    let fetched = try store.rows(
      of: entity, select, interests: interests, contextID: context.contextID, cost: &cost
    ) { row in
      places.append(
        (row.int64(row.columnCount - ownerColumn), row.int64(row.columnCount - 1)))
    }
    let start = isMeasured ? TraceClock.now : 0
    let origin = origin
    let members = fetched.map { object(of: $0, origin) }
    var indices: [Int64: [Int]] = [:]
    for index in members.indices { indices[places[index].owner, default: []].append(index) }
    for owner in owners {
      let link = owner.unloadedLink(relationship.slot)
      let indices = indices[owner.primaryKey] ?? []
      if relationship.isOrdered {
        for index in indices {
          link.orderKeys[ObjectIdentifier(members[index])] = places[index].place
        }
      }
      link.members = link.arranged(
        context.applyChanges(to: indices.map { members[$0] }, relationship, of: owner, link))
    }
    finish(members, since: start)
    return (members, fetched)
  }

  /// Filled where the fetch fills its own.
  private func object(of row: RowSnapshot, _ origin: FetchOrigin?) -> AnyManagedObject {
    let object = context.object(row.entity(in: entity), row.primaryKey, origin: origin)
    if fillsObjects, object.snapshot == nil { object.snapshot = row }
    return object
  }

  private mutating func finish(_ objects: [AnyManagedObject], since start: Nanoseconds) {
    if isMeasured { materializeTime = TraceClock.now - start }
    resultCount = objects.count
    if interests.contains(.rows) { returned = objects }
  }
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
