// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// Compares how long statements took, over several runs each side.
///
/// A statement is slower if the order of the runs is unlikely by chance and the effect is large
/// enough. Both are required, because with many runs even the smallest effect is significant.
public struct TimingGate: Sendable {
  /// The least change of the median that counts, as a part of it.
  public var minimumEffect: Double
  /// The default minimum effect, 10%.
  public static let defaultMinimumEffect = 0.1
  // With five runs per side the rarest order has 1 chance in 252; with four, 1 in 70 is not
  // sufficient.
  /// The minimum number of runs on each side.
  public static let minRuns = 5
  static let significance = 0.01

  /// Makes a gate that ignores smaller relative effects.
  public init(minimumEffect: Double = Self.defaultMinimumEffect) {
    self.minimumEffect = minimumEffect
  }

  /// How a statement's time changed.
  public struct Change: Hashable, Sendable {
    /// The fingerprint.
    public var sql: String
    /// The line of code.
    public var caller: SourceLocation
    /// Median of the runs' mean times, in nanoseconds.
    public var before: Double
    /// The median mean time now, in nanoseconds.
    public var after: Double
    /// The probability of such a difference by chance.
    public var probability: Double
  }

  /// The statements whose times changed.
  public struct Result: Hashable, Sendable {
    /// Statements that became slower.
    public var slower: [Change] = []
    /// Statements that became faster.
    public var faster: [Change] = []
    /// The reason why there is no verdict; nil if there is one.
    public var reservation: String?
  }

  /// Compares the mean times of each statement.
  public func compare(_ runs: [Profile], with baseline: BaselineV1) -> Result {
    var result = Result()
    let before = baseline.withCurrentForms.statements.reduce(into: [String: [Double]]()) {
      $0[$1.sql] = $1.meanNs ?? []
    }
    let known = before.values.map(\.count).max() ?? 0
    guard min(runs.count, known) >= Self.minRuns else {
      result.reservation = """
        times cannot be compared with \(known.counted("run")) in the baseline and \(runs.count) now: pass \
        \(Self.minRuns) or more to baseline --timing and to gate --timing
        """
      return result
    }
    for (fingerprint, groups) in Self.groups(of: runs) {
      guard let old = before[fingerprint.description], old.count >= Self.minRuns,
        groups.count >= Self.minRuns
      else { continue }
      let new = groups.map(\.meanTime)
      let change = Change(
        sql: fingerprint.description, caller: groups[0].caller, before: Self.median(old),
        after: Self.median(new),
        probability: min(
          MannWhitneyTest(old, new).probability, MannWhitneyTest(new, old).probability))
      guard change.probability <= Self.significance else { continue }
      if change.after >= change.before * (1 + minimumEffect) {
        result.slower.append(change)
      } else if change.before >= change.after * (1 + minimumEffect) {
        result.faster.append(change)
      }
    }
    return result
  }

  /// Each statement's runs, in the order of the statements' fingerprints.
  static func groups(of runs: [Profile]) -> [(SQLFingerprint, [StatementGroup])] {
    let all = runs.map(\.statementGroups)
    return Set(all.flatMap(\.keys)).sorted().map { fingerprint in
      (fingerprint, all.compactMap { $0[fingerprint] })
    }
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
