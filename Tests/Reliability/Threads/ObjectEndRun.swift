// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import Glibc
import ObjectStore
import Synchronization
import TestSupport

/// Objects that end on some threads while their context ends, or is reset, on another one.
public struct ObjectEndRun {
  private var container: PersistentContainer?
  private var random: SeededGenerator
  private var counts: [Ending: Int] = [:]
  private static let threadCount = 3
  private static let stepCount = 60

  /// The fate of the context meanwhile.
  private enum Ending: String, CaseIterable {
    case ends, endsOnItsQueue = "ends on its queue", endsWithItsParent = "ends with its parent"
    case isReset = "is reset"
  }

  /// - Parameter folder: where the store is to be.
  public init(folder: URL, seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let container = try LedgerVersion.first.open(folder.appending(path: "ends.sqlite"))
    let context = container.newBackgroundContext(name: "filler")
    try context.performAndWait {
      let labels = (0..<5).map { number in
        let label = context.insert(Label.self)
        label.name = "label \(number)"
        return label
      }
      for number in 0..<Self.stepCount {
        let step = context.insert(Step.self)
        step.number = Int64(number)
        step.text = "step \(number)"
        step.labels.insert(labels[number % labels.count])
      }
      try context.save()
    }
    self.container = container
  }

  /// - Returns: the work done, in a sentence.
  /// - Throws: ``LedgerError`` with the problem, or the error of a fetch.
  public mutating func run(rounds: Int) throws -> String {
    for _ in 0..<rounds {
      let ending = Ending.allCases.randomElement(using: &random) ?? .ends
      counts[ending, default: 0] += 1
      try run(prepare(ending))
    }
    try checkThatNothingIsLeft()
    return Ending.allCases.map { "a context that \($0.rawValue): \(counts[$0] ?? 0) times" }
      .joined(separator: ", ")
  }

  // MARK: - A round

  /// Fetches objects, and passes to each thread its part of them to release.
  private mutating func prepare(_ ending: Ending) throws -> [Part] {
    guard let container else { return [] }
    let parent = container.newBackgroundContext(name: "ends")
    let context =
      ending == .endsWithItsParent ? ManagedObjectContext(parent: parent, name: "child") : parent
    var shares: [[AnyObject]] = Array(repeating: [], count: Self.threadCount)
    try context.performAndWait {
      var request = FetchRequest<Step>()
      request.fetchLimit = Int.random(in: 1...Self.stepCount, using: &random)
      request.returnsObjectsAsFaults = Bool.random(using: &random)
      let isLinked = Bool.random(using: &random)
      let isChanged = Int.random(in: 0..<4, using: &random) == 0
      for step in try context.fetch(request) {
        if isLinked { shares[0] += step.labels.map { $0 as AnyObject } }
        if isChanged, step.number % 3 == 0 { step.text = "changed" }
        shares[Int.random(in: 0..<Self.threadCount, using: &random)].append(step)
      }
    }
    return shares.map { Part($0) } + [Part([parent, context], Self.work(ending, context))]
  }

  private static func work(_ ending: Ending, _ context: ManagedObjectContext) -> Part.Work? {
    switch ending {
    case .ends, .endsWithItsParent: nil
    case .endsOnItsQueue: { Task { await context.perform {} } }
    case .isReset:
      {
        let left = context.performAndWait {
          context.reset()
          return context.registeredObjects.count
        }
        guard left == 0 else { throw LedgerError("\(left) objects after a reset") }
      }
    }
  }

  /// The objects that one thread uses, and then releases, one after the other.
  private final class Part: @unchecked Sendable {
    typealias Work = @Sendable () throws -> Void
    private var contents: [AnyObject]
    private var work: Work?
    private(set) var error: (any Error)?

    init(_ contents: [AnyObject], _ work: Work? = nil) {
      self.contents = contents
      self.work = work
    }

    func run() {
      do { try work?() } catch { self.error = error }
      work = nil
      while !contents.isEmpty { contents.removeLast() }
    }
  }

  /// Runs each on a thread of its own, all at once.
  private func run(_ parts: [Part]) throws {
    let gate = Gate(parts.count)
    let group = DispatchGroup()
    for part in parts {
      group.enter()
      Thread.detachNewThread {
        gate.pass()
        part.run()
        group.leave()
      }
    }
    group.wait()
    for part in parts { if let error = part.error { throw error } }
  }

  /// Opens once all are there.
  private final class Gate: Sendable {
    private let awaited: Atomic<Int>
    init(_ count: Int) { awaited = Atomic(count) }
    func pass() {
      awaited.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      while awaited.load(ordering: .acquiring) > 0 { sched_yield() }
    }
  }

  // MARK: - At the end

  /// Each register of objects keeps the model as long as one of them is counted.
  private mutating func checkThatNothingIsLeft() throws {
    weak let model = container?.model
    container = nil
    // A queue may be releasing its context just now.
    for _ in 0..<1000 where model != nil { usleep(10_000) }
    guard model == nil else { throw LedgerError("objects that ended are still counted") }
  }
}
