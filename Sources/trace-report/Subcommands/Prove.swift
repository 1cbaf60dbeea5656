// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceRendering

struct Prove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove",
    abstract: "Proves that a change made a program do less for the same rows.",
    discussion: """
      trace-report record -o before -- python3 app.py
      trace-report record -o after -- python3 app.py
      trace-report prove before/ after/

      Compares two recordings of the same work. Proven (0): each statement, and each test with a name, returns and \
      changes as many rows as before, a count is lower, and no statement does more. Not proven (2): rows are missing, \
      or a statement does more. Inconclusive (3): a recording is not complete, the runs may have done different work, \
      or no count is lower. A join has as many rows as the statements that it replaces, with one for each run that found \
      none. The values of rows are not compared.
      """)

  @Argument(help: "The recording, log or saved report before the change.", completion: .file())
  var before: String

  @Argument(help: "The recording, log or saved report after the change.", completion: .file())
  var after: String

  @OptionGroup var completeness: CompletenessOptions

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @OptionGroup var brief: BriefOptions

  func validate() throws { try brief.validate(json: json) }

  func run() throws {
    var gate = TraceAnalysis.Gate()
    gate.assumesComplete = completeness.assumeComplete
    gate.allowsMissing = completeness.allowMissing
    let proof = Proof(
      before: try Inputs.profile(of: [before]), after: try Inputs.profile(of: [after]), gate: gate)
    try Output.print(
      json ? brief.text(ProofV1(proof)) : Document(proof: proof, top: 5).text(.ofStandardOutput))
    switch proof.verdict {
    case .proven: return
    case .notProven: throw ExitStatus.regression
    case .inconclusive: throw ExitStatus.inconclusive
    }
  }
}
