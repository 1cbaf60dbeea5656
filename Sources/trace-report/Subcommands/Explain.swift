// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRendering

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tells why a rule speaks, with a bad and a good example.",
    discussion: "trace-report explain AvoidFaultStorm")

  @Argument(
    help: "The rule's name, as a finding has it; without one, all rules are listed.",
    completion: .rules)
  var rule: String?

  @Flag(help: "Print all rules as Documentation/Rules.md has them.")
  var markdown = false

  func validate() throws {
    if markdown, rule != nil { throw ValidationError("--markdown prints all rules; name none.") }
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
