// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// One process, and whether all of its events were seen.
public struct ProcessProfile: Hashable, Sendable, Codable {
  /// The process.
  public var identity: ProcessIdentity
  /// Events read, without statement announcements: the events that `CountersSampled.events` counts.
  public var eventsSeen: UInt64 = 0
  /// Events that its stores emitted by their own count, or nil if no `counters` event was read.
  public var eventsEmitted: UInt64?
  /// Events read after the last `counters` event.
  public var eventsUncounted: UInt64 = 0
  /// The cost of tracing in the process's time, up to the last `counters` event; nil if the source
  /// does not contain it.
  public var tracingTime: Nanoseconds?
  /// Fetches that began and had not ended when the trace did.
  public var unfinishedFetches: UInt64 = 0

  /// When the process started, by its own report; nil where the source does not contain it.
  public var start: Nanoseconds?
  /// The timestamp of its first event; nil in older reports.
  public var firstEvent: Nanoseconds?
  /// The timestamp of its last event; nil in older reports.
  public var lastEvent: Nanoseconds?

  /// Whether its stores count the events that they emit; Core Data does not.
  public var countsEvents = true

  /// Makes an empty profile of a process.
  public init(identity: ProcessIdentity) { self.identity = identity }

  /// Whether the report saw all that the process did.
  public enum Coverage: Hashable, Sendable {
    /// All events were read.
    case complete
    /// Fewer events were read than the process emitted.
    case lost(UInt64)
    /// More events were read than the process emitted, as if it was read twice.
    case surplus(UInt64)
    /// The process was killed, or the recording stopped: the last events could not be checked.
    case uncounted(UInt64)
    /// Its kind of source never counts: a gap cannot be seen.
    case untold
  }

  /// The events read, compared with the counters.
  public var coverage: Coverage {
    guard countsEvents else { return .untold }
    guard let eventsEmitted else { return .uncounted(eventsSeen) }
    if eventsSeen < eventsEmitted { return .lost(eventsEmitted - eventsSeen) }
    if eventsSeen == eventsEmitted { return .complete }
    return eventsUncounted > 0
      ? .uncounted(eventsUncounted) : .surplus(eventsSeen - eventsEmitted)
  }

  /// The profile without the parts that only some kinds of source contain: names, and the cost of
  /// tracing.
  var comparable: Self {
    var copy = self
    copy.identity = ProcessIdentity(id: identity.id, name: "")
    copy.tracingTime = nil
    (copy.start, copy.firstEvent, copy.lastEvent) = (nil, nil, nil)
    return copy
  }
}
