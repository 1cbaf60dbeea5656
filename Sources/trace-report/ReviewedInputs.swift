// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis

/// Traces and logs with findings that a command prints.
struct ReviewedInputs: ParsableArguments {
  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(
    help: "The program's database, for rules on indexes and statistics; it is only read.",
    completion: .file())
  var database: String?

  @OptionGroup var model: ModelOption
  @OptionGroup var exceptions: Exceptions

  /// The options as they were typed; nil where the inputs cannot be read again.
  var words: [String]? {
    inputs.words.map {
      $0 + filters.words + NextCommand.option("database", database) + model.words
    }
  }

  /// Prints the events read so far, and checks the reading afterwards: a part is better than
  /// nothing.
  func review(_ print: (Profile, FindingReview) throws -> Void) throws {
    let (profile, workload, review) = try read()
    try print(profile, review)
    try inputs.check(profile)
    try workload.checkDatabase()
  }

  func read() throws -> (Profile, ReportedWorkload, FindingReview) {
    let profile = try inputs.profile(filters.value)
    let workload = try ReportedWorkload(
      profile, database: database, names: model.names(in: database))
    return (profile, workload, try exceptions.review(workload, in: profile))
  }
}
