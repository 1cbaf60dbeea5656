// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StatementReplay
import StoreEvents
import TraceRecording
import TraceRendering

struct Record: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs a program, records its use of SQLite, and prints a summary.",
    discussion: """
      trace-report record -o before -- python3 app.py

      The program is not changed: object stores emit events of their own, and a preloaded library \
      observes any other use of SQLite. The exit code is the program's own, if not 0.

      LTTng's daemons record where they work; they are started, and stopped at the end. Otherwise each \
      process writes a log into the folder: the same events, at a higher cost for each statement. \
      --lttng and --log choose. --snapshot, --when, --relay, --lossless, --memory and --pid need LTTng.

      trace-report record --when 'statement > 100ms' --when locked -o incidents -- my-server

      With --when nothing is written until a condition holds. The last events of all recorded \
      processes are then written, with the plan and the locks. See 'trace-report incidents'.

      trace-report record --relay collector.example -- my-server

      With --relay the events are sent to 'lttng-relayd' on another host. All commands can read its \
      folder, which contains the recordings of many hosts.
      """)

  @Option(
    name: .shortAndLong, help: "The folder of the trace; created, or empty.",
    completion: .directory)
  var output: String?

  @Flag(help: "Keep the newest events in memory, and write them at the end and at SIGUSR1.")
  var snapshot = false

  @Option(help: "MiB of the tracer's buffers for each processor, from 1 to 64.")
  var memory: Int?

  @Flag(help: "Block the program when the tracer's buffers are full, rather than lose events.")
  var lossless = false

  @Flag(
    help: """
      Record values that statements bind, which may be private: of each statement the first 64 \
      distinct ones, then a sample.
      """)
  var values = false

  @Option(
    help: ArgumentHelp(
      """
      Copy a database before the program starts, and record all values whole, in logs: for \
      'trace-report replay'.
      """, valueName: "database"),
    completion: .file())
  var replayable: [String] = []

  @Flag(
    help: "Record what statements and commits read, write and sync, and for how long.")
  var io = false

  @Flag(help: "Record object stores alone, without the probe that observes any use of SQLite.")
  var noProbe = false

  @Flag(help: "Record through LTTng, or fail if it does not work here.")
  var lttng = false

  @Flag(help: "Record logs, which need neither LTTng nor a daemon.")
  var log = false

  @OptionGroup var labels: Labels

  @OptionGroup var exceptions: Exceptions

  @OptionGroup(title: "Flight recorder") var flight: FlightArguments

  @Option(
    help: ArgumentHelp(
      "Stream to an LTTng relay daemon, rather than into a folder here; ports 5342 and 5343 by default.",
      valueName: "host[:port[:dataport]]"))
  var relay: String?

  @Option(help: "Record a running process that has the probe or a store, until it ends.")
  var pid: Int32?

  @Argument(
    parsing: .postTerminator, help: "The program to run and its arguments, after --.",
    completion: .file())
  var command: [String] = []

  func validate() throws {
    if command.isEmpty, pid == nil {
      throw ValidationError("Name the program to record after --.")
    }
    if !command.isEmpty, pid != nil {
      throw ValidationError("--pid records a running process; do not name a program as well.")
    }
    if pid != nil, lossless || values || io || snapshot {
      throw ValidationError("--pid excludes --lossless, --values, --io and --snapshot.")
    }
    try validateTransport()
    if flight.isActive, lossless || snapshot {
      throw ValidationError("--when excludes --lossless and --snapshot: it overwrites events.")
    }
    if flight.isActive, !labels.pairs.isEmpty {
      throw ValidationError("--when excludes --label: incidents are not complete runs.")
    }
    if let relay {
      guard RelayAddress(relay) != nil else {
        throw ValidationError(
          "--relay takes HOST, HOST:PORT or HOST:PORT:DATAPORT, not '\(relay)'.")
      }
      if output != nil || snapshot || lossless || flight.isActive {
        throw ValidationError(
          "--relay excludes -o, --snapshot, --lossless and --when: nothing is written here, and no "
            + "program waits for a network.")
      }
    }
    if let memory, !(1...64).contains(memory) {
      throw ValidationError("--memory takes MiB from 1 to 64, not \(memory).")
    }
    if snapshot && lossless {
      throw ValidationError("--snapshot excludes --lossless: it overwrites old events.")
    }
  }

  private func validateTransport() throws {
    if log, lttng { throw ValidationError("--log excludes --lttng.") }
    let needs = [
      ("--snapshot", snapshot), ("--when", flight.isActive), ("--relay", relay != nil),
      ("--lossless", lossless), ("--memory", memory != nil), ("--pid", pid != nil),
    ].first { $0.1 }
    if lttng, !replayable.isEmpty {
      throw ValidationError("--replayable excludes --lttng: whole values are in logs.")
    }
    if noProbe, !replayable.isEmpty {
      throw ValidationError("--replayable needs the probe; leave out --no-probe.")
    }
    if !replayable.isEmpty, let needs {
      throw ValidationError("\(needs.0) needs LTTng; leave out --replayable.")
    }
    if log, let needs { throw ValidationError("\(needs.0) needs LTTng; leave out --log.") }
    if flight.disk != nil, !flight.isActive, lttng || needs != nil {
      throw ValidationError("--disk limits logs and the snapshots of --when, not a trace of LTTng.")
    }
  }

  func run() async throws {
    do {
      try await record()
    } catch let error where TraceRecorder.exitCode != 0 {
      guard let failure = Failure.of(error) as? Failure else { throw error }
      // A caller waits for the program's own result.
      Output.complain(failure.message)
      throw ExitCode(TraceRecorder.exitCode)
    }
  }

  private func record() async throws {
    var options = RecordingOptions(command: command, directory: output ?? Self.newFolder())
    options.process = pid
    options.isSnapshot = snapshot
    options.flight = flight.options
    options.isLossless = lossless
    options.startDatabases = replayable
    options.recordsValues = values
    options.recordsIO = io
    options.labels = labels.values
    let isLimited = flight.disk != nil && !flight.isActive
    options.transport = log || isLimited || !replayable.isEmpty ? .log : lttng ? .lttng : nil
    options.logLimit = flight.disk.map { $0 << 20 }
    options.probe = noProbe || pid != nil ? nil : ProgramRecording.probe
    options.memory = memory.map { $0 << 20 } ?? options.flight?.memory
    options.guardian = ProgramRecording.guardian
    if let relay = relay.flatMap(RelayAddress.init) { return try await stream(options, to: relay) }
    let recording = try await ProgramRecording.record(
      options, examiner: flight.isActive ? IncidentWriter(conditions: flight.conditions) : nil,
      prepare: copyDatabases)
    if flight.isActive { return try list(recording) }
    try RecordedSummary(exceptions: exceptions, noEvents: noEvents).print(recording)
  }

  /// Copies the databases as they are before the program starts.
  private func copyDatabases(to recording: String) throws {
    guard !replayable.isEmpty else { return }
    var progress = Progress("pages copied", isLong: true)
    defer { progress.end() }
    try StartCopies.make(of: replayable, in: recording) {
      progress.report(UInt64($0), of: UInt64($1))
    }
  }

  private func stream(_ options: RecordingOptions, to relay: RelayAddress) async throws {
    let title = relay.title
    let relayed = try await TraceRecorder.record(options, to: relay) {
      Output.complain("streams to \(title)")
    } lost: {
      Output.complain(
        "the relay daemon at \(title) was lost, so events from now on are not recorded; the "
          + "program runs on")
    }
    Output.complain(
      "\(RecordedSummary.ending(relayed.outcome))recorded at \(title); there: trace-report summary "
        + LogText.quoted(relayed.folder))
    if relayed.outcome.exitCode != 0 { throw ExitCode(relayed.outcome.exitCode) }
  }

  private func list(_ recording: Recording) throws {
    ProgramRecording.complain(of: recording)
    let folder = IncidentList(folder: recording.directory)
    Output.print(folder.document.text(.ofStandardOutput))
    if recording.exitCode != 0 { throw ExitCode(recording.exitCode) }
  }

  private var noEvents: Failure {
    .noEvents(
      from: pid.map { "process \($0)" } ?? command.joined(separator: " "),
      because: noProbe || ProbeLibrary.path() == nil
        ? "opened no ObjectStore store, or was built without the LTTng trait"
        : "ran no statement of SQLite that the probe could observe; see: trace-report doctor")
  }

  /// Such as `trace-20261121-141228`, in the current folder.
  static func newFolder() -> String { LocalTime.text("trace-%Y%m%d-%H%M%S") }
}
