// SPDX-License-Identifier: Apache-2.0

/// Chooses which runs of a statement to keep: the first distinct values, then a sample.
///
/// The sample is Vitter's reservoir (algorithm R): of any number of runs beyond the first distinct
/// values each is kept with equal probability. The generator's seed is the statement, so that the
/// same runs result in the same choice.
public struct RunSampler: Sendable {
  public enum Choice: Hashable, Sendable {
    /// Kept among the first.
    case first
    /// Replaces the run at an index of the sample.
    case sample(slot: Int)
    case skip
  }

  // 64 is arbitrary: more than that a report does not run.
  public static let firstCount = 64
  public static let sampleCount = 64

  private var seen: Set<Int> = []
  private var beyond = 0
  private var state: UInt64

  public init(_ statement: StatementID) { state = statement.rawValue }

  /// Decides about one run.
  ///
  /// - Parameter hash: of its values.
  public mutating func choose(hash: Int) -> Choice {
    guard !seen.contains(hash) else { return .skip }
    guard seen.count == Self.firstCount else {
      seen.insert(hash)
      return .first
    }
    beyond += 1
    guard beyond > Self.sampleCount else { return .sample(slot: beyond - 1) }
    let slot = Int(next() % UInt64(beyond))
    return slot < Self.sampleCount ? .sample(slot: slot) : .skip
  }

  /// SplitMix64; see <https://prng.di.unimi.it/splitmix64.c>.
  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
