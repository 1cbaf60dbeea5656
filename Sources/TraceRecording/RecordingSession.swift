// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A session of LTTng that records the providers of the store and of the probe into a folder, or for a live reader.
///
/// Root's programs all share one daemon, which receives events of every process on the machine. So
/// the program gets a number into its environment, which its children inherit, and the tracer drops
/// within each process the events of processes with another number, or none.
struct RecordingSession {
  private var command: LTTngCommand
  private let name: String
  private let destination: Destination
  private let number = Int64.random(in: 1 ... .max)
  /// The only process that is recorded, one that runs already; nil for all processes with the
  /// number.
  private let process: pid_t?

  /// The variable that the program's environment needs for its events to be recorded.
  var variable: (String, String) { ("STORE_TRACE_RECORDING", "\(number)") }

  /// Where the events go.
  enum Destination {
    case folder(String)
    /// The newest events are kept in memory, and written to the folder at the end.
    case snapshot(String)
    /// The newest events are kept in memory, and written to the folder by triggers alone.
    case flight(String)
    /// To a relay daemon, which keeps it.
    case stream(RelayTarget)
  }

  /// Makes a session and starts it; on failure nothing of it remains.
  static func start(
    _ destination: Destination, of process: pid_t? = nil, isLossless: Bool = false,
    memory: Int? = nil, with command: LTTngCommand
  ) async throws -> RecordingSession {
    let name = "\(namePrefix)\(getpid())-\(UInt32.random(in: 0 ... .max))"
    var session = RecordingSession(
      command: command, name: name, destination: destination, process: process)
    // No event is to be written yet.
    session.command.limit = min(command.limit, .seconds(30))
    do {
      try await session.start(isLossless: isLossless, memory: memory)
      session.command.limit = command.limit
      return session
    } catch {
      // A daemon that hangs would do so again.
      if case RecordingError.tracerHangs = error { throw error }
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
  }

  private func start(isLossless: Bool, memory: Int?) async throws {
    let buffers = try memory.map(ChannelBuffers.init(memory:)) ?? ChannelBuffers.forThisMachine()
    if case .folder(let folder) = destination, !isLossless {
      return try await load(SessionFile(name: name, folder: folder, scope: scope, buffers: buffers))
    }
    try await command.lttng(["create", name] + destination.createOptions)
    // One blocking channel needs the program's consent as well: LTTNG_UST_ALLOW_BLOCKING.
    let timeout = isLossless ? "inf" : "0"
    let whenFull = destination.isSnapshot ? "--overwrite" : "--blocking-timeout=\(timeout)"
    if destination.isSnapshot {
      let texts = Self.names.joined(separator: ",")
      try await enableChannel("names", whenFull, Self.nameBuffers)
      try await enable(texts, [], in: "names")
      try await enableChannel("objectstore", whenFull, buffers)
      for provider in StoreEvent.providers {
        try await enable("\(provider):*", ["--exclude=\(texts)"], in: "objectstore")
      }
    } else {
      // Otherwise the metadata is written when a program ends, so that a trace could not be read
      // before.
      try await enableMetadata()
      try await enableChannel("objectstore", whenFull, buffers)
      for provider in StoreEvent.providers {
        try await enable("\(provider):*", [], in: "objectstore")
      }
    }
    // To all channels.
    try await command.lttng(
      "add-context", "--userspace", "--session=\(name)", "--type=vpid", "--type=vtid",
      "--type=procname")
    try await command.lttng("start", name)
  }

  /// Replaces seven runs of `lttng`, a fifth of a second, by three.
  private func load(_ file: SessionFile) async throws {
    let path = try RuntimeDirectory().path + "/\(name).lttng"
    defer { unlink(path) }
    try file.write(to: path)
    try await command.lttng("load", "--input-path=\(path)", name)
    // A session's file cannot contain it.
    try await enableMetadata()
    try await command.lttng("start", name)
  }

  private func enableMetadata() async throws {
    try await command.lttng(
      "enable-channel", "--userspace", "--session=\(name)", "--switch-timer=500000", "metadata")
  }

  // 1 MiB holds some 3,000 texts of statements.
  private static let nameBuffers = ChannelBuffers(memory: 1 << 20)

  /// The largest that a snapshot can be, in bytes.
  static func snapshotSize(memory: Int?) throws -> Int {
    let buffers = try memory.map(ChannelBuffers.init(memory:)) ?? ChannelBuffers.forThisMachine()
    let pieces = (buffers.pieceSize + nameBuffers.pieceSize) * ChannelBuffers.pieces
    // And the metadata, the indexes and the files beside them.
    return pieces * ChannelBuffers.processors + 1 << 20
  }

  /// Events that other events refer to; a snapshot has separate buffers for them, so that a flood
  /// of other events does not overwrite them.
  private static let names = [
    "objectstore:store_opened", "objectstore:context_created", "objectstore:statement",
    "sqliteprobe:connection_opened", "sqliteprobe:statement", "sqliteprobe:caller",
  ]

  private func enableChannel(
    _ channel: String, _ whenFull: String, _ buffers: ChannelBuffers
  ) async throws {
    try await command.lttng(
      ["enable-channel", "--userspace", "--session=\(name)", "--buffers-uid", whenFull]
        + destination.channelOptions(buffers) + [channel])
  }

  private func enable(_ events: String, _ options: [String], in channel: String) async throws {
    try await command.lttng(
      ["enable-event", "--userspace", "--session=\(name)", "--channel=\(channel)", events]
        + options + ["--filter=\(scope)"])
  }

  /// The filter that keeps the session to its own processes.
  private var scope: String {
    guard let process else { return "recording == \(number)" }
    return "$ctx.vpid == \(TracedProcess.innermostID(of: process))"
  }

  /// The triggers that take snapshots of this session into a folder; none is armed.
  func triggers(of conditions: [FlightCondition], into folder: String) -> [SessionTrigger] {
    SessionTrigger.triggers(of: conditions, session: name, scope: scope, folder: folder)
  }

  var processes: RecordedProcesses {
    RecordedProcesses(variable: "\(variable.0)=\(variable.1)", process: process)
  }

  /// Waits until the snapshots that began are written: LTTng does one thing at a time for a session.
  func finishSnapshots() async {
    // NB: not `lttng list NAME`: lttng-sessiond 2.13.9 crashes when it lists events with exclusions.
    try? await command.lttng("snapshot", "list-output", "--session=\(name)")
  }

  /// Writes the events in memory, while the program goes on.
  ///
  /// - Returns: whether LTTng could.
  func takeSnapshot(named snapshot: String? = nil) async -> Bool {
    let options = snapshot.map { ["--name=\($0)"] } ?? []
    return (try? await command.lttng(["snapshot", "record", "--session=\(name)"] + options)) != nil
  }

  /// Stops the session, waits until all is written, and removes it.
  func end() async throws {
    do {
      try await command.lttng("stop", name)
      if case .snapshot = destination {
        try await command.lttng("snapshot", "record", "--session=\(name)")
      }
    } catch {
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
    // The folder is complete. The daemon waits half a second before it releases the session.
    if case .folder = destination { return try await command.lttng("destroy", "--no-wait", name) }
    try await command.lttng("destroy", name)
  }

  /// Has a relay daemon make the folder that states that all of a session was sent.
  ///
  /// A session of the same name makes it as it starts, and writes nothing into it.
  static func mark(
    _ end: RelayedRecording.End, at target: RelayTarget, of session: RecordingSession,
    with command: LTTngCommand
  ) async throws {
    let name = session.name
    try await command.lttng("create", name, "--set-url=\(target.url(of: end))")
    do {
      try await command.lttng("enable-channel", "--userspace", "--session=\(name)", "end")
      try await command.lttng("start", name)
    } catch {
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
    try await command.lttng("destroy", name)
  }

  private static let namePrefix = "trace-report-"

  /// The recorder that made a session or a trigger; nil for sessions of others.
  static func owner(ofName name: some StringProtocol) -> pid_t? {
    guard name.hasPrefix(namePrefix) else { return nil }
    return pid_t(name.dropFirst(namePrefix.count).prefix { $0 != "-" })
  }

  /// Destroys the sessions of recorders that were killed, and their triggers.
  static func destroyAbandoned(in list: String, with command: LTTngCommand) async throws {
    // `  1) trace-report-2367-1804289383 [active]`
    let abandoned = list.split(whereSeparator: \.isWhitespace).filter { word in
      owner(ofName: word).map { !SessionDaemon.isRunning($0) } ?? false
    }
    guard !abandoned.isEmpty else { return }
    for name in abandoned { try? await command.lttng("destroy", String(name)) }
    try await SessionTrigger.removeAbandoned(with: command)
  }
}

extension RecordingSession.Destination {
  /// Whether new events overwrite the oldest.
  fileprivate var isSnapshot: Bool {
    switch self {
    case .snapshot, .flight: true
    case .folder, .stream: false
    }
  }

  fileprivate var createOptions: [String] {
    switch self {
    case .folder(let folder): ["--output=\(folder)"]
    case .snapshot(let folder), .flight(let folder): ["--snapshot", "--output=\(folder)"]
    case .stream(let target): ["--live=1000000", "--set-url=\(target.url)"]
    }
  }

  fileprivate func channelOptions(_ buffers: ChannelBuffers) -> [String] {
    ["--num-subbuf=\(ChannelBuffers.pieces)", "--subbuf-size=\(buffers.pieceSize)"]
  }
}
