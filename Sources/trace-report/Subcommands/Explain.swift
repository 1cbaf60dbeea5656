// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains a rule, with a bad and a good example.",
    discussion: "trace-report explain AvoidFaultStorm")

  @Argument(
    help: "The rule's name, as in a finding; lists all rules without one.",
    completion: .rules)
  var rule: String?

  @Flag(help: "Print all rules as Markdown, as in Documentation/Rules.md.")
  var markdown = false

  func validate() throws {
    if markdown, rule != nil { throw ValidationError("--markdown prints all rules; omit RULE.") }
  }

  func run() throws {
    if markdown { return Output.print(Rules.markdown) }
    guard let rule else { return Output.print(Rules.list(.ofStandardOutput)) }
    guard let found = Rules.named(rule) else {
      throw Failure(
        "no rule '\(LogText.escaped(rule))'; 'trace-report explain' lists them all")
    }
    Output.print(type(of: found).text(.ofStandardOutput))
  }
}
