// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceReading

/// The reason why profiles cannot be added up: some events are counted twice, or this cannot be
/// ruled out.
public enum DoubleCounting: Error, Hashable, Sendable {
  /// Both hold the sums of one recording.
  case sameRecording(String, String)
  /// Both hold events of one process at the same time, such as a trace and a log of one run.
  case sameProcess(ProcessIdentity, String, String)
  /// A report of an older version: its events have no identity.
  case unidentified(String)
}

extension DoubleCounting: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sameRecording(let a, let b):
      "\(LogText.quoted(b)) holds a recording that \(LogText.quoted(a)) holds as well, which would "
        + "count twice; leave one of them out"
    case .sameProcess(let process, let a, let b):
      "\(LogText.quoted(a)) and \(LogText.quoted(b)) both hold events of "
        + "\(LogText.escaped(process.title)) of the same time, which may count twice; leave one "
        + "of them out"
    case .unidentified(let name):
      "\(LogText.quoted(name)) has no identity by which counting it twice could be excluded; write "
        + "it again with this version: trace-report summary INPUT --json"
    }
  }
}

/// The recordings that were added up so far.
public struct CountedRecordings {
  private struct Process: Hashable {
    var id: Int64
    var host: String
    var start: Nanoseconds
  }

  private var recordings: [String: String] = [:]
  private var processes: [Process: [(span: ClosedRange<Nanoseconds>, name: String)]] = [:]
  private let requiresIdentity: Bool

  /// - Parameter requiresIdentity: whether a profile of events without identity is refused.
  public init(requiresIdentity: Bool) { self.requiresIdentity = requiresIdentity }

  /// Adds the recordings of a profile.
  ///
  /// - Throws: ``DoubleCounting`` if one of them was noted of another profile.
  public mutating func add(_ profile: Profile, name: String) throws(DoubleCounting) {
    for source in profile.reading.sources {
      guard let identity = source.identity else {
        if requiresIdentity, source.eventsRead > 0 { throw .unidentified(name) }
        continue
      }
      if let other = recordings.updateValue(name, forKey: identity.id) {
        throw .sameRecording(other, name)
      }
    }
    var new: [(Process, ClosedRange<Nanoseconds>)] = []
    for process in profile.processes {
      guard let start = process.start, let first = process.firstEvent,
        let last = process.lastEvent, first <= last
      else { continue }
      let key = Process(id: process.identity.id, host: process.identity.host, start: start)
      if let other = processes[key]?.first(where: { $0.span.overlaps(first...last) }) {
        throw .sameProcess(process.identity, other.name, name)
      }
      new.append((key, first...last))
    }
    // Within one profile they were read together, which its completeness judges.
    for (key, span) in new { processes[key, default: []].append((span, name)) }
  }
}
