// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ObjectStore
import Synchronization
import TestSupport

/// One thread's contexts and random numbers.
struct ThreadWorker {
  let run: ThreadRun
  let context: ManagedObjectContext
  let child: ManagedObjectContext
  var random: SeededGenerator
  var number: Int64 = 0
  /// By counter, the last value that a reader saw.
  var seen: [Int64: Int64] = [:]

  init(_ run: ThreadRun, _ index: Int) {
    self.run = run
    random = SeededGenerator(seed: run.seed &+ UInt64(index))
    context = run.container.newBackgroundContext(name: "thread \(index)")
    child = ManagedObjectContext(parent: run.parent, name: "child \(index)")
  }

  // MARK: - Nothing is lost

  /// Adds one to a counter, and tries again if another thread was faster.
  mutating func increment(waiting: Bool) throws {
    let number = Int64.random(in: 0..<8, using: &random)
    let context = context
    let work: @Sendable () throws -> Int = { try Self.increment(number, in: context) }
    let conflicts = waiting ? try context.performAndWait(work) : try context.performAndBlock(work)
    tally(number, conflicts)
  }

  /// The same in a child of a context, which another thread's child saves to as well.
  mutating func incrementNested(savesParent: Bool = false) throws {
    let numbers = ThreadRun.nestedCounters
    let number = Int64(Int.random(in: numbers, using: &random))
    let (child, parent) = (child, run.parent)
    tally(number, try child.performAndWait { try Self.increment(number, in: child) })
    // No other thread writes these counters: the parent's own save has no conflict.
    if savesParent { try parent.performAndWait { try parent.save() } }
  }

  private func tally(_ number: Int64, _ conflicts: Int) {
    run.tally.withLock {
      $0.increments[number, default: 0] += 1
      $0.conflicts += conflicts
    }
  }

  /// Returns the number of conflicts.
  private static func increment(
    _ number: Int64, in context: ManagedObjectContext
  ) throws -> Int {
    let counter = try context.counter(number)
    return try context.saveRetrying { counter.total += 1 }
  }

  mutating func transfer() throws {
    let amount = Int64.random(in: 1...50, using: &random)
    let (from, to) = (
      Int.random(in: 0..<ThreadRun.accountCount, using: &random),
      Int.random(in: 0..<ThreadRun.accountCount, using: &random)
    )
    let context = context
    // The objects come to this thread, and go here while the context goes on with them there.
    var accounts = try context.performAndWait { try context.inOrder(Account.self) }
    let conflicts = try context.performAndWait {
      try context.saveRetrying {
        accounts[from].balance -= amount
        accounts[to].balance += amount
      }
    }
    run.tally.withLock {
      $0.conflicts += conflicts
      $0.transfers += 1
    }
    let group = DispatchGroup()
    group.enter()
    let run = run
    Task {
      do {
        try await context.perform { _ = try context.inOrder(Account.self).map(\.balance) }
      } catch { run.fail("a fetch beside its objects' end: \(error)") }
      group.leave()
    }
    while !accounts.isEmpty { accounts.removeLast() }
    group.wait()
  }

  // MARK: - The effects of merge policies

  /// Writes its properties over others' values, and repeats rolled back changes.
  mutating func trump() throws {
    number += 1
    let (number, context) = (number, context)
    let place = Int.random(in: 0..<3, using: &random)
    try context.performAndWait {
      let slot = try context.inOrder(Slot.self)[place]
      context.mergePolicy = .objectTrump
      slot.trumping = number
      try context.save()
      context.mergePolicy = .rollback
      while slot.rolledBack != number {
        slot.rolledBack = number
        try context.save()
      }
      try Self.write(number, place, in: context)
    }
    run.tally.withLock {
      $0.trumping[place] = number
      $0.rolledBack[place] = number
    }
  }

  /// Writes a property that no other thread writes, and yields in all others.
  mutating func yield() throws {
    number += 1
    let (number, context) = (number, context)
    let place = Int.random(in: 0..<3, using: &random)
    try context.performAndWait {
      let slot = try context.inOrder(Slot.self)[place]
      context.mergePolicy = .storeTrump
      slot.yielding = number
      try context.save()
      guard slot.yielding == number else { throw LedgerError("a change that nobody disputed") }
      try Self.write(-number, place, in: context)
    }
    run.tally.withLock { $0.yielding[place] = number }
  }

  private static func write(
    _ number: Int64, _ place: Int, in context: ManagedObjectContext
  ) throws {
    let sheet = try context.inOrder(Sheet.self)[place]
    context.mergePolicy = .overwrite
    sheet.front = number
    sheet.back = number
    try context.save()
  }

  // MARK: - Reading

  /// Reads only saved values, and no value that goes backwards.
  mutating func read() throws {
    let fresh = run.container.newBackgroundContext(name: "reader")
    var filled = FetchRequest<Account>()
    filled.returnsObjectsAsFaults = false
    var sum = FetchRequest<Account>()
    sum.propertiesToFetch = [.sum(\.balance, as: "sum")]
    let expected = Int64(ThreadRun.accountCount) * ThreadRun.balance
    try fresh.performAndWait {
      let objects = try fresh.fetch(filled).reduce(0) { $0 + $1.balance }
      let rows = try fresh.fetchDictionaries(sum)[0]["sum"]
      guard objects == expected, rows == .integer(expected) || rows == .double(Double(expected))
      else {
        throw LedgerError(
          "half a transfer was seen: \(objects), \(String(describing: rows)) of \(expected)")
      }
      var sheets = FetchRequest<Sheet>()
      sheets.returnsObjectsAsFaults = false
      for sheet in try fresh.fetch(sheets) where sheet.front != sheet.back {
        throw LedgerError("half a sheet was seen: \(sheet.front) and \(sheet.back)")
      }
    }
    let view = run.container.mainContext
    let seen = try view.performAndWait {
      view.automaticallyMergesChangesFromParent = true
      return try view.fetch(FetchRequest<Counter>()).map { ($0.number, $0.total) }
    }
    for (number, value) in seen {
      guard value >= self.seen[number] ?? 0 else {
        throw LedgerError("counter \(number) went from \(self.seen[number] ?? 0) to \(value)")
      }
      self.seen[number] = value
    }
  }
}

extension ManagedObjectContext {
  /// Lets another thread start the work on the context's queue, and waits for it here.
  func performAndBlock<R: Sendable>(_ work: @escaping @Sendable () throws -> R) throws -> R {
    let answer = Answer<R>()
    let done = DispatchSemaphore(value: 0)
    Task {
      let result = await perform { Result { try work() } }
      answer.result.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = answer.result.withLock({ $0 }) else { throw LedgerError("no answer") }
    return try result.get()
  }
}

private final class Answer<R: Sendable>: Sendable {
  let result = Mutex<Result<R, any Error>?>(nil)
}
