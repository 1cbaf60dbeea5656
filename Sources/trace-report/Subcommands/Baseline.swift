// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Baseline: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Writes the counts of a run to a file that later runs are compared with.",
    discussion: "trace-report baseline trace/ -o baseline.json --tag seed=1")

  @OptionGroup var inputs: Inputs
  @OptionGroup var tags: Tags

  @Option(
    name: .shortAndLong, help: "The file to write, JSON for review in a pull request.",
    completion: .file())
  var output = Self.usualPath

  /// A project's own baseline, which its gate reads.
  static let usualPath = ".storescope/baseline.json"

  @Option(
    help: "The program's database, for the plans; it is only read.", completion: .file())
  var database: String?

  @Flag(help: "Accept a program that ended with an error.")
  var allowMissing = false

  @Flag(help: "Record times as well; each input is one run of the same work, five or more.")
  var timing = false

  func run() throws {
    let runs = timing ? try inputs.distinctRuns() : []
    let profile = try runs.first ?? inputs.profile()
    if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
    try Self.write(
      profile, tags: tags.values, database: database, runs: runs,
      budgetsOf: try? BaselineV1(path: output), allowMissing: allowMissing, to: output)
    Output.print(
      "Wrote \(output): \(Self.extent(of: profile)). Compare a run with it: trace-report gate INPUT"
        + (output == Self.usualPath ? "\n" : " --baseline \(output)\n"))
  }

  static func extent(of profile: Profile) -> String {
    profile.observed?.tests.map { $0.count.counted("test") }
      ?? profile.statementGroups.count.counted("statement")
  }

  /// Writes only counts that a later gate can rely on, and keeps budgets that were edited by hand.
  static func write(
    _ profile: Profile, tags: [String: String], database: String?, runs: [Profile],
    budgetsOf older: BaselineV1?, allowMissing: Bool, to path: String
  ) throws {
    // With the counts of an incomplete run, no later run would pass.
    let doubts = (runs.isEmpty ? [profile] : runs).flatMap { run in
      run.comparisonDoubts
        + run.reservations(assumingComplete: true, allowingMissing: allowMissing)
    }
    guard doubts.isEmpty else {
      throw Failure(
        "no baseline was written, since events may be missing: "
          + doubts.joined(separator: "; "),
        status: ExitStatus.inconclusive)
    }
    let plans = try database.map { try DatabasePlans(path: $0, of: profile) }
    let findings = try database.map { try ReportedWorkload(profile, database: $0).findings }
    var baseline = BaselineV1(profile, tags: tags, findings: findings) { plans?.plan(of: $0) }
    if let older { baseline.keepBudgets(of: older) }
    if !runs.isEmpty { baseline.addTimes(of: runs) }
    try plans?.checkIntegrity()
    if let mismatch = plans?.mismatch { throw mismatch }
    if path == usualPath {
      try? FileManager.default.createDirectory(
        atPath: ".storescope", withIntermediateDirectories: true)
    }
    try Output.write(JSONText.encoded(baseline.sealed), toFile: path)
  }
}

/// `--tag seed=1 --tag stops=12800`.
struct Tags: ParsableArguments {
  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("A condition that the counts depend on.", valueName: "name=value"))
  var pairs: [String] = []

  var values: [String: String] {
    Dictionary(pairs.compactMap(Labels.split), uniquingKeysWith: { _, last in last })
  }

  func validate() throws {
    if let pair = pairs.first(where: { Labels.split($0) == nil }) {
      throw ValidationError("--tag takes name=value, such as seed=1, not '\(pair)'.")
    }
  }
}
