// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Synchronization
import TestSupport

/// A context with a fetched results controller, which one thread changes; all that it holds is used
/// on the context's queue.
final class ControllerWorker: @unchecked Sendable {
  private let context: ManagedObjectContext
  private let controller: FetchedResultsController<Card>
  private let request: FetchRequest<Card>
  private let merges: Bool
  private var random: SeededGenerator
  /// The snapshot after the reported changes so far.
  private var lastSnapshot: FetchedResultsSnapshot
  private var problem: String?
  private let rounds = Atomic<Int>(0)
  private let changes = Atomic<Int>(0)
  private let conflicts = Atomic<Int>(0)

  init(_ context: ManagedObjectContext, merges: Bool, limit: Int, seed: UInt64) throws {
    var request = FetchRequest<Card>()
    request.sortDescriptors = [SortDescriptor(\.column), SortDescriptor(\.rank)]
    request.fetchBatchSize = 5
    request.fetchLimit = limit
    self.context = context
    self.request = request
    self.merges = merges
    random = SeededGenerator(seed: seed)
    controller = try context.performAndWait {
      let controller = try FetchedResultsController(
        request, context: context, sectionNameKeyPath: "column")
      try controller.performFetch()
      context.mergePolicy = .objectTrump
      context.automaticallyMergesChangesFromParent = merges
      if seed.isMultiple(of: 2) { context.undoManager = ContextUndoManager() }
      return controller
    }
    lastSnapshot = controller.snapshot
    controller.onChange = { [unowned self] in take($0) }
  }

  var name: String { context.name.isEmpty ? "main" : context.name }

  var summary: String {
    "\(rounds.load(ordering: .relaxed)) rounds, \(changes.load(ordering: .relaxed)) changes told, "
      + "\(conflicts.load(ordering: .relaxed)) conflicts"
  }

  private func take(_ told: FetchedResultsChanges) {
    let old = lastSnapshot
    lastSnapshot = controller.snapshot
    changes.wrappingAdd(1, ordering: .relaxed)
    if told.applied(to: old) != lastSnapshot {
      problem = problem ?? "\(told) do not lead from \(old) to \(lastSnapshot)"
    }
  }

  /// One user event.
  func step() throws {
    try context.performAndWait {
      try change()
      switch below(12) {
      case 0: context.rollback()
      case 1: context.reset()
      case 2: context.undoManager?.undo()
      case 3 where !merges: try context.refreshAllObjects()
      case 4...8: try save()
      default: break
      }
      context.processPendingChanges()
      try check()
    }
    rounds.wrappingAdd(1, ordering: .relaxed)
  }

  private func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

  private func change() throws {
    let count = controller.snapshot.count
    for _ in 0..<below(3) where count > 0 {
      guard let card = try controller.object(at: below(count)), !card.isDeleted else { continue }
      switch below(count > 60 ? 2 : 6) {
      case 0,
        1 where count > 60:
        context.delete(card)
      case 1, 2: card.column = ["a", "b", "c", "d"][below(4)]
      default: card.rank = Int64(below(100))
      }
    }
    guard count < 60, below(3) == 0 else { return }
    let card = context.insert(Card.self)
    card.column = ["a", "c", "e"][below(3)]
    card.rank = Int64(below(100))
  }

  private func save() throws {
    do { try context.save() } catch StoreError.conflict {
      conflicts.wrappingAdd(1, ordering: .relaxed)
      context.rollback()
      try context.refreshAllObjects()
    }
  }

  // MARK: - Checks

  private func check() throws {
    if let problem { throw LedgerError(problem) }
    if let error = controller.changeError { throw error }
    let snapshot = controller.snapshot
    guard snapshot == lastSnapshot else { throw LedgerError("a change that was not told") }
    guard Set(snapshot).count == snapshot.count else { throw LedgerError("an object twice") }
    let names = snapshot.sections.map(\.name)
    guard names == Set(names).sorted() else { throw LedgerError("sections are \(names)") }
  }

  /// Saves the remaining changes, once no other thread works.
  func settle() throws {
    try context.performAndWait {
      try save()
      context.processPendingChanges()
    }
  }

  /// The controller shows the result of a fetch.
  func checkAtTheEnd() throws {
    try context.performAndWait {
      try context.refreshAllObjects()
      context.processPendingChanges()
      try check()
      let keys = try context.fetch(request).map { "\($0.column) \($0.rank)" }
      let shown = try controller.snapshot.indices.map { index in
        try controller.object(at: index).map { "\($0.column) \($0.rank)" } ?? "gone"
      }
      guard shown == keys else { throw LedgerError("\(name) shows \(shown), and not \(keys)") }
      guard keys == keys.sorted(by: Self.isBefore) else { throw LedgerError("\(keys)") }
    }
  }

  private static func isBefore(_ a: String, _ b: String) -> Bool {
    let (a, b) = (a.split(separator: " "), b.split(separator: " "))
    return (a[0], Int(a[1]) ?? 0) < (b[0], Int(b[1]) ?? 0)
  }
}
