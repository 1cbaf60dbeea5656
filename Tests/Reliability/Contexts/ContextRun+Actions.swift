// SPDX-License-Identifier: Apache-2.0

import ObjectStore

extension ContextRun {
  func perform(_ action: ContextStep.Action, _ participant: Participant) throws {
    let before = participant.view
    switch action {
    case .insert, .setValue, .setReference, .add, .remove, .delete:
      try change(action, participant)
    case .save: try save(participant)
    case .rollback, .undo, .redo, .refresh, .refreshAll, .reset, .merge:
      try takeBack(action, participant)
    case .setPolicy(let policy):
      participant.context.mergePolicy = policy
      // So that not all is undone.
      participant.discardUndo()
    case .obtainPermanentIDs:
      let new = participant.context.insertedObjects
      try participant.context.obtainPermanentIDs(for: new)
      for object in new { note(Int(object.as(Node.self)?.number ?? -1), object.objectID) }
    case .fetch(let query, let fetch):
      try check(query, fetch, participant)
      if fetch.isFilled { for watch in participant.watches { try watch.fetch() } }
    case .batchUpdate(let query, let rank): try update(query, rank, participant)
    case .batchDelete(let query): try delete(query, participant)
    case .letGo(let node):
      if participant.changes.inserted[node] == nil { participant.handles[node] = nil }
    case .releaseAll:
      let inserted = participant.changes.inserted
      participant.handles = participant.handles.filter { inserted[$0.key] != nil }
    case .look(let node): try check(node, participant)
    case .lookAtAll: try checkAll(participant)
    }
    switch action {
    // Setting the same value is a change as well.
    case .insert, .setValue, .setReference, .add, .remove, .delete:
      // A step that changes nothing does not discard the redo steps.
      if participant.redoMark != nil { participant.discardUndo() }
    case .undo, .redo: break
    default: if participant.view != before { participant.redoMark = nil }
    }
    recordChange(of: participant, from: before)
  }

  // MARK: - Changing

  private func change(_ action: ContextStep.Action, _ participant: Participant) throws {
    switch action {
    case .insert(let number, let isLeaf):
      guard ids[number] == nil else { return }
      let context = participant.context
      guard let node = isLeaf ? context.insert(Leaf.self).as(Node.self) : context.insert(Node.self)
      else { throw Discrepancy("a leaf is no node") }
      node.number = Int64(number)
      participant.handles[number] = node
      note(number, node.objectID)
      var row = NodeImage.Row(isLeaf: isLeaf)
      row.values = ["rank": .integer(0), "name": .null, "blob": .null]
      if isLeaf { row.values["weight"] = .double(0) }
      participant.view.rows[number] = row
    case .setValue(let number, let name, let value):
      guard let node = try node(number, participant),
        let shown = participant.view.rows[number]?.values[name],
        // Data in a file that another context has deleted cannot be compared: set again, it is a
        // change.
        name != "blob" || value != shown || !participant.isOutdated
      else { return }
      try node.setValue(value, forKey: name)
      participant.view.rows[number]?.values[name] = value
    default:
      try update(participant)
      try link(action, participant)
    }
  }

  private func link(_ action: ContextStep.Action, _ participant: Participant) throws {
    switch action {
    case .setReference(let number, let reference, let other):
      guard let node = try node(number, participant) else { return }
      let destination = try other.flatMap { try self.node($0, participant) }
      guard (other == nil) == (destination == nil) else { return }
      try node.setValue(
        destination.map { .object($0.objectID) } ?? .null, forKey: reference.rawValue)
      participant.view.set(reference, of: number, to: other)
    case .add(let number, let members, let other, let index):
      guard let node = try node(number, participant), let member = try self.node(other, participant)
      else { return }
      let list = members.of(node)
      guard let index, members.isOrdered else {
        list.insert(member)
        participant.view.add(other, to: members, of: number)
        break
      }
      var expected = list.filter { $0 !== member }
      expected.insert(member, at: min(index, expected.count))
      list.insert(member, at: index)
      participant.view.add(other, to: members, of: number)
      try expect(
        Array(list) == expected, "\(number).\(members) is in another order than it was put")
    case .remove(let number, let members, let other):
      guard let node = try node(number, participant), let member = try self.node(other, participant)
      else { return }
      members.of(node).remove(member)
      participant.view.remove(other, from: members, of: number)
    case .delete(let number):
      guard let node = try node(number, participant) else { return }
      participant.context.delete(node)
      let known = Set(participant.view.rows.keys)
      let inserted = participant.changes.inserted.keys
      participant.view.delete([number])
      participant.discarded.formUnion(inserted.filter { participant.view.rows[$0] == nil })
      participant.doomed.formUnion(known.subtracting(participant.view.rows.keys))
    default: return
    }
    participant.hasLinkChanges = true
  }

  // MARK: - Taking back

  private func takeBack(_ action: ContextStep.Action, _ participant: Participant) throws {
    let context = participant.context
    switch action {
    case .rollback:
      recordDiscard(of: participant)
      context.rollback()
      participant.view = participant.base
      (participant.doomed, participant.discarded) = ([], [])
      participant.hasLinkChanges = false
      participant.discardUndo()
    case .undo:
      guard let manager = context.undoManager, participant.redoMark == nil,
        !participant.isOutdated
      else { return }
      try exhaust("undo", { manager.canUndo }) { manager.undo() }
      participant.redoMark = participant.mark
      participant.mark = participant.undoMark
      participant.hasLinkChanges = true
    case .redo:
      guard let manager = context.undoManager, let mark = participant.redoMark,
        !participant.isOutdated
      else { return }
      try exhaust("redo", { manager.canRedo }) { manager.redo() }
      participant.redoMark = nil
      participant.mark = mark
      participant.hasLinkChanges = true
    case .refresh(let number, let mergingChanges):
      try update(participant)
      guard let node = try node(number, participant), !node.isInserted else { return }
      // The other ends decide on the changes of its relationships.
      guard mergingChanges || !node.hasChanges else { return }
      try context.refresh(node, mergeChanges: mergingChanges)
      try expect(node.isFault != mergingChanges, "\(number) is a fault: \(node.isFault)")
      participant.discardUndo()
    case .refreshAll:
      guard participant.parent?.isOutdated != true else { return }
      try context.refreshAllObjects()
      participant.notices = []
      try settle(participant)
      participant.discardUndo()
    case .reset:
      participant.handles = [:]
      (participant.doomed, participant.discarded) = ([], [])
      recordDiscard(of: participant)
      context.reset()
      participant.hasToFollow = false
      participant.base = below(participant)
      participant.view = participant.base
      participant.isOutdated = participant.parent?.isOutdated ?? false
      participant.hasLinkChanges = false
      participant.notices = []
      participant.discardUndo()
    default:
      if participant.parent == nil { try update(participant) }
    }
  }

  private func exhaust(
    _ what: String, _ canGoOn: () -> Bool, _ goOn: () -> Void
  ) throws {
    // There are fewer steps than that.
    for _ in 0..<1000 where canGoOn() { goOn() }
    try expect(!canGoOn(), "each \(what) leaves another one")
  }

  // MARK: - Past the contexts

  private func update(_ query: NodeQuery, _ rank: Int32, _ participant: Participant) throws {
    guard participant.parent == nil else { return }
    var request = BatchUpdateRequest<Node>(predicate: try query.request().predicate)
    request.resultType = .objectIDs
    request.set(\.rank, to: rank)
    let result = try participant.context.execute(request)
    let expected = query.nodes(in: store)
    try expect(
      Set(result.objectIDs.map { numbers[$0] ?? -1 }) == Set(expected), "a batch update of \(query)"
    )
    for node in expected { store.rows[node]?.values["rank"] = .integer(Int64(rank)) }
    try merge(result)
  }

  private func delete(_ query: NodeQuery, _ participant: Participant) throws {
    guard participant.parent == nil else { return }
    var expected = store
    let nodes = Set(query.nodes(in: store))
    expected.delete(nodes)
    let gone = Set(store.rows.keys).subtracting(expected.rows.keys)
    let isDenied = expected.rows.values.contains {
      $0.references[.guardian].map(gone.contains) == true
    }
    var request = BatchDeleteRequest(try query.request())
    request.resultType = .objectIDs
    do {
      let result = try participant.context.execute(request)
      try expect(!isDenied, "a batch deletion of \(query) was not denied")
      try expect(
        Set(result.objectIDs.map { numbers[$0] ?? -1 }) == gone, "a batch deletion of \(query)")
      store = expected
      try merge(result)
    } catch StoreError.deletionDenied {
      try expect(isDenied, "a batch deletion of \(query) was denied")
    }
  }

  private func merge(_ result: BatchResult) throws {
    try checkStore()
    for participant in participants where participant.parent == nil {
      let before = participant.view
      try participant.context.performAndWait {
        participant.isOutdated = true
        try update(participant)
        participant.context.mergeChanges(from: result.changes)
        try settle(participant)
      }
      recordChange(of: participant, from: before)
      for child in participants where child.parent === participant { child.isOutdated = true }
    }
  }
}

/// A context, or the file, that differs from the expected state.
struct Discrepancy: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func expect(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
  if !condition { throw Discrepancy(problem()) }
}
