// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The findings that came and went between two runs.
///
/// A finding is the same in both runs if its rule, the shape of its statement, its file and its object
/// are: its line may have moved.
public struct FindingDifference: Hashable, Sendable {
  /// The findings that only the second run has, in the order of their cost.
  public private(set) var new: [Finding] = []
  /// The findings that only the first run has.
  public private(set) var gone: [Finding] = []
  /// The number of findings that both have.
  public private(set) var stayed = 0
  /// The number of findings of the second run that an exception suppresses; no other property
  /// includes them.
  public private(set) var suppressed = 0

  /// Compares the findings of two runs, without findings that a file suppresses on a day such as
  /// `2026-11-21`.
  public init(before: Profile, after: Profile, exceptions: ExceptionFile, today: String) {
    func review(_ profile: Profile) -> FindingReview {
      FindingReview(profile.findings, in: profile, file: exceptions, today: today)
    }
    let reviewed = review(after)
    suppressed = reviewed.suppressed.count
    var left = Self.keyed(review(before).findings, in: before)
    var right = Self.keyed(reviewed.findings, in: after)
    stayed = Self.removeCommon(&left, &right) { $0 }
    // A report without values has another rule of scans for `LIKE ?` than a trace for `LIKE 'a%'`.
    stayed += Self.removeCommon(&left, &right) { key in
      guard Rules.ofScans.contains(key.rule) else { return nil }
      var key = key
      key.rule = "scan"
      return key
    }
    (gone, new) = (left.map(\.finding), right.map(\.finding))
  }

  private typealias Keyed = (finding: Finding, key: KnownFinding.Key)

  /// Removes the findings that both sides have by some key: a report without values has one statement for
  /// several of a trace.
  ///
  /// - Returns: the number of removed findings of the second side.
  private static func removeCommon(
    _ left: inout [Keyed], _ right: inout [Keyed], by key: (KnownFinding.Key) -> KnownFinding.Key?
  ) -> Int {
    let common = Set(left.compactMap { key($0.key) }).intersection(right.compactMap { key($0.key) })
    func isCommon(_ finding: Keyed) -> Bool { key(finding.key).map(common.contains) ?? false }
    let all = right.count
    left.removeAll(where: isCommon)
    right.removeAll(where: isCommon)
    return all - right.count
  }

  private static func keyed(_ findings: [Finding], in profile: Profile) -> [Keyed] {
    let texts = Dictionary(
      profile.statements.map { ($0.id, $0.sql) }, uniquingKeysWith: { first, _ in first })
    return findings.map {
      ($0, KnownFinding($0, sql: $0.statement.flatMap { texts[$0] ?? nil }).key)
    }
  }
}
