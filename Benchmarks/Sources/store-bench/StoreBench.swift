// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchFixtures
import Foundation

@main
struct StoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-bench",
    abstract: "Measures the store beside the SQLite C API and GRDB, in one run.",
    discussion: """
      'make bench' builds all it needs and runs it. Alone, without --programs and \
      --untraced-worker, it leaves out what needs other programs, and says so.
      """)

  @Flag(help: "Smaller tables, shorter traces, fewer rounds.") var quick = false
  @Option(help: "Rounds of each comparison, at most.") var rounds: Int?
  @Option(help: "Rows of the table of stops.") var rows: Int?

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

  @Option(name: .shortAndLong, help: "Where the report goes; standard output unless told.")
  var output: String?
  @Option(help: "A document to write the report into, between its markers.")
  var document: String?

  func run() throws {
    // A worker that ended is told by what reads its answer.
    signal(SIGPIPE, SIG_IGN)
    var scale = quick ? Scale.quick : Scale.full
    if let rows { scale.rows = rows }
    if let rounds { scale.rounds = Rounds(most: rounds, least: rounds, budget: .zero) }
    let workspace = try Workspace(
      scale, programs: programs.map { URL(fileURLWithPath: $0) },
      untracedWorker: untracedWorker.map { URL(fileURLWithPath: $0) })
    var report = Report(machine: Machine(swift: swift), omissions: omissions)
    for suite in Suite.all where self.suite.isEmpty || self.suite.contains(suite.name) {
      for comparison in try suite.comparisons(workspace) {
        let hasContender = comparison.contenders.contains { only == nil || $0.name == only }
        guard hasContender, filter.isEmpty || comparison.title.contains(filter) else { continue }
        report.measurements.append(try measure(comparison, scale.rounds))
      }
      workspace.fixtures = []
    }
    guard !report.measurements.isEmpty else {
      throw ValidationError("There is no such comparison; see --suite, --filter and --only.")
    }
    try write(report)
  }

  private func measure(_ comparison: Comparison, _ rounds: Rounds) throws -> Measurement {
    var comparison = comparison
    if let only {
      comparison.contenders = comparison.contenders.filter { $0.name == only }.map {
        var alone = $0
        (alone.goal, alone.reference) = (nil, nil)
        return alone
      }
    }
    let start = ContinuousClock.now
    FileHandle.standardError.write(Data("\(comparison.title) …".utf8))
    let measurement = try comparison.measure(rounds)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    FileHandle.standardError.write(
      Data(" \(measurement.rounds) rounds, \(String(format: "%.1f", seconds)) s\n".utf8))
    return measurement
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
      omissions.append("Not measured, since --programs was not given: what other programs do.")
    }
    if untracedWorker == nil {
      omissions.append("Not measured, since --untraced-worker was not given: tracing compiled out.")
    }
    return omissions
  }
}
