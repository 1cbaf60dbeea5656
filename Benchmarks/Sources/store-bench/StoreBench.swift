// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchFixtures
import BenchHarness
import CSQLite
import Foundation

@main
struct StoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-bench",
    abstract: "Measures the store beside the SQLite C API and GRDB, in one run.",
    discussion: """
      'make bench' builds all it needs and runs it. Alone, without --programs and \
      --untraced-worker, it leaves out what needs other programs, and reports that. Ends with 1 if a \
      comparison failed; the others are in the report all the same.
      """)

  @Flag(help: "Smaller tables, shorter traces, fewer rounds.") var quick = false
  @Option(help: "Rounds of each comparison, at most.") var rounds: Int?
  @Option(help: "Rows of the table of stops.") var rows: Int?
  @Option(help: "After so many minutes, three rounds of each comparison have to do.")
  var minutes: Double?

  @Option(
    help: ArgumentHelp(
      "Only these: \(Suite.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
  var suite: [String] = []
  @Option(help: "Only comparisons whose title contains this.") var filter = ""
  @Option(help: "Only this contender, as for a profiler.") var only: String?

  @Option(help: "The folder of trace-report, transit and event-emitter, built for release.")
  var programs: String?
  @Option(help: "A bench-worker that was built without the trait LTTng.")
  var untracedWorker: String?
  @Option(help: "The compiler's version, for the report.") var swift = "Swift"

  @Option(name: .shortAndLong, help: "Where the report goes; standard output by default.")
  var output: String?
  @Option(help: "A document to write the report into, between its markers.")
  var document: String?

  func run() throws {
    // Before a quarter of an hour of measuring, not after it.
    if let document { _ = try Report.surroundings(in: document) }
    // The reader of a worker's answers reports a worker that ended.
    signal(SIGPIPE, SIG_IGN)
    var scale = quick ? Scale.quick : Scale.full
    if let rows { scale.rows = rows }
    if let rounds { scale.rounds = Rounds(most: rounds, least: rounds, budget: .zero) }
    let workspace = try Workspace(
      scale, programs: programs.map { URL(fileURLWithPath: $0) },
      untracedWorker: untracedWorker.map { URL(fileURLWithPath: $0) })
    var run = Run(rounds: scale.rounds, patience: minutes.map { .seconds($0 * 60) }) {
      FileHandle.standardError.write(Data($0.utf8))
    }
    for suite in Suite.all where self.suite.isEmpty || self.suite.contains(suite.name) {
      run.measure(suite: suite.name) { try suite.comparisons(workspace).compactMap(chosen) }
      workspace.fixtures = []
    }
    guard !run.measurements.isEmpty || !run.failures.isEmpty else {
      throw ValidationError("There is no such comparison; see --suite, --filter and --only.")
    }
    let sqlite = String(cString: sqlite3_libversion())
    try write(
      Report(machine: Machine(swift: swift, sqlite: sqlite), run: run, omissions: omissions))
    guard run.failures.isEmpty else { throw ExitCode.failure }
  }

  /// What --filter and --only leave of a comparison.
  private func chosen(_ comparison: Comparison) -> Comparison? {
    guard filter.isEmpty || comparison.title.contains(filter) else { return nil }
    guard let only else { return comparison }
    var comparison = comparison
    comparison.contenders = comparison.contenders.filter { $0.name == only }.map {
      var alone = $0
      (alone.goal, alone.reference) = (nil, nil)
      return alone
    }
    return comparison.contenders.isEmpty ? nil : comparison
  }

  private func write(_ report: Report) throws {
    if let document { try report.write(into: document) }
    if let output {
      try report.markdown.write(toFile: output, atomically: true, encoding: .utf8)
    } else if document == nil {
      print(report.markdown, terminator: "")
    }
  }

  private var omissions: [String] {
    var omissions: [String] = []
    if quick { omissions.append("A quick run: small tables and short traces, for a first look.") }
    if programs == nil {
      omissions.append(
        "Not measured, for want of --programs: batched iteration, LTTng, trace-report, dashboard.")
    }
    if untracedWorker == nil {
      omissions.append("Not measured, for want of --untraced-worker: tracing compiled out.")
    }
    return omissions
  }
}
