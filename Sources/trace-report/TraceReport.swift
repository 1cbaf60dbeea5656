// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BabeltraceReading
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
      Record.self, Doctor.self, Top.self, Serve.self, Summary.self, Plans.self, Orderings.self,
      Baseline.self,
      Gate.self, Diff.self, HTML.self, Merge.self, Export.self, Explain.self, Advise.self,
      Growth.self,
      Locks.self, Incidents.self,
      GuardRecording.self, Manual.self,
    ],
    defaultSubcommand: Summary.self)

  /// Runs the command; a ``Failure`` becomes one sentence on standard error and its exit code.
  static func main() async {
    // A write beyond the limit of a file's size then fails, and the failure is reported.
    signal(SIGXFSZ, SIG_IGN)
    BabeltraceReader.register()
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
      // Help and the version are reports as well: what prints them does not check that it could.
      guard exitCode(for: error) == .success else { exit(withError: error) }
      let text = fullMessage(for: error)
      if !text.isEmpty { Output.print(text + "\n") }
      exit(withError: ExitCode.success)
    }
  }

  /// Ends as if by the signal, after printing what was read so far: half an input supports no
  /// conclusion.
  private static func exitIfInterrupted() {
    if ReadingInterruption.isRequested { exit(withError: ExitStatus.interrupted) }
  }
}
