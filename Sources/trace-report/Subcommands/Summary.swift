// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import TraceAnalysis
public import TraceRendering

struct Summary: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows totals, statements, callers and findings of traces and logs (the default).")

  @OptionGroup var inputs: Inputs

  @Flag(help: "Print JSON, schemaVersion 1, with every statement.")
  var json = false

  @Option(help: "How many statements to list; 10 unless told, all with --json.")
  var top: Int?

  @Option(help: "Order of the statements: total, count, rows, p95 or max.")
  var sort: SummaryOptions.Order = .total

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    let profile = try inputs.profile()
    let options = SummaryOptions(top: top ?? (json ? .max : 10), order: sort)
    if json {
      try Output.print(JSONText.encoded(ReportV1(profile, options: options)))
    } else {
      Output.print(Document(summary: profile, options: options).text(.ofStandardOutput))
    }
    if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
  }
}

extension SummaryOptions.Order: ExpressibleByArgument {}
