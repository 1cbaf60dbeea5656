// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Statement: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows one statement: its counts, its lines of code, its loops and its findings.",
    discussion: """
      trace-report statement 5c3f6a0d1e2b4987 trace/

      The id is that of 'findings --json'; the beginning of it is enough. The SQL has ? for each value.
      """)

  @Argument(help: "The id of the statement.")
  var id: String

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(
    help: "The program's database, for rules on indexes and statistics; it is only read.",
    completion: .file())
  var database: String?

  @OptionGroup var model: ModelOption
  @OptionGroup var exceptions: Exceptions

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func run() throws {
    let profile = try inputs.profile(filters.value)
    let workload = try ReportedWorkload(
      profile, database: database, names: model.names(in: database))
    let review = try exceptions.review(workload, in: profile)
    try inputs.check(profile)
    guard let report = StatementV1(id.lowercased(), in: profile, review: review) else {
      throw Failure(
        "not one statement has the id \(LogText.quoted(id)); list them with 'trace-report summary --json'",
        status: .validationFailure)
    }
    try Output.print(
      json ? JSONText.encoded(report) : Document(report).text(.ofStandardOutput))
    try workload.checkDatabase()
  }
}
