// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A session of LTTng that records the providers of the store and of the probe into a folder, or for a live reader.
///
/// Root's programs all talk to one daemon, which hears every process on the machine. So the
/// program gets a number into its environment, which its children inherit, and the tracer drops
/// within each process the events of those that have another one, or none.
struct RecordingSession {
  private let command: LTTngCommand
  private let name: String
  private let destination: Destination
  private let number = Int64.random(in: 1 ... .max)

  /// What the program's environment must hold for its events to be recorded.
  var variable: (String, String) { ("STORE_TRACE_RECORDING", "\(number)") }

  /// Where the events go.
  enum Destination {
    case folder(String)
    /// The newest events are kept in memory, and written to the folder at the end.
    case snapshot(String)
    case relay(RelayDaemon)
  }

  /// Makes a session and starts it; on failure nothing of it remains.
  static func start(
    _ destination: Destination, isLossless: Bool = false, memory: Int? = nil,
    with command: LTTngCommand
  ) async throws -> RecordingSession {
    let name = "\(namePrefix)\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let session = RecordingSession(command: command, name: name, destination: destination)
    do {
      try await session.start(isLossless: isLossless, memory: memory)
      return session
    } catch {
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
  }

  private func start(isLossless: Bool, memory: Int?) async throws {
    let buffers = try memory.map(ChannelBuffers.init(memory:)) ?? ChannelBuffers.forThisMachine()
    try await command.lttng(["create", name] + destination.createOptions)
    // One blocking channel needs the program's consent as well: LTTNG_UST_ALLOW_BLOCKING.
    let timeout = isLossless ? "inf" : "0"
    let whenFull = destination.isSnapshot ? "--overwrite" : "--blocking-timeout=\(timeout)"
    if destination.isSnapshot {
      let texts = Self.names.joined(separator: ",")
      // 1 MiB holds some 3,000 texts of statements.
      try await enableChannel("names", whenFull, ChannelBuffers(memory: 1 << 20))
      try await enable(texts, [], in: "names")
      try await enableChannel("objectstore", whenFull, buffers)
      for provider in StoreEvent.providers {
        try await enable("\(provider):*", ["--exclude=\(texts)"], in: "objectstore")
      }
    } else {
      // Otherwise what explains the events is written when a program ends, so that a trace could
      // not be read before.
      try await command.lttng(
        "enable-channel", "--userspace", "--session=\(name)", "--switch-timer=500000", "metadata")
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

  /// What other events refer to; in a snapshot's buffers of their own, so that no flood of those
  /// overwrites it.
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
        + options + ["--filter=recording == \(number)"])
  }

  /// Writes what is in memory, while the program goes on.
  ///
  /// - Returns: whether LTTng could.
  func takeSnapshot() async -> Bool {
    (try? await command.lttng("snapshot", "record", "--session=\(name)")) != nil
  }

  /// Stops the session, waits until all is written, and removes it.
  func end() async throws {
    do {
      if destination.isSnapshot {
        try await command.lttng("stop", name)
        try await command.lttng("snapshot", "record", "--session=\(name)")
      } else {
        try await command.lttng("stop", name)
      }
    } catch {
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
    try await command.lttng("destroy", name)
  }

  /// The address at which libbabeltrace2 joins the session; nil if it is none for live readers.
  var address: String? {
    guard case .relay(let relay) = destination else { return nil }
    return relay.address(ofSession: name)
  }

  private static let namePrefix = "trace-report-"

  /// Destroys the sessions of recorders that were killed.
  static func destroyAbandoned(with command: LTTngCommand) async throws {
    let list = try await command.run("lttng", ["--no-sessiond", "list"])
    // `  1) trace-report-2367-1804289383 [active]`
    for word in list.text.split(whereSeparator: \.isWhitespace) where word.hasPrefix(namePrefix) {
      let owner = pid_t(word.dropFirst(namePrefix.count).prefix { $0 != "-" })
      guard let owner, !SessionDaemon.isRunning(owner) else { continue }
      try? await command.lttng("destroy", String(word))
    }
  }
}

extension RecordingSession.Destination {
  fileprivate var isSnapshot: Bool { if case .snapshot = self { true } else { false } }

  fileprivate var createOptions: [String] {
    switch self {
    case .folder(let folder): ["--output=\(folder)"]
    case .snapshot(let folder): ["--snapshot", "--output=\(folder)"]
    // In µs, how late an event may come of a program that does little.
    case .relay(let relay): ["--live=250000", "--set-url=\(relay.url)"]
    }
  }

  fileprivate func channelOptions(_ buffers: ChannelBuffers) -> [String] {
    var size = buffers.pieceSize
    var options = ["--num-subbuf=\(ChannelBuffers.pieces)"]
    if case .relay = self {
      // The relay daemon keeps what it passed on: 64 MiB of each processor, however long it goes on.
      size = min(size, 2 << 20)
      options += ["--tracefile-size=\(16 << 20)", "--tracefile-count=4"]
    }
    return options + ["--subbuf-size=\(size)"]
  }
}
