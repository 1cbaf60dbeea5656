// SPDX-License-Identifier: Apache-2.0

/// When a flight recorder takes snapshots, and how much it may keep.
public struct FlightOptions: Hashable, Sendable {
  public var conditions: [FlightCondition]
  /// Incidents within an hour.
  public var atMost = 12
  /// Of all incidents together, in bytes.
  public var disk = 256 << 20

  public init(_ conditions: [FlightCondition]) { self.conditions = conditions }

  /// The memory of the buffers for each processor that leaves room for several snapshots of each
  /// trigger: 8 MiB, or less where there are many processors.
  public var memory: Int {
    let triggers = conditions.reduce(0) { $0 + $1.rules.count }
    let share = disk / max(1, 4 * triggers * ChannelBuffers.processors)
    return min(max(share, 512 << 10), 8 << 20)
  }
}

/// A snapshot that a condition caused.
public struct FlightSnapshot: Hashable, Sendable {
  /// From 1, in the order of their times; never used again for another one.
  public var number: Int
  /// The folder of its trace.
  public var folder: String
  public var condition: FlightCondition
}

/// Observes state that a flight recorder's events do not contain, and examines its snapshots.
public protocol IncidentExaminer {
  /// Called about ten times a second while the program runs.
  mutating func observe(_ processes: RecordedProcesses)

  /// Writes the files that explain a snapshot beside its trace.
  ///
  /// - Returns: false if the condition does not hold; the snapshot is then removed.
  mutating func examine(_ snapshot: FlightSnapshot) -> Bool

  /// Counts the events of a trace that meet a condition and have no incident.
  mutating func count(in folder: String)
}

/// Grants at most so many incidents within an hour.
struct HourlyLimit {
  let count: Int
  private var granted: [ContinuousClock.Instant] = []

  init(_ count: Int) { self.count = count }

  mutating func note(_ time: ContinuousClock.Instant) { granted.append(time) }

  mutating func permits(_ time: ContinuousClock.Instant) -> Bool {
    granted.removeAll { time - $0 >= .seconds(3600) }
    return granted.count < count
  }
}
