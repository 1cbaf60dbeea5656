// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading
import TraceRecording

/// The source of the events of `top`: a log, a running process, or a program that it starts itself.
final class TopSource {
  let name: String
  let reader: LiveReader
  private let recording: LiveRecording?
  private let attachment: LiveAttachment?
  private var isOver = false
  private var wasEndedByUs = false

  /// Follows a log.
  init(_ input: String) throws {
    reader = try LiveReader(input)
    name = input == "-" ? "standard input" : input
    recording = nil
    attachment = nil
  }

  /// Loads the probe into a process, and follows its log.
  init(process: Int32) throws {
    name = "process \(process)"
    let attachment = try LiveAttachment(to: process, guardian: ProgramRecording.guardian)
    do {
      reader = try LiveReader(attachment.log, isOurs: true)
      try attachment.begin()
    } catch {
      _ = attachment.end()
      throw error
    }
    self.attachment = attachment
    recording = nil
  }

  /// Starts a program, and follows its log.
  init(command: [String], output: LiveRecording.Output) throws {
    name = command.joined(separator: " ")
    let recording = try LiveRecording(command, guardian: ProgramRecording.guardian)
    do {
      reader = try LiveReader(recording.log, isOurs: true)
      try recording.startProgram(output: output)
    } catch {
      recording.end()
      throw error
    }
    self.recording = recording
    attachment = nil
  }

  /// Returns the events that have arrived.
  func read(
    until deadline: ContinuousClock.Instant, _ body: (EventRecord) throws -> Void
  ) throws {
    guard !isOver else { return }
    isOver = try !reader.read(until: deadline, body)
  }

  /// Whether a store has emitted any event.
  var hasEvents: Bool { reader.report.sources.contains { $0.eventsRead > 0 } }

  /// Whether all events that were written have been read.
  var isDrained: Bool { isOver || reader.isDry }

  /// The reason why no more events can arrive, or nil while they can.
  var ending: String? {
    if let outcome = recording?.outcomeIfEnded() { return Self.sentence(outcome) }
    if let attachment, !attachment.isRunning { return "the process has ended" }
    return isOver ? "no more events" : nil
  }

  /// The code to exit with: that of the program, if it failed by itself.
  var exitCode: Int32 { wasEndedByUs ? 0 : recording?.outcomeIfEnded()?.exitCode ?? 0 }

  /// Ends the program that was started, if it is running, and detaches from one that ran before.
  func close() {
    if let attachment { ProgramRecording.complain(of: attachment.end()) }
    guard let recording else { return }
    wasEndedByUs = recording.outcomeIfEnded() == nil
    if recording.endProgram() == nil {
      Output.complain("the program did not end within 5 s; it continues, unrecorded")
    } else if wasEndedByUs {
      Output.complain("the program was ended")
    }
    recording.end()
  }

  private static func sentence(_ outcome: Recording.Outcome) -> String {
    switch outcome {
    case .exited(let code): "ended with code \(code)"
    case .killed(let signal): "ended by signal \(signal)"
    }
  }
}
