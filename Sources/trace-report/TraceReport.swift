// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import TraceReading

@main
struct TraceReport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace-report",
    abstract: "Shows what an object store asked of SQLite, what it cost, and what to change.",
    discussion: """
      trace-report record -o trace -- transit search --geo
      trace-report trace

      Exit codes: \(ExitStatus.meanings.map { "\($0.code) \($0.meaning)" }.joined(separator: "; ")).
      """,
    version: "0.1.0",
    subcommands: [
      Record.self, Doctor.self, Top.self, Summary.self, Plans.self, Orderings.self, Baseline.self,
      Gate.self, Diff.self, HTML.self, Export.self, Explain.self, Advise.self, Growth.self,
      Locks.self,
      GuardRecording.self, Manual.self,
    ],
    defaultSubcommand: Summary.self)

  /// Runs the command; a ``Failure`` becomes one sentence on standard error and its exit code.
  static func main() async {
    // A write beyond the limit of a file's size then fails, and the failure is reported.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      exitIfInterrupted()
    } catch let failure as Failure {
      Output.complain(failure.message)
      exitIfInterrupted()
      exit(withError: failure.status)
    } catch {
      exitIfInterrupted()
      exit(withError: error)
    }
  }

  /// As if the signal had ended us, after what we had until then was told: of half an input nothing
  /// is concluded.
  private static func exitIfInterrupted() {
    if ReadingInterruption.isRequested { exit(withError: ExitStatus.interrupted) }
  }
}
