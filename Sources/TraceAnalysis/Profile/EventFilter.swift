// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceReading

/// The events of a trace that a profile includes.
///
/// Every event is still read, so that lost events are still detected.
public struct EventFilter: Hashable, Sendable {
  /// Only events at or after this point.
  public var since: TracePoint?
  /// Only events before this point.
  public var until: TracePoint?
  /// Fetches and faults of this entity; no saves, which are of many.
  public var entity: String?
  /// `Search.swift:42`, `Search.swift`, `transit/Search.swift` or `transit`.
  public var caller: String?
  /// Only events of at least this duration.
  public var minimumDuration: Nanoseconds = 0
  private var start: Nanoseconds?
  private var now: Nanoseconds = 0

  /// Makes a filter that passes every event.
  public init() {}

  /// Whether every event passes.
  public var isEmpty: Bool {
    since == nil && until == nil && entity == nil && caller == nil && minimumDuration == 0
  }

  /// Each condition in two words, such as `entity Stop`.
  public var words: [String] {
    [
      since.map { "since \($0)" }, until.map { "until \($0)" }, entity.map { "entity \($0)" },
      caller.map { "caller \($0)" },
      minimumDuration > 0 ? "at least \(minimumDuration) ns" : nil,
    ].compactMap(\.self)
  }

  /// The span of time that an event that ended now may cover.
  private var isInTime: Bool {
    let start = start ?? now
    return (since.map { now >= $0.timestamp(start: start) } ?? true)
      && (until.map { now < $0.timestamp(start: start) } ?? true)
  }

  mutating func move(to timestamp: Nanoseconds) {
    if start == nil { start = timestamp }
    now = timestamp
  }

  func includes(_ fetch: FetchEnd, from location: SourceLocation) -> Bool {
    includes(entity: fetch.entity, location, fetch.totalTime)
  }

  func includes(_ fault: FaultFired) -> Bool {
    includes(entity: fault.entity, fault.origin, fault.duration)
  }

  func includes(_ miss: CacheMiss, from location: SourceLocation) -> Bool {
    includes(entity: miss.entity, location, miss.duration)
  }

  func includes(_ run: StatementRun, from location: SourceLocation) -> Bool {
    includes(entity: nil, location, run.stepTime)
  }

  func includes(_ save: SaveEnd) -> Bool {
    includes(entity: nil, save.location, save.totalTime)
  }

  /// Whether an event passes that belongs to no entity and no line of code.
  func includesUnattributed(duration: Nanoseconds = .max) -> Bool {
    includes(entity: nil, nil, duration)
  }

  private func includes(
    entity: String?, _ location: SourceLocation?, _ duration: Nanoseconds
  ) -> Bool {
    guard !isEmpty else { return true }
    return (self.entity == nil || self.entity == entity)
      && (caller.map { location?.matches($0) ?? false } ?? true)
      && duration >= minimumDuration && isInTime
  }
}

/// A point in time of a trace: an offset from its first event, or a date and time.
public enum TracePoint: Hashable, Sendable, CustomStringConvertible {
  /// A time after the first event.
  case afterStart(Nanoseconds)
  /// Since 1970-01-01 00:00 UTC.
  case absolute(Nanoseconds)

  public var description: String {
    switch self {
    case .afterStart(let duration): "\(duration) ns after the first event"
    case .absolute(let timestamp): "\(timestamp) ns since 1970"
    }
  }

  func timestamp(start: Nanoseconds) -> Nanoseconds {
    switch self {
    case .absolute(let timestamp): timestamp
    case .afterStart(let duration):
      start.addingReportingOverflow(duration).overflow ? .max : start + duration
    }
  }
}

extension SourceLocation {
  /// Whether a line is at a location, or in it: a file with or without its line and its module, or
  /// a module.
  func matches(_ location: String) -> Bool {
    guard let text else { return false }
    return [text, file].contains { $0 == location || $0.hasSuffix("/" + location) }
      || file.hasPrefix(location + "/")
  }
}

extension TracePoint {
  /// Parses `2026-11-21T14:12:28`, with or without `.123` and `Z`; nil if the text is not a time.
  public init?(utc text: String) {
    let parts = text.split(whereSeparator: { "-T: ".contains($0) }).map(String.init)
    guard parts.count == 6, parts[0].count == 4,
      let numbers = Optional(parts.prefix(5).compactMap { Int64($0) }), numbers.count == 5,
      let seconds = Double(parts[5].hasSuffix("Z") ? String(parts[5].dropLast()) : parts[5]),
      (1970...2261).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), (0..<24).contains(numbers[3]), (0..<60).contains(numbers[4]),
      (0..<61).contains(seconds)
    else { return nil }
    let days = daysSince1970(numbers[0], numbers[1], numbers[2])
    let minutes = (days * 24 + numbers[3]) * 60 + numbers[4]
    self = .absolute(minutes * 60_000_000_000 + Int64((seconds * 1e9).rounded()))
  }
}
