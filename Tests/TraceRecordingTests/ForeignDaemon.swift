// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import TraceRecording

/// A session daemon that no recording of ours started.
///
/// It runs below a shell that ends it when this process is gone, however that ends.
struct ForeignDaemon {
  let processID: pid_t
  /// The shell; `nil` if another user of this machine has a daemon already.
  private let keeper: Process?
  /// Whether it ends with ``end()``.
  var isOurs: Bool { keeper != nil }

  /// Starts one while nothing is recorded.
  init() async throws {
    self = try await Self.withoutARecording {
      let isRunning = try await Recorder().run("/usr/bin/env", Self.list).status == 0
      let keeper = isRunning ? nil : try Self.startKeeper()
      for _ in 1...1_000 {
        if try await Recorder().run("/usr/bin/env", Self.list).status == 0 { break }
        try await Task.sleep(for: .milliseconds(20))
      }
      let variables = ProcessInfo.processInfo.environment
      let home = variables["LTTNG_HOME"] ?? variables["HOME"] ?? "/"
      guard let processID = SessionDaemon.daemonID(home: home) else {
        keeper?.terminate()
        throw RecordingError.daemonDidNotStart(reason: "no process id in \(home)")
      }
      return Self(processID: processID, keeper: keeper)
    }
  }

  private init(processID: pid_t, keeper: Process?) {
    (self.processID, self.keeper) = (processID, keeper)
  }

  static let list = ["lttng", "--no-sessiond", "list"]

  private static func startKeeper() throws -> Process {
    let keeper = Process()
    keeper.executableURL = URL(filePath: "/usr/bin/env")
    // Process's children inherit blocked signals, and a daemon needs its own; env unblocks them.
    // The shell reads until its input, which only we hold, ends.
    keeper.arguments = [
      "--default-signal", "setsid", "--wait", "sh", "-c",
      "lttng-sessiond --no-kernel & read line; kill $!; wait",
    ]
    keeper.standardInput = Pipe()
    keeper.standardOutput = FileHandle.nullDevice
    keeper.standardError = FileHandle.nullDevice
    try keeper.run()
    return keeper
  }

  /// Ends it when no recorder uses it any more.
  func end() async throws {
    guard let keeper else { return }
    try await Self.withoutARecording {
      try (keeper.standardInput as? Pipe)?.fileHandleForWriting.close()
      for _ in 1...1_000 where SessionDaemon.isRunning(processID) {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private static func withoutARecording<Result>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    let recording = try directory.lock("recording")
    // Not held while waiting: a recording needs the first to release the second, and its guardian
    // to end its daemon.
    while true {
      if starting.lockIfFree() {
        if recording.lockIfFree() {
          if directory.daemon == nil { break }
          recording.unlock()
        }
        starting.unlock()
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    defer {
      recording.unlock()
      starting.unlock()
    }
    return try await body()
  }
}
