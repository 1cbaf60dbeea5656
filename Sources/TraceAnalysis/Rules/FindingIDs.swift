// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The ids of the findings of a run, which another run of the same code has as well: they depend neither on the order
/// of findings nor on a clock.
///
///     FindingIDs(findings, in: profile).id(of: findings[0])    // 5c3f6a0d1e2b4987
public struct FindingIDs: Sendable {
  private var texts: [StatementID: String] = [:]
  private let functions: [SourceLocation: String]
  private var repeated: Set<StatementID> = []

  /// - Parameters:
  ///   - findings: all of them: one that shares its rule, form and function with another has its line in its id.
  ///   - profile: the run.
  public init(_ findings: [Finding], in profile: Profile) {
    functions = profile.functions
    for statement in profile.statements { texts[statement.id] = statement.sql }
    var seen: Set<StatementID> = []
    for finding in findings where !seen.insert(hash(finding)).inserted {
      repeated.insert(hash(finding))
    }
  }

  /// Sixteen hexadecimal digits.
  public func id(of finding: Finding) -> String {
    let id = hash(finding)
    return (repeated.contains(id) ? hash(finding, line: finding.caller.line) : id).description
  }

  private func hash(_ finding: Finding, line: UInt64? = nil) -> StatementID {
    let known = KnownFinding(
      finding, sql: finding.statement.flatMap { texts[$0] }, function: functions[finding.caller])
    let key = known.key
    let words = [
      key.rule, key.shape, key.file ?? "", known.function ?? "", key.object ?? "",
      line.map { "\($0)" } ?? "",
    ]
    return StatementID(sql: words.joined(separator: "\n"))
  }
}
