// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The expected contents of a ledger after a number of saves, which all follow from a seed.
public struct Ledger: Equatable, Sendable {
  public struct Step: Equatable, Sendable {
    var text: String
    /// In bytes; nil without a photo.
    var photoSize: Int?
    /// In the order of the entries.
    var amounts: [Int64]
    var labels: Set<Int>
  }

  /// One thing that a save does.
  enum Change {
    case insert(Int64, Step)
    case rewrite(Int64, String)
    /// The first entry goes to the end of another step's.
    case moveEntry(from: Int64, to: Int64)
    case label(Int64, Set<Int>)
    case photograph(Int64, Int?)
    case delete(Int64)
  }

  static let labelCount = 6
  static let shelfCount = 200

  public private(set) var lastStep: Int64 = 0
  var steps: [Int64: Step] = [:]

  public init() {}

  init(lastStep: Int64) { self.lastStep = lastStep }

  /// The ledger after so many saves.
  public init(seed: UInt64, after lastStep: Int64) {
    while self.lastStep < lastStep { _ = advance(seed) }
  }

  /// Applies the next save, and returns its changes.
  mutating func advance(_ seed: UInt64) -> [Change] {
    lastStep += 1
    var random = SeededGenerator(seed: seed &+ UInt64(lastStep) &* 0x2545_f491_4f6c_dd1d)
    var changes: [Change] = []
    func make(_ change: Change) {
      apply(change)
      changes.append(change)
    }
    make(.insert(lastStep, Step(&random)))
    if Bool.random(using: &random) { make(.rewrite(pick(&random), Self.text(&random))) }
    if Bool.random(using: &random) {
      let (from, to) = (pick(&random), pick(&random))
      if from != to, steps[from]?.amounts.isEmpty == false { make(.moveEntry(from: from, to: to)) }
    }
    if Bool.random(using: &random) { make(.label(pick(&random), Self.labels(&random))) }
    if Bool.random(using: &random) { make(.photograph(pick(&random), Self.photoSize(&random))) }
    // Three dozen: enough for rows to be moved between pages, and soon compared.
    while steps.count > 36 {
      let number = pick(&random)
      // An object that is inserted and deleted at once is never written.
      if number != lastStep { make(.delete(number)) }
    }
    return changes
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .insert(let number, let step): steps[number] = step
    case .rewrite(let number, let text): steps[number]?.text = text
    case .moveEntry(let from, let to):
      if let amount = steps[from]?.amounts.removeFirst() { steps[to]?.amounts.append(amount) }
    case .label(let number, let labels): steps[number]?.labels = labels
    case .photograph(let number, let size): steps[number]?.photoSize = size
    case .delete(let number): steps[number] = nil
    }
  }

  private func pick(_ random: inout SeededGenerator) -> Int64 {
    steps.keys.sorted().randomElement(using: &random) ?? lastStep
  }

  fileprivate static func text(_ random: inout SeededGenerator) -> String {
    String(repeating: "é\(random.next() % 1000) ", count: Int.random(in: 1...60, using: &random))
  }

  fileprivate static func labels(_ random: inout SeededGenerator) -> Set<Int> {
    Set((0..<labelCount).filter { _ in Bool.random(using: &random) })
  }

  /// Mostly a few bytes, some pages at times, and now and then as many as bring a checkpoint about.
  fileprivate static func photoSize(_ random: inout SeededGenerator) -> Int? {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: nil
    case 3..<6: Int.random(in: 0..<200, using: &random)
    case 6..<9: Int.random(in: 200..<40_000, using: &random)
    default: Int.random(in: 100_000..<600_000, using: &random)
    }
  }

  /// The bytes of a photo of a size.
  static func photo(_ size: Int) -> Data {
    var data = Data(repeating: UInt8(truncatingIfNeeded: size), count: size)
    for place in stride(from: 0, to: size, by: 509) {
      data[place] = UInt8(truncatingIfNeeded: place / 509 &+ size)
    }
    return data
  }

  /// The first difference to another ledger, for people.
  func difference(to other: Ledger) -> String? {
    guard self != other else { return nil }
    if lastStep != other.lastStep { return "\(lastStep) saves instead of \(other.lastStep)" }
    for number in Set(steps.keys).union(other.steps.keys).sorted()
    where steps[number] != other.steps[number] {
      return "step \(number) is \(steps[number].map { "\($0)" } ?? "missing") instead of "
        + (other.steps[number].map { "\($0)" } ?? "missing")
    }
    return "not the same"
  }
}

extension Ledger.Step {
  fileprivate init(_ random: inout SeededGenerator) {
    text = Ledger.text(&random)
    photoSize = Ledger.photoSize(&random)
    let count = Int.random(in: 0...5, using: &random)
    amounts = (0..<count).map { _ in Int64.random(in: -1000...1000, using: &random) }
    labels = Ledger.labels(&random)
  }
}
