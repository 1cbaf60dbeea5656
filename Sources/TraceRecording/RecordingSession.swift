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
    let buffers = try ChannelBuffers.forThisMachine()
    let output = "--output=\(options.directory)"
    if isSnapshot {
      try await command.lttng("create", name, "--snapshot", output)
    } else {
      try await command.lttng("create", name, output)
    }
    let channel = "objectstore"
    // One blocking channel needs the program's consent as well: LTTNG_UST_ALLOW_BLOCKING.
    let timeout = options.isLossless ? "inf" : "0"
    let whenFull = isSnapshot ? "--overwrite" : "--blocking-timeout=\(timeout)"
    try await command.lttng(
      "enable-channel", "--userspace", "--session=\(name)", "--buffers-uid", whenFull,
      "--subbuf-size=\(buffers.pieceSize)", "--num-subbuf=\(ChannelBuffers.pieces)", channel)
    try await command.lttng(
      "enable-event", "--userspace", "--session=\(name)", "--channel=\(channel)", "objectstore:*",
      "--filter=recording == \(number)")
    try await command.lttng(
      "add-context", "--userspace", "--session=\(name)", "--channel=\(channel)", "--type=vpid",
      "--type=vtid", "--type=procname")
    try await command.lttng("start", name)
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
