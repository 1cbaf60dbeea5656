// SPDX-License-Identifier: Apache-2.0

public import TraceAnalysis

/// The output of `prove --json`, version 1.
public struct ProofV1: Codable, Hashable, Sendable, BriefReport {
  public var schemaVersion = 1
  /// `proven`, `notProven` or `inconclusive`.
  public var verdict: String
  /// The proven fact, or the reason why it was not proven.
  public var sentence: String
  /// The reasons for a verdict other than proven, decisive ones first.
  public var reasons: [String]
  /// Runs, rows, and the counts that differ.
  public var counts: [GateResult.Change]
  /// The tests that were compared; null where tests have no names.
  public var tests: Int?
  /// Statements with the same rows and different runs or texts.
  public var statements: [Pair]
  /// Statements and reasons that the budget left out; null without one.
  public var leftOut: Int?
  /// A remark on facts that no recording shows.
  public var remark: String

  public struct Pair: Codable, Hashable, Sendable {
    /// Null where tests have no names.
    public var test: String?
    public var before: [Proof.Side]
    public var after: [Proof.Side]
    /// Why the rows are the same: `rows`, `lookups` or `join`.
    public var basis: String
  }

  /// The report of a comparison.
  public init(_ proof: Proof) {
    verdict = proof.verdict.rawValue
    sentence = proof.sentence
    reasons = proof.reasons
    counts = proof.counts
    tests = proof.tests == 0 ? nil : proof.tests
    statements = proof.pairs.filter(\.isChanged).map { pair in
      Pair(
        test: pair.test.isEmpty ? nil : pair.test, before: pair.before, after: pair.after,
        basis: pair.basis.rawValue)
    }
    remark = Proof.remark
  }

  public var items: Int { reasons.count + statements.count }

  public func prefix(_ items: Int) -> Self {
    var part = self
    part.reasons = Array(reasons.prefix(items))
    part.statements = Array(statements.prefix(items - part.reasons.count))
    part.leftOut = self.items - items
    return part
  }
}
