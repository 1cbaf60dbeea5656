// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

/// The output of `statement --json`, version 1: one statement, its callers and its findings.
public struct StatementV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// Its SQL has `?` for each value.
  public var statement: ReportV1.Statement
  public var findings: [BriefV1.Finding]
  /// The loops with this statement: as the list, or as the statement that runs for each row.
  public var loops: [Loop]

  public struct Loop: Codable, Hashable, Sendable {
    public var parent: String
    public var parentAt: String?
    public var child: String
    public var childAt: String?
    /// Rows that the parent returned, and runs of the child.
    public var parentRows: UInt64
    public var runs: UInt64
  }

  /// - Parameters:
  ///   - id: of the statement in a report: the beginning is enough, where no other one has it.
  ///   - review: the findings of the profile.
  /// - Returns: nil if no statement, or more than one, has the id.
  public init?(_ id: String, in profile: Profile, review: FindingReview) {
    let shared = SharedProfile(profile)
    let known = profile.statements.first { $0.id.description == id }?.sharedID.description
    let found = shared.profile.statements.filter { $0.id.description.hasPrefix(known ?? id) }
    guard found.count == 1, let own = found.first else { return nil }
    statement = ReportV1.Statement(own, measured: profile.measures)
    let ids = FindingIDs(review.findings + review.suppressed.map(\.finding), in: profile)
    findings = review.findings.filter { shared.shared($0).statement == own.id }
      .map { BriefV1.Finding($0, id: ids.id(of: $0), in: shared) }
    loops = (shared.profile.observed?.loops ?? []).filter {
      $0.parent == own.id || $0.child == own.id
    }.map {
      Loop(
        parent: "\($0.parent)", parentAt: $0.parentLocation.text, child: "\($0.child)",
        childAt: $0.childLocation.text, parentRows: $0.parentRows, runs: $0.runs)
    }
  }
}

extension Document {
  /// A statement with its counts, lines of code and findings.
  public init(_ report: StatementV1) {
    let statement = report.statement.fields
    self.init(title: "statement \(statement.id)")
    add(statement.sql ?? "Its text is not in the input.")
    blocks.append(
      .facts(
        [
          .init("runs", .count(statement.count)), .init("rows", .count(statement.rows)),
          .init("in all", .duration(statement.totalNs)),
          .init("95% of the runs", .duration(statement.p95Ns)),
        ]
          + WorkMetric.counters.map {
            .init($0.title, .count(report.statement.counters[$0.measure] ?? 0))
          }))
    for caller in statement.callers {
      let (runs, rows) = (caller.count.counted("run"), caller.rows.counted("row"))
      add("\(caller.file):\(caller.line)  \(runs), \(rows)")
    }
    for loop in report.loops {
      let (runs, rows) = (loop.runs.counted("time"), loop.parentRows.counted("row"))
      add(
        loop.child == statement.id
          ? "It ran \(runs) for the \(rows) of \(loop.parent)."
          : "\(loop.child) ran \(runs) for its \(rows).")
    }
    blocks += report.findings.map { finding in
      .item(
        Item(
          tone: finding.severity == "warning" ? .bad : .plain, headline: finding.problem,
          location: finding.at ?? "",
          lines: [.init("", .text(finding.message)), .init("fix", .text(finding.fix))]))
    }
  }
}
