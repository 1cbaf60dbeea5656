// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The design's goal for a contender.
package indirect enum Goal {
  /// A ratio to the reference.
  case atMost(Double)
  /// As many times faster than this contender.
  case fasterThan(String, times: Double)
  /// A ratio to this contender.
  case times(Double, of: String)
  /// At most the time of this contender.
  case noSlowerThan(String)
  /// At most so many times the peak memory of this contender.
  case memory(Double, of: String)
  /// At most so many megabytes of peak memory.
  case megabytes(Double)
  case both(Goal, Goal)
}

/// Whether a goal was reached, and by how much.
package struct Verdict {
  package enum Outcome: String {
    case met
    case missed = "**missed**"
    /// The 95% interval holds the goal.
    case metByMedian = "met by the median, not by the interval"
    case missedByMedian = "**missed** by the median, not by the interval"
  }

  /// `≤ 1.2 × the reference`.
  package let goal: String
  /// `1.07 (1.06–1.07)`.
  package let value: String
  package let outcome: Outcome

  package init(goal: String, value: String, outcome: Outcome) {
    self.goal = goal
    self.value = value
    self.outcome = outcome
  }

  /// - Parameter isUpper: whether the goal is the most that is allowed, or the least.
  package init(goal: String, _ value: Ratio, limit: Double, isUpper: Bool, text: (Double) -> String)
  {
    let sign = isUpper ? 1.0 : -1.0
    let passes = { (value: Double) in (limit - value) * sign >= 0 }
    let ends = [passes(value.low), passes(value.high)]
    let outcome: Outcome =
      passes(value.median)
      ? (ends.allSatisfy { $0 } ? .met : .metByMedian)
      : (ends.contains(true) ? .missedByMedian : .missed)
    self.init(
      goal: goal, value: "\(text(value.median)) (\(text(value.low))–\(text(value.high)))",
      outcome: outcome)
  }
}

extension Measurement {
  /// The verdicts on a contender's goals.
  package func verdicts(_ index: Int) -> [Verdict] {
    comparison.contenders[index].goal.map { verdicts(index, $0) } ?? []
  }

  private func verdicts(_ index: Int, _ goal: Goal) -> [Verdict] {
    let two = { String(format: "%.2f", $0) }
    let number = { String(format: "%g", $0) }
    switch goal {
    case .both(let first, let second): return verdicts(index, first) + verdicts(index, second)
    case .atMost(let limit):
      let reference = comparison.contenders[reference(of: index)].name
      return [
        Verdict(
          goal: "≤ \(number(limit)) × \(reference)", ratio(index, to: self.reference(of: index)),
          limit: limit, isUpper: true, text: { String(format: limit < 1.1 ? "%.3f" : "%.2f", $0) })
      ]
    case .fasterThan(let name, let times):
      return [
        Verdict(
          goal: "≥ \(number(times)) × faster than \(name)", ratio(self.index(of: name), to: index),
          limit: times, isUpper: false, text: two)
      ]
    case .times(let limit, let name):
      return [
        Verdict(
          goal: "≤ \(number(limit)) × \(name)", ratio(index, to: self.index(of: name)),
          limit: limit,
          isUpper: true, text: two)
      ]
    case .noSlowerThan(let name):
      return [
        Verdict(
          goal: "never slower than \(name)", ratio(index, to: self.index(of: name)), limit: 1,
          isUpper: true, text: two)
      ]
    case .memory(let limit, let name):
      let (ours, theirs) = (memory[index] ?? 0, memory[self.index(of: name)] ?? 0)
      let value = Double(ours) / Double(max(theirs, 1))
      return [
        Verdict(
          goal: "memory ≤ \(number(limit)) × \(name)", value: two(value),
          outcome: ours > 0 && theirs > 0 && value <= limit ? .met : .missed)
      ]
    case .megabytes(let limit):
      let bytes = Double(memory[index] ?? 0)
      return [
        Verdict(
          goal: "≤ \(Cell.count(limit)) MB", value: "\(String(format: "%.1f", bytes / 1e6)) MB",
          outcome: bytes > 0 && bytes <= limit * 1e6 ? .met : .missed)
      ]
    }
  }
}
