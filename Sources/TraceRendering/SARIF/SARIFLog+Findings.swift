// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
public import TraceAnalysis

extension SARIFLog {
  /// - Parameters:
  ///   - findings: the findings that no exception suppresses.
  ///   - profile: the profile that they were found in.
  ///   - version: the tool's.
  ///   - location: finds the line of a caller, or a line of the inputs where the caller is unknown.
  public init(
    findings: [Finding], in profile: Profile, version: String,
    location: (_ caller: SourceLocation, _ sql: String?) -> FileLine
  ) {
    let rules = Rules.all.map { type(of: $0) }
    let sql = findings.map { $0.statement.flatMap { profile.statement($0)?.sql } }
    let locations = zip(findings, sql).map { location($0.caller, $1) }
    let fingerprints = Self.fingerprints(findings, sql, locations)
    let results = findings.indices.map { index in
      let (finding, sql) = (findings[index], sql[index])
      return Result(
        ruleId: finding.rule, ruleIndex: rules.firstIndex { $0.name == finding.rule } ?? 0,
        level: finding.severity == .warning ? "warning" : "note",
        message: Message(
          text:
            "\(finding.message)\(sql.map { "\n\(SharedStatement(sql: $0).template)" } ?? "")\nfix: \(finding.fix)"
        ),
        locations: [Location(locations[index])],
        partialFingerprints: ["finding/v2": fingerprints[index]])
    }
    let completeness = profile.completeness
    runs = [
      Run(
        version, rules.map { ($0.name, $0.explanation.law) }, results,
        isWhole: completeness.isComplete, notes: completeness.doubts)
    ]
  }
  /// The rule, the object, the statement's form and the file, and of equal ones their order in the file: lines shift
  /// when code above them changes.
  private static func fingerprints(
    _ findings: [Finding], _ sql: [String?], _ locations: [FileLine]
  ) -> [String] {
    let keys = findings.indices.map { index in
      let form = SQLFingerprint(sql: sql[index] ?? "").description
      return "\(findings[index].rule)/\(findings[index].object)/\(StatementID(sql: form))/"
        + locations[index].path
    }
    var result = keys
    for equal in Dictionary(grouping: findings.indices, by: { keys[$0] }).values {
      let ordered = equal.sorted { (locations[$0].line, $0) < (locations[$1].line, $1) }
      for (number, index) in ordered.enumerated() { result[index] += "/\(number + 1)" }
    }
    return result
  }
}
