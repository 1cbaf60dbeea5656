// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import ObjectStore
import Synchronization
import TestSupport

/// A row of a list with sections.
struct Card: Entity {
  let column = Attribute<String>("column", default: "")
  let rank = Attribute<Int64>("rank", default: 0)
}

/// Eight threads that change one store, each of which shows it by a fetched results controller:
/// contexts of the store, a parent that rolls back and resets, and its children.
public final class ControllerRun: Sendable {
  private let container: PersistentContainer
  private let workers: [ControllerWorker]
  private let isOver = Atomic<Bool>(false)
  private let failure = Mutex<String?>(nil)

  /// - Parameter folder: where the store is to be.
  public init(folder: URL, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var options = StoreOptions()
    options.rowCacheSize = [0, 2_000, 128 << 20].randomElement(using: &random) ?? 0
    let container = try PersistentContainer(
      at: folder.appending(path: "cards.sqlite"), entities: [Card.self], options: options)
    let filler = container.newBackgroundContext(name: "filler")
    try filler.performAndWait {
      for rank in 0..<40 {
        let card = filler.insert(Card.self)
        card.column = ["a", "b", "c"][rank % 3]
        card.rank = Int64(rank)
      }
      try filler.save()
    }
    let parent = container.newBackgroundContext(name: "parent")
    var contexts = [container.mainContext, parent]
    for name in ["1", "2", "3"] { contexts.append(container.newBackgroundContext(name: name)) }
    for name in ["child 1", "child 2", "child 3"] {
      contexts.append(ManagedObjectContext(parent: parent, name: name))
    }
    self.container = container
    workers = try contexts.enumerated().map { index, context in
      // One of them merges nothing by itself.
      try ControllerWorker(
        context, merges: index != 2, limit: index % 4 == 3 ? 12 : 0, seed: seed &+ UInt64(index))
    }
  }

  // No round takes a tenth of it, with the thread sanitizer either.
  private static let patience = 120.0

  /// Runs for so many seconds, on threads of its own; the main queue must be running meanwhile.
  ///
  /// - Returns: the work done, in a sentence.
  public func run(seconds: Double) throws -> String {
    let group = DispatchGroup()
    for worker in workers {
      group.enter()
      Thread.detachNewThread { [self] in
        do {
          while !isOver.load(ordering: .relaxed) { try worker.step() }
        } catch {
          failure.withLock { $0 = $0 ?? "\(worker.name): \(error)" }
          isOver.store(true, ordering: .relaxed)
        }
        group.leave()
      }
    }
    let end = ContinuousClock.now + .seconds(seconds)
    while !isOver.load(ordering: .relaxed), ContinuousClock.now < end { usleep(50_000) }
    isOver.store(true, ordering: .relaxed)
    guard group.wait(timeout: .now() + Self.patience) == .success else {
      print("a deadlock: \(summary)")
      fflush(nil)
      abort()
    }
    if let failure = failure.withLock(\.self) { throw LedgerError(failure) }
    // Children first: their parent has to save their changes.
    for worker in workers.reversed() { try worker.settle() }
    for worker in workers { try worker.checkAtTheEnd() }
    return summary
  }

  private var summary: String {
    workers.map { "\($0.name): \($0.summary)" }.joined(separator: "; ")
  }
}
