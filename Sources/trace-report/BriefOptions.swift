// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceRendering

/// Options that limit the size of JSON, for agents.
struct BriefOptions: ParsableArguments {
  @Flag(help: "With --json: one line with the verdict and as many parts as fit into --budget.")
  var brief = false

  @Option(help: "With --brief: the maximum number of tokens, of three bytes each.")
  var budget: Int?

  private static let usualBudget = 2000

  func validate(json: Bool) throws {
    if brief, !json { throw ValidationError("--brief needs --json.") }
    if budget != nil, !brief { throw ValidationError("--budget needs --brief.") }
    if let budget, budget < 100 {
      throw ValidationError("--budget takes tokens from 100 up, not \(budget).")
    }
  }

  /// The JSON of a report, as a whole or within the budget.
  func text(_ report: some BriefReport) throws -> String {
    guard brief else { return try JSONText.encoded(report) }
    return try TokenBudget(tokens: budget ?? Self.usualBudget).text(report)
  }
}
