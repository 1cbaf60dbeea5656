// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import Synchronization
import TestSupport

/// Does steps with three contexts of one store, and compares their objects with images of plain
/// values: two contexts of the store, and a child of the first one.
final class ContextRun {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  let participants: [Participant]
  let database: Connection
  /// The expected contents of the file.
  var store = NodeImage()
  /// By number; temporary until the node is saved.
  var ids: [Int: ManagedObjectID] = [:]
  var numbers: [ManagedObjectID: Int] = [:]
  private let merges: Bool
  private let listeners: [SaveListener]

  /// - Parameter seed: determines the store's options and the contexts' own steps.
  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    folder = try TemporaryDirectory()
    var options = StoreOptions()
    options.externalDataThreshold = 100
    options.rowCacheSize = [0, 2_000, 128 << 20].randomElement(using: &random) ?? 0
    options.tracksHistory = Int.random(in: 0..<4, using: &random) == 0
    let url = folder.url.appending(path: "contexts.sqlite")
    container = try PersistentContainer(
      at: url, entities: [Node.self, Leaf.self], options: options,
      instruments: Instruments(observers: []))
    let a = Participant(container.newBackgroundContext(name: "a"))
    let b = Participant(container.newBackgroundContext(name: "b"))
    let child = Participant(ManagedObjectContext(parent: a.context, name: "child"), parent: a)
    participants = [a, b, child]
    merges = .random(using: &random)
    for root in [a, b] { root.context.automaticallyMergesChangesFromParent = merges }
    if Bool.random(using: &random) { a.context.undoManager = ContextUndoManager() }
    if Int.random(in: 0..<4, using: &random) == 0 { b.context.stalenessInterval = .zero }
    listeners = [SaveListener(a.context), SaveListener(b.context)]
    database = try Connection(path: url.path, mode: .readOnly)
    if Bool.random(using: &random) { child.context.undoManager = ContextUndoManager() }
    for participant in participants {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        try participant.watches.append(ControllerWatch(participant.context, using: &random))
      }
    }
  }

  // MARK: - Steps

  func run(_ step: ContextStep) throws {
    let participant = participants[step.context]
    followFaults()
    try participant.context.performAndWait {
      do {
        try follow(participant, before: step.action)
        try perform(step.action, participant)
        participant.context.processPendingChanges()
        if participant.hasToFollow { try settle(participant) }
      } catch { throw Discrepancy("\(participant.context.name): \(error)") }
    }
    drainQueues()
    for participant in participants { try checkControllers(participant) }
  }

  /// A context whose parent has discarded changes refreshes itself before it fetches or saves.
  private func follow(_ participant: Participant, before action: ContextStep.Action) throws {
    guard participant.hasToFollow else { return }
    if let parent = participant.parent, parent.isOutdated {
      try parent.context.performAndWait {
        try update(parent)
        parent.context.processPendingChanges()
      }
      followFaults()
    }
    switch action {
    case .save where participant.fits(below(participant)):
      // The save itself sees to it.
      _ = participant.rebase(onto: below(participant))
      participant.hasToFollow = false
      participant.discardUndo()
    case .save, .fetch:
      _ = try participant.context.count(FetchRequest<Node>())
      try settle(participant)
    default: break
    }
  }

  /// To be called before a context discards its changes.
  func recordDiscard(of participant: Participant) {
    guard participant.context.hasChanges else { return }
    for child in participants where child.parent === participant {
      (child.hasToFollow, child.isOutdated) = (true, true)
    }
  }

  private func checkControllers(_ participant: Participant) throws {
    let view = participant.isOutdated ? nil : participant.view
    try participant.context.performAndWait {
      for watch in participant.watches {
        do { try watch.check(view) { numbers[$0] ?? -1 } } catch {
          throw Discrepancy("\(participant.context.name): \(error)")
        }
      }
    }
  }

  /// Waits for the contexts' own work on their queues.
  func drainQueues() {
    for participant in participants { participant.context.performAndWait {} }
  }

  /// A node that is not loaded shows the values that its context would read.
  func followFaults() {
    for participant in participants where participant.isOutdated {
      let below = below(participant)
      let changes = participant.changes
      participant.context.performAndWait {
        for (node, id) in ids
        where changes.inserted[node] == nil && changes.updated[node] == nil
          && !changes.deleted.contains(node)
        {
          let registered = participant.context.registeredObject(for: id)
          // An object that was deleted and saved differs from the context's view.
          let handle = participant.handles[node].flatMap { $0.isRemoved ? nil : $0 }
          let object = handle ?? registered
          guard object?.isFault != false, object?.isRemoved != true else { continue }
          participant.base.rows[node] = below.rows[node]
          participant.view.rows[node] = below.rows[node]
        }
      }
    }
  }

  func below(_ participant: Participant) -> NodeImage { participant.parent?.view ?? store }

  /// The children of a context read from its current changes.
  func recordChange(of participant: Participant, from before: NodeImage) {
    guard participant.view != before || participant.isOutdated else { return }
    for child in participants where child.parent === participant { child.isOutdated = true }
  }

  // MARK: - Nodes

  func node(_ number: Int, _ participant: Participant) throws -> ManagedObject<Node>? {
    guard participant.view.rows[number] != nil else { return nil }
    return try object(number, participant)
  }

  /// An object, whether it is gone or not.
  func object(_ number: Int, _ participant: Participant) throws -> ManagedObject<Node>? {
    if let known = participant.handles[number] {
      // One that was deleted and saved stays so, though its row may come back.
      let isDead = known.isRemoved && participant.view.rows[number] != nil
      if !isDead || participant.context.registeredObject(for: known.objectID) === known {
        return known
      }
    }
    guard let id = ids[number],
      participant.view.rows[number] != nil || participant.base.rows[number] != nil
    else { return nil }
    let object = try participant.context.object(with: id).as(Node.self)
    participant.handles[number] = object
    return object
  }

  func note(_ number: Int, _ id: ManagedObjectID) {
    ids[number] = id
    numbers[id] = number
  }

  // MARK: - Being up to date

  /// Merges other contexts' saves into a context, as its program would.
  func update(_ participant: Participant) throws {
    guard participant.isOutdated else { return }
    let before = participant.view
    if let parent = participant.parent {
      if parent.isOutdated {
        try parent.context.performAndWait {
          try update(parent)
          parent.context.processPendingChanges()
        }
      }
      try participant.context.refreshAllObjects()
    } else {
      for notice in participant.notices { participant.context.mergeChanges(from: notice) }
    }
    participant.notices = []
    try settle(participant)
    recordChange(of: participant, from: before)
  }

  /// Changes here that do not fit the current rows are discarded, with all other changes.
  func settle(_ participant: Participant) throws {
    let below = below(participant)
    if !participant.rebase(onto: below) {
      recordDiscard(of: participant)
      participant.context.rollback()
      try participant.context.refreshAllObjects()
      participant.base = below
      participant.view = below
      (participant.doomed, participant.discarded) = ([], [])
      participant.hasLinkChanges = false
    }
    participant.context.processPendingChanges()
    participant.hasToFollow = false
    participant.discardUndo()
  }

  // MARK: - After a save to the store

  func didSave(_ participant: Participant, hadChanges: Bool) throws {
    for (node, object) in participant.handles where participant.view.rows[node] != nil {
      note(node, object.objectID)
    }
    guard hadChanges, let listener = listeners.first(where: { $0.context === participant.context })
    else { return }
    let notice = listener.next()
    for other in participants where other.parent == nil && other !== participant {
      let before = other.view
      other.isOutdated = true
      if merges {
        other.context.performAndWait {}
        try other.context.performAndWait { try settle(other) }
      } else {
        other.notices.append(notice)
        other.fulfilled.formUnion(other.changes.deleted.filter { store.rows[$0] == nil })
        other.vanished.formUnion(other.base.rows.keys.filter { store.rows[$0] == nil })
      }
      recordChange(of: other, from: before)
    }
  }
}

/// Passes on the notifications of a context's saves.
private final class SaveListener: Sendable {
  let context: ManagedObjectContext
  private let received = Mutex<[ContextChanges]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ context: ManagedObjectContext) {
    self.context = context
    let stream = context.didSave
    Task {
      for await changes in stream {
        received.withLock { $0.append(changes) }
        semaphore.signal()
      }
    }
  }

  func next() -> ContextChanges {
    semaphore.wait()
    return received.withLock { $0.removeFirst() }
  }
}
