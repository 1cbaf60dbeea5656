// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The work of one managed object context.
public struct ContextProfile: Hashable, Sendable, Codable {
  /// The index of its process in ``Profile/processes``.
  public var process: Int
  /// 0 where the source does not contain it.
  public var id: UInt64
  /// The name that the program set, or "".
  public var name = ""
  /// The counts and times of the runs.
  public var work = StatementCounts()
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// Faults that were filled from the row cache.
  public var cacheHits: UInt64 = 0
  /// Faults that were read from the database.
  public var cacheMisses: UInt64 = 0
  /// The time that faults took.
  public var faultTime: Nanoseconds = 0
  /// Saves, failed ones included.
  public var saves: UInt64 = 0
  /// The time that saves took.
  public var saveTime: Nanoseconds = 0
}

extension ContextProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.work, \.latency, \.cacheHits, \.cacheMisses, \.faultTime, \.saves, \.saveTime)
}

/// The events of a context while they are being counted.
struct ContextTally {
  private var profile = ContextProfile(process: 0, id: 0)
  private var durations = Durations()

  mutating func add(_ context: ContextCreated) { profile.name = context.contextName }

  mutating func add(_ fetch: FetchEnd, _ measures: Measures) {
    profile.work.add(fetch, measures)
    if measures.contains(.totalTime) { durations.record(fetch.totalTime) }
  }

  mutating func add(_ run: StatementRun, _ measures: Measures) {
    profile.work.add(run, measures)
    if measures.contains(.totalTime) { durations.record(run.stepTime) }
  }

  mutating func add(_ fault: FaultFired) {
    fault.source == .rowCache ? profile.cacheHits.add(1) : profile.cacheMisses.add(1)
    profile.faultTime.add(fault.duration)
  }

  mutating func add(_ save: SaveEnd) {
    profile.saves.add(1)
    profile.saveTime.add(save.totalTime)
  }

  func finished(_ key: ProfileBuilder.Key) -> ContextProfile {
    var profile = profile
    profile.process = key.process
    profile.id = key.id
    profile.latency = Latency(durations.histogram)
    return profile
  }
}
