// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading
import TraceRecording

/// The source of the events of `top`: a running program, or one that it starts itself.
final class TopSource {
  let name: String
  let reader: LiveReader
  private let recording: LiveRecording?
  private var isOver = false
  private var wasEndedByUs = false

  /// Follows a log.
  init(_ input: String) throws {
    do {
      reader = try LiveReader(input)
    } catch {
      throw Failure(error)
    }
    name = input == "-" ? "standard input" : input
    recording = nil
  }

  /// Starts a program, and follows its log.
  init(command: [String], output: LiveRecording.Output) throws {
    name = command.joined(separator: " ")
    do {
      let recording = try LiveRecording(
        command, guardian: ["/proc/self/exe", GuardRecording.name])
      do {
        reader = try LiveReader(recording.log, isOurs: true)
        try recording.startProgram(output: output)
      } catch {
        recording.end()
        throw error
      }
      self.recording = recording
    } catch let error as RecordingError {
      throw Failure("\(error)")
    } catch let error as TraceReadingError {
      throw Failure(error)
    }
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
    return isOver ? "no more events" : nil
  }

  /// The code to exit with: that of the program, if it failed by itself.
  var exitCode: Int32 { wasEndedByUs ? 0 : recording?.outcomeIfEnded()?.exitCode ?? 0 }

  /// Ends the program, if it is running, and everything that was started for it.
  func close() {
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
