// SPDX-License-Identifier: Apache-2.0

import ObjectStore

extension ContextRun {
  func save(_ participant: Participant) throws {
    if participant.isOutdated, participant.hasLinkChanges || participant.isBehindADeletion {
      try update(participant)
    }
    let view = participant.view
    discardUnsaved(participant)
    let changes = participant.changes
    for node in changes.inserted.keys { _ = try object(node, participant) }
    let expected = outcome(participant)
    let hadChanges = participant.context.hasChanges
    do {
      try participant.context.save()
    } catch StoreError.deletionDenied where expected.isDenied {
      participant.view = view
      return
    } catch StoreError.conflict(let conflicts) where !expected.conflicts.isEmpty {
      participant.view = view
      let nodes = Set(conflicts.compactMap { numbers[$0.objectID] })
      return try expect(
        nodes == expected.conflicts && participant.context.mergePolicy == .error,
        "the save tells conflicts of \(nodes.sorted()), not of \(expected.conflicts.sorted())")
    }
    try expect(!expected.isDenied, "a deletion that a rule denies was saved")
    try expect(
      expected.conflicts.isEmpty || participant.context.mergePolicy != .error,
      "conflicts of \(expected.conflicts.sorted()) were not told")
    try expect(!participant.context.hasChanges, "the context has changes after its save")
    participant.hasLinkChanges = false
    participant.discarded = []
    if let parent = participant.parent {
      takeOver(expected, participant, parent)
      if hadChanges { parent.redoMark = nil }
    } else {
      try adopt(expected, changes, participant, hadChanges: hadChanges)
    }
  }

  /// A row cannot refer to a node that was never saved, and is deleted.
  private func discardUnsaved(_ participant: Participant) {
    for (node, row) in participant.view.rows {
      guard let origin = row.references[.origin],
        (participant.parent ?? participant).view.rows[origin] == nil,
        participant.parent == nil
          || participant.changes.inserted[origin] == nil
            && participant.base.rows[node]?.references[.origin] != origin,
        ids[origin]?.isTemporary == true
      else { continue }
      participant.view.rows[node]?.references[.origin] = nil
      // No step of the undo manager: an undo brings the reference back with its node alone.
      if participant.undoMark.view.rows[origin] == nil,
        participant.undoMark.view.rows[node]?.references[.origin] == origin
      {
        participant.undoMark.view.rows[node]?.references[.origin] = nil
      }
    }
  }

  // MARK: - The expected result

  private struct Outcome {
    var isDenied = false
    var conflicts: Set<Int> = []
    /// The state of the store, or the parent, afterwards.
    var below: NodeImage
    /// The results of the nodes with conflicts.
    var settled: [Int: NodeImage.Row?] = [:]
    /// Whether a row that was to go stayed, or one that was gone came back.
    var isUncertain = false
  }

  private func outcome(_ participant: Participant) -> Outcome {
    let (changes, below) = (participant.changes, below(participant))
    var outcome = Outcome(
      below: changes.applied(to: below, keepingInverses: participant.parent != nil))
    outcome.isDenied = participant.view.rows.values.contains { row in
      row.references[.guardian].map {
        changes.deleted.contains($0)
          || participant.view.rows[$0] == nil && participant.discarded.contains($0)
      } == true
    }
    let policy = participant.context.mergePolicy
    for node in changes.deleted {
      guard let row = below.rows[node], isDisputed(node, nil, participant) else { continue }
      if policy == .error || participant.parent == nil { outcome.conflicts.insert(node) }
      if participant.parent == nil, policy == .storeTrump || policy == .rollback {
        outcome.isUncertain = true
        outcome.below.rows[node] = row
      }
    }
    for (node, update) in changes.updated where isDisputed(node, update, participant) {
      outcome.conflicts.insert(node)
      guard var row = below.rows[node], let mine = participant.view.rows[node] else {
        outcome.isUncertain = true
        continue
      }
      switch policy {
      case .error, .rollback: break
      case .objectTrump:
        row.values.merge(update.values) { $1 }
      case .overwrite: row = mine
      case .storeTrump:
        let old = participant.base.rows[node]?.values ?? [:]
        row.values.merge(update.values.filter { old[$0.key] == row.values[$0.key] }) { $1 }
      }
      outcome.below.rows[node] = row
      outcome.settled[node] = row
    }
    return outcome
  }

  /// Whether another writer has changed the node since it was read; for a parent's node, whether a
  /// value that is to be written differs.
  private func isDisputed(
    _ node: Int, _ update: NodeChanges.Update?, _ participant: Participant
  ) -> Bool {
    let read = participant.base.rows[node]
    guard let parent = participant.parent else {
      return store.rows[node]?.version != read?.version
    }
    guard let row = parent.view.rows[node] else { return update != nil }
    guard let update else {
      return row.values != read?.values || row.references != read?.references
    }
    // Values that may be in a file are not compared.
    return update.values.keys.contains { $0 != "blob" && row.values[$0] != read?.values[$0] }
      || update.references.keys.contains { row.references[$0] != read?.references[$0] }
  }

  // MARK: - Afterwards

  private func takeOver(_ outcome: Outcome, _ participant: Participant, _ parent: Participant) {
    let before = parent.view
    parent.context.performAndWait { parent.context.processPendingChanges() }
    parent.view = outcome.below
    parent.hasLinkChanges = true
    for (node, row) in outcome.settled { participant.view.rows[node] = row }
    participant.base = participant.view
    let wasOutdated = participant.isOutdated
    recordChange(of: parent, from: before)
    // Changes at other ends, as of a one-to-one, become visible after a refresh.
    participant.isOutdated = wasOutdated || !outcome.below.shows(like: participant.view)
  }

  private func adopt(
    _ outcome: Outcome, _ changes: NodeChanges, _ participant: Participant, hadChanges: Bool
  ) throws {
    store = outcome.below
    if outcome.isUncertain {
      store = try readStore().with(blobsOf: store)
    } else {
      try checkStore()
    }
    for (node, row) in outcome.settled { participant.view.rows[node] = row }
    for node in participant.view.rows.keys
    where !participant.isOutdated || changes.inserted[node] != nil || changes.updated[node] != nil {
      if let row = store.rows[node] { participant.view.rows[node]?.version = row.version }
    }
    participant.base = participant.view
    try didSave(participant, hadChanges: hadChanges)
    guard outcome.isUncertain else { return }
    participant.handles = [:]
    participant.context.reset()
    participant.base = store
    participant.view = store
    participant.isOutdated = false
    participant.notices = []
    participant.discardUndo()
    for child in participants where child.parent === participant { child.isOutdated = true }
  }
}
