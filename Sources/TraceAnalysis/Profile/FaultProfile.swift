// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The faults of one entity or relationship on objects that one line of code fetched.
public struct FaultProfile: Hashable, Sendable, Codable {
  /// The origin of the faults.
  public var origin: Origin
  /// Faults that were filled from the row cache.
  public var hits: UInt64 = 0
  /// Faults that were read from the database.
  public var misses: UInt64 = 0
  /// Rows that the misses read.
  public var rows: UInt64 = 0
  /// The time of the faults filled from the row cache.
  public var hitTime: Nanoseconds = 0
  /// The time of the faults read from the database.
  public var missTime: Nanoseconds = 0
  /// The most misses on the objects of one single fetch; a miss with a second before and after it is one of its own.
  public var mostMissesPerFetch: UInt64 = 0
  /// Misses on objects of the entity that was fetched before them; nil where the line that fetched the
  /// objects is known.
  public var missesOfFetched: UInt64?
  /// The statement that answered the misses, if there was one.
  public var statement: StatementID?
  /// The measures of the faults; nil in reports of older versions.
  public var measured: Measures?

  /// The entity, relationship and line of code of faults.
  public struct Origin: Hashable, Sendable, Codable {
    /// The entity's name.
    public var entity: String
    /// "" for object faults.
    public var relationship: String
    /// The line that fetched the objects.
    public var location: SourceLocation
  }
}

extension FaultProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.hits, \.misses, \.rows, \.hitTime, \.missTime, \.missesOfFetched, \.measured,
    max: \.mostMissesPerFetch)

  /// Adds the faults of another origin.
  public mutating func add(_ other: Self) {
    statement = statement ?? other.statement
    Self.sums.add(other, to: &self)
  }
}

/// The work on one entity, for all callers.
public struct EntityProfile: Hashable, Sendable, Codable {
  /// The entity's name.
  public var name: String
  /// Fetches, counts, prefetches and batches.
  public var fetches: UInt64 = 0
  /// Rows returned.
  public var rows: UInt64 = 0
  /// Faults fired.
  public var faults: UInt64 = 0
  /// Faults that were read from the database.
  public var cacheMisses: UInt64 = 0
  /// The time from begin to end.
  public var totalTime: Nanoseconds = 0
  /// The measures of its statements and faults; nil in reports of older versions.
  public var measured: Measures?
}
