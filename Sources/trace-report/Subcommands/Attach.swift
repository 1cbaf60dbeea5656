// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceRecording

struct Attach: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Records a process that runs already, and prints a summary.",
    discussion: """
      trace-report attach 4711 --seconds 60 -o trace

      Loads the probe into the process, which goes on running. The recording is a log, and ends with the \
      process, after --seconds or with Ctrl-C; the probe is then idle. What ran before is not observed. \
      The owner of a process and root may attach; x86-64 only. 'trace-report doctor --pid 4711' reports \
      whether it works.

      trace-report attach --detach 4711

      Ends the recording of an 'attach' that was killed.
      """)

  @Argument(help: "The process id.")
  var pid: Int32

  @Option(
    name: .shortAndLong, help: "The folder of the trace; created, or empty.",
    completion: .directory)
  var output: String?

  @Option(help: "End the recording after this many seconds.")
  var seconds: Double?

  @Flag(help: "Record values that statements bind, which may be private.")
  var values = false

  @Option(help: "The maximum size of the log in MiB; 1024 by default.")
  var disk: Int?

  @Flag(help: "Only end the recording of an earlier 'attach', which was killed.")
  var detach = false

  @OptionGroup var labels: Labels

  @OptionGroup var exceptions: Exceptions

  func validate() throws {
    if let seconds, !(seconds > 0 && seconds < 1e9) {
      throw ValidationError("--seconds takes a number above 0, not \(seconds).")
    }
    if let disk, disk < 1 { throw ValidationError("--disk takes MiB from 1, not \(disk).") }
    if detach, output != nil || seconds != nil || values || disk != nil {
      throw ValidationError("--detach excludes -o, --seconds, --values and --disk.")
    }
  }

  func run() throws {
    guard !detach else { return try end() }
    var options = RecordingOptions(command: [], directory: output ?? Record.newFolder())
    options.recordsValues = values
    options.labels = labels.values
    options.logLimit = disk.map { $0 << 20 }
    options.guardian = ProgramRecording.guardian
    let recording = try TraceRecorder.attach(
      to: pid, options, for: seconds.map { .seconds($0) }
    ) {
      Output.complain(
        "records process \(pid), about 1.5 µs and 150 bytes a statement"
          + (seconds == nil ? "; Ctrl-C ends the recording" : ""))
    }
    let wait = PoolWait(recording, of: pid)
    defer { if let text = wait.text { Output.print("\n" + text) } }
    try RecordedSummary(exceptions: exceptions, noEvents: noEvents).print(recording)
  }

  private func end() throws {
    let hasEnded = try TraceRecorder.detach(from: pid)
    Output.print(
      hasEnded
        ? "Process \(pid) is not recorded any more.\n" : "Process \(pid) was not recorded.\n")
  }

  private var noEvents: Failure {
    .noEvents(
      from: "process \(pid)",
      because: "ran no statement of SQLite that the probe could observe meanwhile; see: "
        + "trace-report doctor --pid \(pid)")
  }
}
