// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceRendering

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows two runs side by side, such as before and after a change.")

  @Argument(help: "The trace, log or saved report of the one run.")
  var before: String

  @Argument(help: "The trace, log or saved report of the other.")
  var after: String

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @Option(help: "How many statements to list.")
  var top = 10

  func validate() throws {
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    let difference = ProfileDifference(
      before: try Inputs.profile(of: [before]), after: try Inputs.profile(of: [after]))
    if json {
      try Output.print(JSONText.encoded(DifferenceReportV1(difference)))
    } else {
      Output.print(
        Document(difference: difference, before: before, after: after, top: top)
          .text(.ofStandardOutput))
    }
    if difference.before.isEmpty { throw Failure.noEvents([before]) }
    if difference.after.isEmpty { throw Failure.noEvents([after]) }
  }
}
