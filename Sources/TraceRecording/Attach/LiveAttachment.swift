// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that ran before, whose log is read while it goes on.
///
///     let attachment = try LiveAttachment(to: 4711)
///     // a reader follows attachment.log, and discards the part that it has read
///     try attachment.begin()
///     while attachment.isRunning { … }
///     let recording = attachment.end()
public final class LiveAttachment {
  public let process: Int32
  private let file: LiveLog
  private let untraced: UntracedProcesses
  private let injector: ProbeInjector
  private var hasBegun = false

  /// Makes the log, and does not load the probe yet.
  ///
  /// - Parameter guardian: as ``RecordingOptions/guardian``.
  /// - Throws: ``RecordingError``, also where files show that the probe cannot be loaded.
  public init(to process: Int32, guardian: [String] = []) throws(RecordingError) {
    self.process = process
    injector = try TraceRecorder.injector(for: process)
    file = try LiveLog(guardian: guardian)
    do {
      untraced = try UntracedProcesses(in: file.folder)
      try TraceRecorder.passOwnership(
        of: [file.folder, file.path, untraced.variable.1], to: process)
    } catch {
      file.end()
      throw error
    }
  }

  /// The log that grows, which exists from the start.
  public var log: String { file.path }

  public var isRunning: Bool { SessionDaemon.isRunning(process) }

  /// Loads the probe into the process.
  public func begin() throws(RecordingError) {
    try injector.attach(TraceRecorder.settings(log: file.path) + [untraced.variable])
    hasBegun = true
  }

  /// Removes the probe's hooks and the log.
  ///
  /// - Returns: what was not recorded, and why hooks stay.
  public func end() -> Recording {
    var recording = Recording(outcome: .exited(0), directory: file.folder)
    if hasBegun, isRunning { recording.keptHooks = TraceRecorder.detach(injector) }
    hasBegun = false
    recording.untraced = untraced.drain()
    file.end()
    return recording
  }
}
