// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import ObjectStore
import Synchronization
import TestSupport

/// Eight threads that read and write one store, through contexts of every kind, for a while.
public final class ThreadRun: Sendable {
  let container: PersistentContainer
  let seed: UInt64
  /// The parent of the children that two of the threads use.
  let parent: ManagedObjectContext
  private let isOver = Atomic<Bool>(false)
  private let failure = Mutex<String?>(nil)
  let tally = Mutex(Tally())
  private let rounds: [Progress]

  private final class Progress: Sendable { let count = Atomic<Int>(0) }

  /// The acknowledged changes, which must be there.
  struct Tally: Sendable {
    var increments: [Int64: Int64] = [:]
    /// The last value of the one writer, by the index of the slot or the sheet.
    var trumping: [Int: Int64] = [:]
    var yielding: [Int: Int64] = [:]
    var rolledBack: [Int: Int64] = [:]
    var conflicts = 0
    var transfers = 0
  }

  static let workers: [(name: String, work: @Sendable (inout ThreadWorker) throws -> Void)] = [
    ("increments", { try $0.increment(waiting: true) }),
    ("increments beside its thread", { try $0.increment(waiting: false) }),
    ("saves to a parent", { try $0.incrementNested() }),
    ("saves to a parent, and the parent", { try $0.incrementNested(savesParent: true) }),
    ("trumps and rolls back", { try $0.trump() }),
    ("yields and writes over", { try $0.yield() }),
    ("reads", { try $0.read() }),
    ("transfers, and lets objects go elsewhere", { try $0.transfer() }),
  ]

  /// - Parameter folder: the folder of the store; the size of the row cache and the number of
  ///   readers follow from the seed.
  public init(folder: URL, seed: UInt64) throws {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    var options = StoreOptions()
    options.rowCacheSize = [0, 2_000, 128 << 20].randomElement(using: &random) ?? 0
    options.readerCount = Int.random(in: 1...4, using: &random)
    options.tracksHistory = Bool.random(using: &random)
    container = try PersistentContainer(
      at: folder.appending(path: "threads.sqlite"), entities: Self.entities, options: options)
    parent = container.newBackgroundContext(name: "parent")
    rounds = Self.workers.map { _ in Progress() }
    let context = container.newBackgroundContext(name: "filler")
    try context.performAndWait { try Self.fill(context) }
  }

  var goesOn: Bool { !isOver.load(ordering: .relaxed) }

  /// Runs for so many seconds, on threads of its own; the main queue must be running meanwhile.
  ///
  /// - Returns: the work done, in a sentence.
  /// - Throws: ``LedgerError`` with the problem.
  public func run(seconds: Double) throws -> String {
    let group = DispatchGroup()
    for (index, worker) in Self.workers.enumerated() {
      group.enter()
      Thread.detachNewThread { [self] in
        var state = ThreadWorker(self, index)
        do {
          while goesOn {
            try worker.work(&state)
            rounds[index].count.wrappingAdd(1, ordering: .relaxed)
          }
        } catch { fail("the thread that \(worker.name): \(error)") }
        group.leave()
      }
    }
    watch(seconds)
    isOver.store(true, ordering: .relaxed)
    guard group.wait(timeout: .now() + Self.patience) == .success else { die() }
    if let failure = failure.withLock(\.self) { throw LedgerError(failure) }
    try parent.performAndWait { try parent.save() }
    try check()
    return summary
  }

  func fail(_ problem: String) {
    failure.withLock { $0 = $0 ?? problem }
    isOver.store(true, ordering: .relaxed)
  }

  // MARK: - The watchdog

  // No round takes a tenth of it, with the thread sanitizer either.
  private static let patience = 60.0

  /// Waits for the end, and sees to it that no thread stands still.
  private func watch(_ seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    var last = rounds.map { _ in (count: -1, time: ContinuousClock.now) }
    while goesOn, ContinuousClock.now < end {
      usleep(100_000)
      for (index, round) in rounds.enumerated() {
        let count = round.count.load(ordering: .relaxed)
        if count != last[index].count { last[index] = (count, .now) }
        if last[index].time.duration(to: .now) > .seconds(Self.patience) { die() }
      }
    }
  }

  /// A thread that waits endlessly cannot be ended.
  private func die() -> Never {
    print("a deadlock: \(summary); seed \(seed)")
    fflush(nil)
    abort()
  }

  private var summary: String {
    let tally = tally.withLock(\.self)
    let counts = zip(Self.workers, rounds).map {
      "\($1.count.load(ordering: .relaxed)) rounds of the thread that \($0.name)"
    }
    return "\(tally.increments.values.reduce(0, +)) increments, \(tally.transfers) transfers, "
      + "\(tally.conflicts) conflicts; \(counts.joined(separator: ", "))"
  }

  // MARK: - At the end

  private func check() throws {
    let tally = tally.withLock(\.self)
    let context = container.newBackgroundContext(name: "check")
    try context.performAndWait {
      for counter in try context.fetch(FetchRequest<Counter>()) {
        let expected = tally.increments[counter.number] ?? 0
        guard counter.total == expected else {
          throw LedgerError(
            "counter \(counter.number) is \(counter.total) after \(expected) increments")
        }
      }
      for (place, slot) in try context.inOrder(Slot.self).enumerated() {
        guard slot.trumping == tally.trumping[place] ?? 0,
          slot.yielding == tally.yielding[place] ?? 0,
          slot.rolledBack == tally.rolledBack[place] ?? 0
        else { throw LedgerError("slot \(place) has lost what its only writer wrote") }
      }
    }
  }
}

extension ManagedObjectContext {
  /// All objects, by their keys.
  func inOrder<E: Entity>(_ type: E.Type) throws -> [ManagedObject<E>] {
    try fetch(FetchRequest<E>()).sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
  }
}
