// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A session of LTTng that records the provider `objectstore` into a folder.
struct RecordingSession {
  private let command: LTTngCommand
  private let name: String
  private let isSnapshot: Bool

  /// Makes a session and starts it; on failure nothing of it remains.
  static func start(
    _ options: RecordingOptions, with command: LTTngCommand
  ) async throws -> RecordingSession {
    let name = "trace-report-\(getpid())-\(UInt32.random(in: 0 ... .max))"
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
      "enable-event", "--userspace", "--session=\(name)", "--channel=\(channel)", "objectstore:*")
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
}
