// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

/// The formats in which a gate prints its result.
struct GateOutputs: ParsableArguments {
  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @OptionGroup var brief: BriefOptions

  @Flag(help: "Print the verdict alone, in one line.")
  var quiet = false

  @Flag(help: "Print all differences, however many lines they take.")
  var all = false

  @Option(
    help: "Also write Markdown for a comment on a pull request to this file.", completion: .file())
  var markdown: String?

  @Option(help: "Also write a JUnit report to this file.", completion: .file())
  var junit: String?

  @Option(help: "Also write SARIF 2.1.0 to this file, for code scanning.", completion: .file())
  var sarif: String?

  @Option(
    help: "The folder in which the source files of SARIF are searched.", completion: .directory)
  var sourceRoot = "."

  func validate() throws {
    if json && quiet { throw ValidationError("Pass either --json or --quiet, not both.") }
    try brief.validate(json: json)
  }

  func show(
    _ result: GateResult, baseline: String, inputs: [String], options: [String], update: String
  ) throws {
    let document = Document(gate: result, baseline: baseline, update: update)
    if json {
      try Output.print(brief.text(GateReportV1(result)))
    } else if quiet {
      Output.print(result.oneLine + "\n")
    } else if all {
      Output.print(document.text(.ofStandardOutput))
    } else {
      Output.print(
        GateScreen(
          result, baseline: baseline, update: update,
          all: NextCommand.line(["gate"] + inputs + ["--baseline", baseline] + options + ["--all"])
        ).text(.ofStandardOutput))
    }
    if let markdown { try Output.write(document.markdown(), toFile: markdown) }
    if let junit { try Output.write(GateReportJUnit.xml(result), toFile: junit) }
    if let sarif {
      let locations = ResultLocations(inputs: [baseline] + inputs, sourceRoot: sourceRoot)
      let log = SARIFLog(
        gate: result, version: TraceReport.configuration.version, location: locations.location)
      try Output.write(JSONText.encoded(log), toFile: sarif)
    }
  }
}
