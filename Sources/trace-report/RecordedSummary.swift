// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceRecording
import TraceRendering

/// The final output of a command that records: the recording's path, and its first screen.
struct RecordedSummary {
  let exceptions: Exceptions
  /// The failure if nothing was recorded.
  let noEvents: Failure

  /// - Throws: ``Failure`` or the program's own exit code.
  func print(_ recording: Recording) throws {
    Output.complain(Self.sentence(recording))
    ProgramRecording.complain(of: recording)
    let failure = recording.exitCode == 0 ? nil : ExitCode(recording.exitCode)
    do {
      guard recording.hasTrace else { throw noEvents }
      let profile = try Inputs.profile(of: [recording.directory])
      let workload = try ReportedWorkload(profile, database: nil)
      let review = try exceptions.review(workload, in: profile)
      let commands = NextCommand.after([recording.directory], RunVerdict(profile, review))
      Output.print(
        FirstScreen(profile, review: review, commands: commands).text(.ofStandardOutput))
      if profile.isEmpty { throw noEvents }
    } catch {
      guard var error = Failure.of(error) as? Failure else { throw error }
      // The cause is the program, not the trace that was just recorded.
      if error.isOfNoEvents { error = noEvents }
      guard let failure else { throw error }
      Output.complain(error.message)
      throw failure
    }
    if let failure { throw failure }
  }

  private static func sentence(_ recording: Recording) -> String {
    let folder = LogText.quoted(recording.directory)
    let count = recording.snapshots
    let size =
      "\(recording.byteCount >> 10) KiB in \(folder)"
      + (count > 0 ? ", \(count) snapshot\(count == 1 ? "" : "s")" : "")
    return "\(ending(recording.outcome))recorded \(size)"
  }

  /// Such as `the program ended with code 2; `.
  static func ending(_ outcome: Recording.Outcome) -> String {
    switch outcome {
    case .exited(0): ""
    case .exited(let code): "the program ended with code \(code); "
    case .killed(let signal): "the program was ended by signal \(signal); "
    }
  }
}
