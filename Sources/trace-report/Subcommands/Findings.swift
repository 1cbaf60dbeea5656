// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceRendering

struct Findings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Lists all findings of traces and logs, those that cost most first.",
    discussion: """
      trace-report findings trace/
      trace-report findings app.log --database app.sqlite

      Each finding has its rule, its line of code, its counts, the SQL and the fix. 'trace-report explain RULE' \
      explains a rule.
      """)

  @OptionGroup var reviewed: ReviewedInputs

  @Flag(help: "Print JSON, schemaVersion 1, with an id for each finding.")
  var json = false

  @OptionGroup var brief: BriefOptions

  func validate() throws { try brief.validate(json: json) }

  func run() throws {
    try reviewed.review { profile, review in
      try Output.print(
        json
          ? brief.text(BriefV1(profile, review: review, after: reviewed.words))
          : Document(findings: review, in: profile).text(.ofStandardOutput))
    }
  }
}
