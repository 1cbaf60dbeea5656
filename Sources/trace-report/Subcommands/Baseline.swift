// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Baseline: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the counts of a run to a file that later runs are held against.",
    discussion: "trace-report baseline trace/ -o baseline.json --tag seed=1")

  @OptionGroup var inputs: Inputs
  @OptionGroup var tags: Tags

  @Option(
    name: .shortAndLong, help: "The file to write, JSON for review in a pull request.",
    completion: .file())
  var output: String

  @Option(
    help: "A database to explain the statements with; it is only read.", completion: .file())
  var database: String?

  @Flag(help: "Note times as well, each input being one run of the same work; give five or more.")
  var timing = false

  func run() throws {
    let runs = timing ? try inputs.paths.map { try Inputs.profile(of: [$0]) } : []
    let profile = try runs.first ?? inputs.profile()
    if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
    try Self.write(
      profile, tags: tags.values, database: database, runs: runs,
      budgetsOf: try? BaselineV1(path: output), to: output)
    Output.print(
      "Wrote \(output): \(profile.statementGroups.count.counted("statement")). Hold a run against it with: "
        + "trace-report gate INPUT --baseline \(output)\n")
  }

  /// Writes only what a later gate may trust, and keeps the budgets that people wrote.
  static func write(
    _ profile: Profile, tags: [String: String], database: String?, runs: [Profile],
    budgetsOf older: BaselineV1?, to path: String
  ) throws {
    guard profile.completeness.isComplete else {
      throw Failure(
        "no baseline was written, since events may be missing: "
          + profile.completeness.doubts.joined(separator: "; "),
        status: ExitStatus.inconclusive)
    }
    let plans = try database.map { try DatabasePlans(path: $0, of: profile) }
    var baseline = BaselineV1(profile, tags: tags) { plans?.plan(of: $0) }
    if let older { baseline.keepBudgets(of: older) }
    if !runs.isEmpty { baseline.addTimes(of: runs) }
    try plans?.checkIntegrity()
    if let mismatch = plans?.mismatch { throw mismatch }
    try Output.write(JSONText.encoded(baseline), toFile: path)
  }
}

/// `--tag seed=1 --tag stops=12800`.
struct Tags: ParsableArguments {
  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("What the counts depend on besides the code.", valueName: "name=value"))
  var pairs: [String] = []

  var values: [String: String] {
    Dictionary(
      pairs.compactMap { pair in
        pair.firstIndex(of: "=").map {
          (String(pair[..<$0]), String(pair[pair.index(after: $0)...]))
        }
      }, uniquingKeysWith: { _, last in last })
  }

  func validate() throws {
    if let pair = pairs.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
      throw ValidationError("--tag takes name=value, such as seed=1, not '\(pair)'.")
    }
  }
}
