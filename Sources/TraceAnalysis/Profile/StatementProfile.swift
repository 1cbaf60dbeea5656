// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// All runs of one SQL text by fetches, counts and faults.
public struct StatementProfile: Hashable, Sendable, Codable {
  /// The statement's id.
  public var id: StatementID
  /// The text, or nil if the source does not contain it.
  public var sql: String?
  /// The entity, or the table if there is no entity.
  public var entity: String
  /// The kinds of fetches that ran it, each once; empty if only faults did.
  public var kinds: [FetchKind] = []
  /// The counts and times of the runs.
  public var work = StatementCounts()
  /// Runs that fired faults caused: the work is in ``work`` as well.
  public var misses: UInt64 = 0
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// The runs with the same values.
  public var repeats = Repeats()
  /// Runs in a program without the store, which the probe reported; nil if there are none.
  public var observedRuns: UInt64?
  /// By total time, longest first.
  public var callers: [CallerProfile] = []
}

/// Runs with values that had run before, with nothing committed by their process in between.
public struct Repeats: Hashable, Sendable, Codable {
  /// The first run of each value is not among them; of very many values, some are not followed.
  public var runs: UInt64 = 0
  /// The time of the repeated runs.
  public var time: Nanoseconds = 0
  /// The most runs with one value, the first included.
  public var mostOfOneValue: UInt64 = 0
  /// Runs that soon followed the run before, as in a loop; nil if there were none, and without the
  /// probe.
  public var near: UInt64?
}

/// The runs of one statement of one line of code.
public struct CallerProfile: Hashable, Sendable, Codable {
  /// The line of code.
  public var location: SourceLocation
  /// The counts and times of the runs.
  public var work = StatementCounts()
  /// Runs that faults caused on the objects that the line fetched.
  public var misses: UInt64 = 0
  /// The distribution of the runs' times.
  public var latency = Latency()

  /// Makes an empty profile of a line of code.
  public init(location: SourceLocation) { self.location = location }
}

extension StatementProfile: Additive {
  /// Adds the runs of another source, or of another text of the same form.
  public mutating func add(_ other: Self) {
    sql = sql ?? other.sql
    if entity.isEmpty { entity = other.entity }
    kinds = FetchKind.allCases.filter { kinds.contains($0) || other.kinds.contains($0) }
    Self.sums.add(other, to: &self)
    callers = .merged(callers + other.callers)
  }

  private static let sums = Sums<Self, Self>(
    \.work, \.misses, \.repeats, \.observedRuns, \.latency)
}

extension Repeats: Summed {
  public static let sums = Sums<Self, Self>(\.runs, \.time, \.near, max: \.mostOfOneValue)
}

extension CallerProfile: Summed {
  public static let sums = Sums<Self, Self>(\.work, \.misses, \.latency)
}

extension Profile {
  /// The lines that ran statements.
  public var callers: [SourceLocation] { statements.flatMap { $0.callers.map(\.location) } }
}
