// SPDX-License-Identifier: Apache-2.0

/// Measures several variants of one thing, interleaved and in random order.
///
/// Variant 0 is the one as written; the others are compared with it.
struct OrderingTrial {
  var minimumEffect = 0.05
  // 101 is arbitrary: an interval still wide then is the machine's fault.
  var maxRounds = 101

  enum Verdict: Hashable, Sendable {
    /// The variant is faster than variant 0, or variant 0 is faster than all: then it is 0.
    case fastest(Int)
    case noDifference
    /// Time was up before there were rounds enough.
    case inconclusive
  }

  struct Outcome {
    var verdict: Verdict
    /// Time of each variant as a multiple of variant 0's; nil without rounds enough.
    var ratios: [PairedRatio?]
    /// Median time in nanoseconds.
    var medians: [Double]
    var rounds: Int
  }

  /// - Parameters:
  ///   - measure: runs a variant and returns its time, in nanoseconds, or nil where it was stopped:
  ///     then the round does not count, and no other begins. Each has run once before.
  ///   - isTimeUp: called after each round.
  func run(
    variants: Int, using generator: inout some RandomNumberGenerator,
    isTimeUp: () -> Bool, measure: (Int) throws -> Double?
  ) rethrows -> Outcome {
    var times = [[Double]](repeating: [], count: variants)
    let least = PairedRatio.minRounds(comparisons: variants - 1)
    var round = 0
    rounds: while round < max(maxRounds, least) {
      var row = [Double](repeating: 0, count: variants)
      for variant in (0..<variants).shuffled(using: &generator) {
        guard let time = try measure(variant) else { break rounds }
        row[variant] = max(time, 1)
      }
      for variant in 0..<variants { times[variant].append(row[variant]) }
      round += 1
      if isTimeUp() || (round >= least && isDecided(ratios(times))) { break }
    }
    let ratios = ratios(times)
    return Outcome(
      verdict: verdict(ratios), ratios: ratios, medians: times.map(\.median), rounds: round)
  }

  private func ratios(_ times: [[Double]]) -> [PairedRatio?] {
    times.map {
      PairedRatio(ratios: zip($0, times[0]).map { $0 / $1 }, comparisons: times.count - 1)
    }
  }

  // 25 rounds leave ranks 8 and 18: a disturbed round in four moves neither.
  private static let roundsThatBearAVerdict = 25

  /// Whether every interval is narrower than the effect that matters, or clear of 1 after rounds
  /// enough to measure by how much.
  private func isDecided(_ ratios: [PairedRatio?]) -> Bool {
    ratios.dropFirst().allSatisfy { ratio in
      guard let ratio else { return false }
      return ratio.high / ratio.low < 1 + minimumEffect
        || (!ratio.holdsOne && ratio.rounds >= Self.roundsThatBearAVerdict)
    }
  }

  private func verdict(_ ratios: [PairedRatio?]) -> Verdict {
    let known = ratios.compactMap { $0 }
    guard known.count == ratios.count, known.count > 1 else { return .inconclusive }
    let others = known.enumerated().dropFirst()
    let faster = others.filter { $0.element.high < 1 && $0.element.median <= 1 - minimumEffect }
    if let best = faster.min(by: { $0.element.median < $1.element.median }) {
      return .fastest(best.offset)
    }
    let slower = others.contains { $0.element.low > 1 && $0.element.median >= 1 + minimumEffect }
    return slower ? .fastest(0) : .noDifference
  }
}
