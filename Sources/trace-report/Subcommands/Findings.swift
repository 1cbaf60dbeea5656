// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Findings: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists all findings of traces and logs, those that cost most first.",
    discussion: """
      trace-report findings trace/
      trace-report findings app.log --database app.sqlite

      Each finding has its rule, its line of code, its counts, the SQL and the fix. 'trace-report explain RULE' \
      explains a rule.
      """)

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(
    help: "The program's database, for rules on indexes and statistics; it is only read.",
    completion: .file())
  var database: String?

  @OptionGroup var model: ModelOption
  @OptionGroup var exceptions: Exceptions

  @Flag(help: "Print JSON, schemaVersion 1, with an id for each finding.")
  var json = false

  @OptionGroup var brief: BriefOptions

  func validate() throws { try brief.validate(json: json) }

  func run() throws {
    let profile = try inputs.profile(filters.value)
    let workload = try ReportedWorkload(
      profile, database: database, names: model.names(in: database))
    let review = try exceptions.review(workload, in: profile)
    if json {
      let words = inputs.words.map {
        $0 + filters.words + NextCommand.option("database", database) + model.words
      }
      try Output.print(brief.text(BriefV1(profile, review: review, after: words)))
    } else {
      Output.print(Document(findings: review, in: profile).text(.ofStandardOutput))
    }
    try inputs.check(profile)
    try workload.checkDatabase()
  }
}
