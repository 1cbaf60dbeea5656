// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceRendering

struct Gate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Holds a run against a baseline: exits 0 if it does no more work, 2 if it does.",
    discussion: """
      Runs, rows, faults, cache misses, full-scan steps and sorts are compared exactly, VM steps \
      within the tolerance, times not at all. Exits 3 if nothing can be concluded: no events, \
      lost events, no baseline, other tags; or, with equal counts, another version of SQLite, \
      whose VM steps and plans cannot be compared.
      """)

  @OptionGroup var inputs: Inputs
  @OptionGroup var tags: Tags

  @Option(help: "The file that trace-report baseline wrote.")
  var baseline: String

  @Option(help: "A database to compare the statements' plans with; it is only read.")
  var database: String?

  @Option(help: "By how many percent VM steps may differ.")
  var tolerance = TraceAnalysis.Gate.defaultTolerance * 100

  @OptionGroup var exceptions: Exceptions

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @Flag(help: "Then write this run's counts to the baseline, and exit 0.")
  var update = false

  func validate() throws {
    guard tolerance >= 0, tolerance.isFinite else {
      throw ValidationError("--tolerance takes percent from 0 up, not \(tolerance).")
    }
  }

  func run() throws {
    let known = try readBaseline()
    let profile = try inputs.profile()
    let plans = try database.map { try DatabasePlans(path: $0) }
    var result = TraceAnalysis.Gate(tolerance: tolerance / 100)
      .compare(profile, with: known, tags: tags.values) { plans?.plan(of: $0) }
    try plans?.checkIntegrity()
    if let file = try exceptions.file() { result.excuse(by: file, today: Exceptions.today) }
    try show(result)
    if update {
      let tags = known.tags.merging(tags.values) { _, new in new }
      if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
      try Baseline.write(profile, tags: tags, database: database, to: baseline)
      return
    }
    switch result.verdict {
    case .same: return
    case .regression: throw ExitStatus.regression
    case .inconclusive: throw ExitStatus.inconclusive
    }
  }

  private func readBaseline() throws -> BaselineV1 {
    do {
      return try BaselineV1(path: baseline)
    } catch {
      throw Failure("\(error)", status: ExitStatus.inconclusive)
    }
  }

  private func show(_ result: GateResult) throws {
    if json { return try Output.print(JSONText.encoded(GateReportV1(result))) }
    let command =
      (["trace-report gate"] + inputs.paths + ["--baseline", baseline]
      + (database.map { ["--database", $0] } ?? []) + ["--update"]).joined(separator: " ")
    let document = Document(gate: result, baseline: baseline, update: command)
    Output.print(document.text(.ofStandardOutput))
  }
}
