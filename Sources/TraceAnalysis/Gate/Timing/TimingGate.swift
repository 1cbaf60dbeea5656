// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// Compares how long statements took, over several runs each side.
///
/// A statement is slower if the order of the runs is unlikely by chance and the effect is large
/// enough. Both are required, because with many runs even the smallest effect is significant.
///
/// The runs of the baseline are of another day. Where most statements take longer by the effect that counts, the
/// machine may be slower or busier, and there is no verdict.
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
  // Of two statements that take longer, each may be the reason.
  static let minStatementsOfMachine = 3

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

  /// The statements with changed times.
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
    let changes = Self.groups(of: runs).compactMap { fingerprint, groups in
      change(of: fingerprint, before[fingerprint.description] ?? [], groups)
    }
    if let factor = Self.factorOfMachine(changes), factor >= 1 + minimumEffect {
      let hundredths = Int((factor * 100).rounded())
      result.reservation = """
        times cannot be compared: half of the statements take \(hundredths / 100).\(hundredths % 100 / 10) \
        times as long as in the baseline or more, so the machine may be slower or busier; repeat the runs, or \
        record both sides on an idle machine
        """
      return result
    }
    for change in changes where change.probability <= Self.significance {
      if change.after >= change.before * (1 + minimumEffect) {
        result.slower.append(change)
      } else if change.before >= change.after * (1 + minimumEffect) {
        result.faster.append(change)
      }
    }
    return result
  }

  /// Nil without enough runs on a side.
  private func change(
    of fingerprint: SQLFingerprint, _ old: [Double], _ groups: [StatementGroup]
  ) -> Change? {
    guard min(old.count, groups.count) >= Self.minRuns else { return nil }
    let new = groups.map(\.meanTime)
    return Change(
      sql: fingerprint.description, caller: groups[0].caller, before: old.median,
      after: new.median,
      probability: min(
        MannWhitneyTest(old, new).probability, MannWhitneyTest(new, old).probability))
  }

  /// The factor by which at least half of the statements take longer; nil for few statements.
  private static func factorOfMachine(_ changes: [Change]) -> Double? {
    let factors = changes.filter { $0.before > 0 }.map { $0.after / $0.before }
    return factors.count < minStatementsOfMachine ? nil : factors.median
  }

  /// Each statement's runs, in the order of the statements' fingerprints.
  static func groups(of runs: [Profile]) -> [(SQLFingerprint, [StatementGroup])] {
    let all = runs.map(\.statementGroups)
    return Set(all.flatMap(\.keys)).sorted().map { fingerprint in
      (fingerprint, all.compactMap { $0[fingerprint] })
    }
  }
}
