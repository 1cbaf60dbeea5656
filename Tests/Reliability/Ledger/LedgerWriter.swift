// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ObjectStore

/// Saves the steps of a ledger to a store, one after the other.
public final class LedgerWriter {
  private let context: ManagedObjectContext
  private let seed: UInt64
  private var ledger: Ledger
  private let clock: ManagedObject<Clock>
  private let labels: [ManagedObject<Label>]

  /// Continues at the store's last save; makes the objects of every step if there are none yet.
  public init(_ container: PersistentContainer, _ version: LedgerVersion, seed: UInt64) throws {
    context = container.mainContext
    self.seed = seed
    if try context.count(FetchRequest<Clock>()) == 0 { try Self.found(in: context, version) }
    var sorted = FetchRequest<Label>()
    sorted.sortDescriptors = [SortDescriptor(\.name)]
    labels = try context.fetch(sorted)
    guard let clock = try context.fetch(FetchRequest<Clock>()).first else {
      throw LedgerError("there is no clock")
    }
    self.clock = clock
    ledger = Ledger(seed: seed, after: clock.lastStep)
  }

  private static func found(
    in context: ManagedObjectContext, _ version: LedgerVersion
  ) throws {
    _ = context.insert(Clock.self)
    for index in 0..<Ledger.labelCount { context.insert(Label.self).name = "\(index)" }
    for place in 0..<Ledger.shelfCount {
      let shelf = try context.insert(entityNamed: "Shelf")
      try shelf.setValue(.integer(Int64(place)), forKey: "place")
      try shelf.setValue(.string("shelf \(place)"), forKey: version.shelfTitle)
    }
    context.transactionAuthor = "founder"
    try context.save()
  }

  /// Makes the next step's changes, without saving them, and returns its number.
  public func prepare() throws -> Int64 {
    for change in ledger.advance(seed) { try make(change) }
    clock.lastStep = ledger.lastStep
    context.transactionAuthor = "step \(ledger.lastStep)"
    return ledger.lastStep
  }

  /// Saves the next step, and returns its number.
  public func save() throws -> Int64 {
    let number = try prepare()
    try context.save()
    return number
  }

  private func make(_ change: Ledger.Change) throws {
    switch change {
    case .insert(let number, let step):
      let object = context.insert(Step.self)
      object.number = number
      object.text = step.text
      object.photo = step.photoSize.map(Ledger.photo)
      for amount in step.amounts {
        let entry = context.insert(Entry.self)
        entry.amount = amount
        object.entries.append(entry)
      }
      for label in step.labels.sorted() { object.labels.insert(labels[label]) }
    case .rewrite(let number, let text): try step(number).text = text
    case .moveEntry(let from, let to): try step(to).entries.append(step(from).entries[0])
    case .label(let number, let wanted):
      let step = try step(number)
      for (index, label) in labels.enumerated() {
        // From either end.
        if wanted.contains(index) { label.steps.insert(step) } else { step.labels.remove(label) }
      }
    case .photograph(let number, let size): try step(number).photo = size.map(Ledger.photo)
    case .delete(let number): context.delete(try step(number))
    }
  }

  private func step(_ number: Int64) throws -> ManagedObject<Step> {
    guard
      let step = try context.fetch(FetchRequest<Step>(where: { $0.number == number })).first
    else { throw LedgerError("step \(number) is missing") }
    return step
  }
}

extension Ledger {
  /// The contents of a store; nil before the first save.
  init?(_ context: ManagedObjectContext) throws {
    guard let clock = try context.fetch(FetchRequest<Clock>()).first else { return nil }
    self.init(lastStep: clock.lastStep)
    for step in try context.fetch(FetchRequest<Reliability.Step>()) {
      guard steps[step.number] == nil else { throw LedgerError("two steps \(step.number)") }
      if let photo = step.photo, photo != Ledger.photo(photo.count) {
        throw LedgerError("the photo of step \(step.number) is damaged")
      }
      steps[step.number] = Step(
        text: step.text, photoSize: step.photo?.count, amounts: step.entries.map(\.amount),
        labels: Set(step.labels.compactMap { Int($0.name) }))
    }
    for label in try context.fetch(FetchRequest<Label>()) {
      let index = Int(label.name) ?? -1
      for step in label.steps where steps[step.number]?.labels.contains(index) != true {
        throw LedgerError("label \(label.name) has step \(step.number), which lacks it")
      }
    }
    if let error = context.faultError { throw error }
  }
}

/// A problem with a store.
public struct LedgerError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
