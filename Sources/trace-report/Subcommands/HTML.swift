// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceRendering

struct HTML: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "html",
    abstract: "Writes the dashboard: tracks over time, statements, findings, in one HTML file.",
    discussion: """
      trace-report html trace/ -o report.html
      trace-report html trace/ --database app.sqlite --advise -o report.html

      The file loads no other file and needs no network; without scripts it is still readable. For \
      two runs side by side, see: trace-report diff BEFORE AFTER --html diff.html
      """)

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(name: .shortAndLong, help: "The file to write.", completion: .file(extensions: ["html"]))
  var output: String

  @Option(help: "The number of statements to list.")
  var top = 100

  @Option(
    help: "The program's database, for plans and for rules on indexes; it is only read.",
    completion: .file())
  var database: String?

  @Flag(help: "Try indexes on a copy of the database, as advise does.")
  var advise = false

  @OptionGroup var exceptions: Exceptions

  func validate() throws {
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    if let plans = try PlanTextSource.command(for: inputs.paths, database: database) {
      try plans.report { try Output.write($0.html(), toFile: output) }
      return Output.print("Wrote \(LogText.escaped(output))\n")
    }
    let timed = try inputs.timedProfile(filters.value)
    try inputs.check(timed.profile)
    let workload = try ReportedWorkload(timed.profile, database: database)
    let review = try exceptions.review(workload, in: timed.profile)
    var page = DashboardPage(timed, review: review, top: top)
    page.explanations = workload.explanations
    if advise, database == nil, workload.database == nil {
      throw Failure(
        "--advise needs the program's database: --database FILE", status: .validationFailure)
    }
    if advise, let file = workload.database {
      page.advice = try AdviceReport(
        timed.profile, database: database ?? file.path, file.connection, minimumEffect: 0.05)
    }
    try Output.write(page.html(), toFile: output)
    Output.print("Wrote \(LogText.escaped(output))\n")
    try workload.checkDatabase()
  }
}
