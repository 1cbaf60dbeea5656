// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceRendering

struct HTML: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "html", abstract: "Writes the summary as one HTML file.")

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(name: .shortAndLong, help: "The file to write.")
  var output: String

  @Option(help: "How many statements to list.")
  var top = 100

  func validate() throws {
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    let profile = try inputs.profile(filters.value)
    if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
    let document = Document(summary: profile, options: SummaryOptions(top: top))
    try Output.write(document.html(), toFile: output)
    Output.print("Wrote \(output)\n")
  }
}
