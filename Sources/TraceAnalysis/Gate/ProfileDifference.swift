// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Two runs of the same work side by side, such as before and after a change.
public struct ProfileDifference: Sendable {
  /// The first run.
  public var before: Profile
  /// The second run.
  public var after: Profile
  /// Pairs with changed work first, then by the time of the slower side, longest first; a side is
  /// nil if it does not have the statement.
  public var pairs: [Pair]
  /// The findings that came and went.
  public var findings: FindingDifference

  /// A statement of the two runs.
  public struct Pair: Hashable, Sendable {
    /// The statement in the first run, or nil if it did not run.
    public var before: StatementGroup?
    /// The statement in the second run, or nil if it did not run.
    public var after: StatementGroup?

    /// The factor by which a run has become faster: above 1 is faster; nil if a side is missing.
    public var speedup: Double? {
      guard let before = before?.meanTime, let after = after?.meanTime, after > 0 else {
        return nil
      }
      return before / after
    }

    /// Whether both sides have SQLite's counters, which logs of others lack.
    public var isCounted: Bool {
      [before, after].allSatisfy { $0?.work.known(\.vmSteps) != nil }
    }

    /// Whether the statement of the one run was rewritten for the other.
    public var isRewritten: Bool {
      guard let before, let after else { return false }
      return before.fingerprint != after.fingerprint
    }

    /// Whether a run did as many rows, scan steps and VM steps before as after, these within the tolerance of a gate.
    ///
    /// Without counters, the same statement with the same rows is assumed to do the same work.
    public var isSamePerRun: Bool {
      guard let before, let after, isCounted || !isRewritten else { return false }
      let (old, new) = (before.work.perRun(\.vmSteps), after.work.perRun(\.vmSteps))
      return abs(new - old) <= old * Gate.defaultTolerance
        && before.work.perRun(\.rows) == after.work.perRun(\.rows)
        && before.work.perRun(\.fullScanSteps) == after.work.perRun(\.fullScanSteps)
    }

    /// Whether it did the same work as often.
    public var isSame: Bool { isSamePerRun && before?.work.count == after?.work.count }

    fileprivate var time: Int64 {
      max(before?.work.totalTime ?? 0, after?.work.totalTime ?? 0)
    }
  }

  /// Pairs statements by fingerprint; then statements of the same words in another order, as after
  /// moving the terms of an AND; then statements of the same line of code; then, if the line is
  /// unknown, the only two that return the same columns and the same number of rows of an entity.
  ///
  /// Findings that `exceptions` suppress on `today`, such as `2026-11-21`, count as suppressed.
  public init(
    before: Profile, after: Profile, exceptions: ExceptionFile = ExceptionFile(), today: String = ""
  ) {
    self.before = before
    self.after = after
    findings = FindingDifference(
      before: before, after: after, exceptions: exceptions, today: today)
    var left = before.statementGroups.values.sorted { $0.fingerprint < $1.fingerprint }
    var right = after.statementGroups.values.sorted { $0.fingerprint < $1.fingerprint }
    var pairs: [Pair] = []
    for key in [\StatementGroup.textKey, \.wordsKey, \.callerKey] {
      Self.movePairs(from: &left, &right, by: key, into: &pairs)
    }
    Self.moveUniquePairs(from: &left, &right, by: \.resultKey, into: &pairs)
    pairs += left.map { Pair(before: $0, after: nil) } + right.map { Pair(before: nil, after: $0) }
    let ordered = pairs.sorted(by: \.time) {
      ($0.before ?? $0.after)?.fingerprint.description ?? ""
    }
    self.pairs = ordered.filter { !$0.isSame } + ordered.filter(\.isSame)
  }

  /// Pairs statements with a key that no other one of their side has.
  private static func moveUniquePairs(
    from left: inout [StatementGroup], _ right: inout [StatementGroup],
    by key: KeyPath<StatementGroup, String?>, into pairs: inout [Pair]
  ) {
    let (ofLeft, ofRight) = (
      Dictionary(grouping: left) { $0[keyPath: key] },
      Dictionary(grouping: right) { $0[keyPath: key] }
    )
    for (value, groups) in ofLeft.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
      guard value != nil, groups.count == 1, let others = ofRight[value], others.count == 1 else {
        continue
      }
      pairs.append(Pair(before: groups[0], after: others[0]))
      left.removeAll { $0.fingerprint == groups[0].fingerprint }
      right.removeAll { $0.fingerprint == others[0].fingerprint }
    }
  }

  private static func movePairs(
    from left: inout [StatementGroup], _ right: inout [StatementGroup],
    by key: KeyPath<StatementGroup, String?>, into pairs: inout [Pair]
  ) {
    var candidates = Dictionary(
      right.enumerated().compactMap { index, group in group[keyPath: key].map { ($0, [index]) } },
      uniquingKeysWith: +)
    var paired: Set<Int> = []
    left.removeAll { group in
      guard let value = group[keyPath: key], var found = candidates[value], !found.isEmpty else {
        return false
      }
      let index = found.removeFirst()
      candidates[value] = found
      paired.insert(index)
      pairs.append(Pair(before: group, after: right[index]))
      return true
    }
    right = right.enumerated().filter { !paired.contains($0.offset) }.map(\.element)
  }
}

extension StatementGroup {
  fileprivate var textKey: String? { fingerprint.description }

  /// The words in alphabetical order, parentheses aside.
  fileprivate var wordsKey: String? {
    fingerprint.description.split { " (),".contains($0) }.sorted().joined(separator: " ")
  }

  /// An UPDATE does not replace a CREATE INDEX of the same line.
  fileprivate var callerKey: String? {
    let kind = fingerprint.description.prefix(while: \.isLetter)
    return caller.text.map { "\($0) \(statement.entity) \(kind)" }
  }

  /// The columns, the entity and the rows; nil where the line is known, or nothing was returned.
  fileprivate var resultKey: String? {
    guard caller == .unknown, work.rows > 0, !statement.entity.isEmpty else { return nil }
    return "\(fingerprint.columns) \(statement.entity) \(work.rows) \(work.count)"
  }

  /// The mean time of a run, in nanoseconds.
  public var meanTime: Double {
    work.count == 0 ? 0 : Double(work.totalTime) / Double(work.count)
  }
}
