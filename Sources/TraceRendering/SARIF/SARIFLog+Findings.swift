// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceAnalysis

extension SARIFLog {
  /// - Parameters:
  ///   - findings: those that no exception excuses.
  ///   - profile: what they were found in.
  ///   - version: the tool's.
  ///   - place: finds the line of a caller, or a line of the inputs where the caller is unknown.
  public init(
    findings: [Finding], in profile: Profile, version: String,
    place: (_ caller: SourceLocation, _ sql: String?) -> Place
  ) {
    let rules = Rules.all.map { type(of: $0) }
    let results = findings.map { finding in
      let sql = finding.statement.flatMap { profile.statement($0)?.sql }
      return Result(
        ruleId: finding.rule, ruleIndex: rules.firstIndex { $0.name == finding.rule } ?? 0,
        level: finding.severity == .warning ? "warning" : "note",
        message: Message(
          text: "\(finding.message)\(sql.map { "\n\($0)" } ?? "")\nfix: \(finding.fix)"),
        locations: [Location(place(finding.caller, sql))],
        partialFingerprints: [
          "finding/v1": "\(finding.rule)/\(finding.object)/\(StatementID(sql: sql ?? ""))"
        ])
    }
    let completeness = profile.completeness
    runs = [
      Run(
        tool: Tool(
          driver: Driver(
            version: version,
            rules: rules.map {
              Rule(id: $0.name, shortDescription: Message(text: $0.explanation.law))
            })),
        invocations: [
          Invocation(
            executionSuccessful: completeness.isComplete,
            toolExecutionNotifications: completeness.doubts.map {
              Notification(message: Message(text: $0))
            })
        ], results: results)
    ]
  }
}
