// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceReading

/// Whether a profile saw all that happened.
public struct Completeness: Hashable, Sendable {
  /// Events read.
  public var eventsRead: UInt64
  /// The number of events that the tracer discarded or that the counters show as missing, whichever
  /// is larger.
  public var eventsLost: UInt64
  /// Lines of logs that no rule matches.
  public var unrecognizedLines: UInt64
  /// The reasons why the profile may be incomplete; one sentence each.
  public var doubts: [String]
  /// The data that the sources never contain; one sentence each.
  public var remarks: [String] = []
  /// The reasons why an input cannot be shown to be complete; one sentence each.
  public var unended: [String] = []
  /// The same for logs of stores and of the probe, which can be shown to be complete unless they
  /// were truncated.
  public var cutLogs: [String] = []
  /// Programs that ended with an error; one sentence each.
  public var failures: [String] = []

  /// Whether no data is missing, and every input can be shown to be complete.
  public var isComplete: Bool { eventsLost == 0 && doubts.isEmpty }
}

extension Profile {
  /// Compares the events that were read with the events that were emitted.
  public var completeness: Completeness {
    let sources = reading.sources
    let lostToProcesses = processes.sum { process in
      if case .lost(let count) = process.coverage { count } else { 0 }
    }
    // Events of other tracepoints in the session are no loss.
    let unread = lostToProcesses == 0 ? [] : sources.filter(\.hasUnreadEvents)
    return Completeness(
      eventsRead: sources.sum(\.eventsRead),
      eventsLost: max(
        sources.sum(\.eventsLost),
        lostToProcesses - min(lostToProcesses, unread.sum(\.unrecognizedLines))),
      unrecognizedLines: sources.sum(\.unrecognizedLines),
      doubts: reading.doubts + unended.map(\.doubt) + processes.flatMap(\.doubts)
        + unread.map(\.unreadDoubt) + (observed?.copiesNotObserved ?? []).map(\.doubt),
      remarks: sources.flatMap { source in
        (source.remarks + (source.failures ?? [])).map { "\(source.path): \($0)" }
      } + [unobservedStart].compactMap(\.self),
      unended: sources.flatMap(\.unendedSentences),
      cutLogs: sources.filter { $0.kind == .log }.flatMap(\.unendedSentences),
      failures: sources.flatMap { source in
        (source.failures ?? []).map { "\(source.path): \($0)" }
      })
  }
}

extension Profile {
  /// The work before the recording, in one sentence; nil if no connection was open then.
  public var unobservedStart: String? {
    observed?.adoptedConnections.map {
      "\($0.counted("connection was", "connections were")) open before the recording began; what ran "
        + "before is not observed"
    }
  }
}

extension UnobservedCopy {
  fileprivate var doubt: String {
    let version = version.isEmpty ? "" : " \(version)"
    return "\(path): a copy of SQLite\(version) was seen and not observed: \(reason)"
  }
}

extension ReadingReport {
  /// Describes the data that is missing from the inputs; one sentence each.
  public var doubts: [String] { sources.flatMap(\.doubts) }
}

extension SourceReport {
  /// Whether the input shows that something of it was lost; Core Data's log does not.
  public var recordsLosses: Bool { kind == .ctf || kind == .log }

  fileprivate var unendedSentences: [String] {
    let sentences =
      switch kind {
      case .ctf, .log: [String]()
      case .coreDataLog: ["a log of Core Data does not show whether it was cut"]
      case .statementLog: ["a log of statements does not show whether it was cut"]
      }
    return (sentences + (unended ?? [])).map { "\(path): \($0)" }
  }

  fileprivate var hasUnreadEvents: Bool { kind == .ctf && unrecognizedLines > 0 }

  /// Of events that are in the trace, such as those of another version.
  fileprivate var unreadDoubt: String {
    let sample = unrecognizedSamples.first.map { " (\($0))" } ?? ""
    return """
      \(path): \(unrecognizedLines.counted("event")) could not be read\(sample): read the trace with the version \
      that recorded it
      """
  }

  fileprivate var doubts: [String] {
    var doubts = problems.map { "\(path): \($0)" }
    if eventsLost > 0 {
      doubts.append(
        "\(path): the tracer discarded \(eventsLost.counted("event")); record with larger buffers")
    }
    return doubts
  }
}

extension ProcessProfile {
  fileprivate var doubts: [String] {
    let name = identity.id > 0 ? "\(identity.name)[\(identity.id)]" : identity.name
    var doubts: [String] = []
    switch coverage {
    case .complete, .untold: break
    case .lost(let count):
      doubts.append("\(name): emitted \(count.counted("more event")) than were read")
    case .surplus(let count):
      doubts.append(
        "\(name): \(count.counted("more event was", "more events were")) read than it emitted; is it among the inputs twice?"
      )
    case .uncounted(let count):
      doubts.append(
        "\(name): did not close its store; its last \(count.counted("event")) could not be checked for gaps"
      )
    }
    if unfinishedFetches > 0 {
      doubts.append(
        "\(name): \(unfinishedFetches.counted("fetch", "fetches")) began and had not ended")
    }
    return doubts
  }
}

extension Profile {
  /// Whether the number of lost events is known: a log of Core Data does not show losses.
  public var recordsLosses: Bool {
    reading.sources.isEmpty || reading.sources.contains { $0.recordsLosses || $0.eventsLost > 0 }
  }

  /// Whether no store did anything in it.
  public var isEmpty: Bool { processes.allSatisfy { $0.eventsSeen == 0 } }

  /// Whether a filter removed all events of stores.
  public var isFilteredAway: Bool {
    !selection.isEmpty && statements.isEmpty && faults.isEmpty && saves.isEmpty
      && waits == WaitProfile()
  }
}

extension Sequence {
  /// Adds up without overflow: counts from a trace are data and may be wrong.
  fileprivate func sum(_ amount: (Element) -> UInt64) -> UInt64 {
    var sum: UInt64 = 0
    for element in self { sum.add(amount(element)) }
    return sum
  }
}
