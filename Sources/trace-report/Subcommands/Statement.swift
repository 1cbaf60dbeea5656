// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Statement: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statement",
    abstract: "Shows one statement: its counts, its lines of code, its loops and its findings.",
    discussion: """
      trace-report statement 5c3f6a0d1e2b4987 trace/

      The id is that of 'findings --json'; the beginning of it is enough. The SQL has ? for each value.
      """)

  @Argument(help: "The id of the statement.")
  var id: String

  @OptionGroup var reviewed: ReviewedInputs

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func run() throws {
    try reviewed.review { profile, review in
      try reviewed.inputs.check(profile)
      guard let report = StatementV1(id.lowercased(), in: profile, review: review) else {
        throw Failure(
          "not one statement has the id \(LogText.quoted(id)); list them with 'trace-report summary --json'",
          status: .validationFailure)
      }
      try Output.print(
        json ? JSONText.encoded(report) : Document(report).text(.ofStandardOutput))
    }
  }
}
