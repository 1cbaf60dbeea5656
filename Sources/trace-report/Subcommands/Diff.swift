// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows two runs side by side, such as before and after a change.",
    discussion: """
      trace-report diff before/ after/
      trace-report diff before/ after/ --html diff.html --database old.sqlite --database new.sqlite
      """)

  @Argument(help: "The trace, log or saved report of the first run.", completion: .file())
  var before: String

  @Argument(help: "The trace, log or saved report of the second run.", completion: .file())
  var after: String

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @Option(help: "Write one HTML file in place of text.", completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    name: .customLong("database"),
    help: "With --html: the program's database, for the plans; twice if the runs had two.",
    completion: .file())
  var databases: [String] = []

  @Flag(help: "Print all findings that came and went, and ten statements.")
  var all = false

  @Option(help: "The number of statements to list, with --all; 10 by default, 100 with --html.")
  var top: Int?

  @OptionGroup var exceptions: Exceptions

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
    if html != nil, json { throw ValidationError("Pass either --json or --html, not both.") }
    if databases.count > 2 { throw ValidationError("Pass --database at most twice.") }
    if html == nil, !databases.isEmpty { throw ValidationError("--database needs --html FILE.") }
  }

  func run() throws {
    let profiles = (before: try Inputs.profile(of: [before]), after: try Self.last(after))
    let findings = profiles.before.findings + profiles.after.findings
    let difference = ProfileDifference(
      before: profiles.before, after: profiles.after,
      exceptions: try exceptions.file(commentsOf: findings.map(\.caller)), today: Exceptions.today)
    if let html {
      try write(difference, to: html)
    } else if json {
      try Output.print(JSONText.encoded(DifferenceReportV1(difference)))
    } else if !all, top == nil {
      let next = NextCommand.line(
        ["diff", before, after, "--html", "diff.html"]
          + NextCommand.option("exceptions", exceptions.path))
      let screen = DifferenceScreen(difference, before: before, after: after, next: next)
      Output.print(screen.text(.ofStandardOutput))
    } else {
      Output.print(
        Document(difference: difference, before: before, after: after, top: top ?? 10)
          .text(.ofStandardOutput))
    }
    if difference.before.isEmpty { throw Failure.noEvents([before]) }
    if difference.after.isEmpty { throw Failure.noEvents([after]) }
  }

  /// Behind it nothing checks for a request to end.
  private static func last(_ path: String) throws -> Profile {
    let profile = try Inputs.profile(of: [path])
    if !ReadingInterruption.isRequested { ReadingInterruption.endProcess() }
    return profile
  }

  private func write(_ difference: ProfileDifference, to path: String) throws {
    var page = DifferencePage(difference, before: before, after: after, top: top ?? 100)
    if let first = databases.first, let last = databases.last {
      page.plansBefore = try plans(of: difference.before, in: first)
      page.plansAfter = try plans(of: difference.after, in: last)
    }
    try Output.write(page.html(), toFile: path)
    Output.print("Wrote \(LogText.escaped(path))\n")
  }

  private func plans(
    of profile: Profile, in database: String
  ) throws -> [String: PlanExplainer.Explanation] {
    let file = try ReportedDatabase.open(database)
    let explainer = PlanExplainer(file.connection) { profile.values.tuples(of: $0) }
    var plans: [String: PlanExplainer.Explanation] = [:]
    for statement in profile.statements {
      guard let sql = statement.sql else { continue }
      plans[sql] = explainer.explain(sql, work: statement.statementWork)
    }
    try explainer.checkIntegrity(of: database)
    let match = SchemaMatch(plans.values)
    if match.isOtherDatabase { throw Failure.otherDatabase(database, match) }
    return plans
  }
}
