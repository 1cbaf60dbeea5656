// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A session of LTTng that records the provider `objectstore` into a folder.
///
/// Root's programs all talk to one daemon, which hears every process on the machine. So the
/// program gets a number into its environment, which its children inherit, and the tracer drops
/// within each process the events of those that have another one, or none.
struct RecordingSession {
  private let command: LTTngCommand
  private let name: String
  private let isSnapshot: Bool
  private let number = Int64.random(in: 1 ... .max)

  /// What the program's environment must hold for its events to be recorded.
  var variable: (String, String) { ("STORE_TRACE_RECORDING", "\(number)") }

  /// Makes a session and starts it; on failure nothing of it remains.
  static func start(
    _ options: RecordingOptions, with command: LTTngCommand
  ) async throws -> RecordingSession {
    let name = "\(namePrefix)\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let session = RecordingSession(command: command, name: name, isSnapshot: options.isSnapshot)
    do {
      try await session.start(options)
      return session
    } catch {
      try? await command.lttng("destroy", "--no-wait", name)
      throw error
    }
  }

  private func start(_ options: RecordingOptions) async throws {
    let buffers =
      try options.memory.map(ChannelBuffers.init(memory:)) ?? ChannelBuffers.forThisMachine()
    let output = "--output=\(options.directory)"
    if isSnapshot {
      try await command.lttng("create", name, "--snapshot", output)
    } else {
      try await command.lttng("create", name, output)
    }
    // One blocking channel needs the program's consent as well: LTTNG_UST_ALLOW_BLOCKING.
    let timeout = options.isLossless ? "inf" : "0"
    let whenFull = isSnapshot ? "--overwrite" : "--blocking-timeout=\(timeout)"
    if isSnapshot {
      let texts = Self.names.joined(separator: ",")
      // 1 MiB holds some 3,000 texts of statements.
      try await enable("names", texts, [], whenFull, ChannelBuffers(memory: 1 << 20))
      try await enable("objectstore", "objectstore:*", ["--exclude=\(texts)"], whenFull, buffers)
    } else {
      try await enable("objectstore", "objectstore:*", [], whenFull, buffers)
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
  ]

  private func enable(
    _ channel: String, _ events: String, _ options: [String], _ whenFull: String,
    _ buffers: ChannelBuffers
  ) async throws {
    try await command.lttng(
      "enable-channel", "--userspace", "--session=\(name)", "--buffers-uid", whenFull,
      "--subbuf-size=\(buffers.pieceSize)", "--num-subbuf=\(ChannelBuffers.pieces)", channel)
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
      if isSnapshot {
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
