// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import TraceReading

@main
struct TraceReport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace-report",
    abstract: "Shows what a program does in SQLite, what it costs, and what to change.",
    discussion: """
      trace-report record -o trace -- transit search --geo
      trace-report trace

      Exit codes: \(ExitStatus.meanings.map { "\($0.code) \($0.meaning)" }.joined(separator: "; ")).
      """,
    version: Version.current,
    subcommands: [
      Record.self, Attach.self, Doctor.self, Top.self, Serve.self, Summary.self, Findings.self,
      Statement.self, Plans.self, Orderings.self, Baseline.self, Gate.self, Diff.self, Prove.self,
      HTML.self, Merge.self, Export.self, Explain.self, Advise.self, Growth.self,
      ReplayCommand.self, Capsule.self, Rehearse.self, Store.self, Locks.self, Check.self,
      Incidents.self, MCP.self,
      GuardRecording.self, Manual.self,
    ],
    defaultSubcommand: Summary.self)

  /// Runs the command; the errors of all libraries become messages and exit codes here.
  static func main() async {
    // With the signal ignored, a write beyond the file size limit fails, and the failure is
    // reported.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      exitIfInterrupted()
    } catch {
      let error = Failure.of(error)
      if let failure = error as? Failure { Output.complain(failure.message) }
      exitIfInterrupted()
      if let failure = error as? Failure { exit(withError: failure.status) }
      // ArgumentParser does not check whether help and the version could be printed.
      guard exitCode(for: error) == .success else { exit(withError: error) }
      let text = fullMessage(for: error)
      if !text.isEmpty { Output.print(text + "\n") }
      exit(withError: ExitCode.success)
    }
  }

  /// Exits with the code of the signal after printing the results so far: an incomplete input
  /// supports no conclusion.
  private static func exitIfInterrupted() {
    if ReadingInterruption.isRequested { exit(withError: ExitStatus.interrupted) }
  }
}
