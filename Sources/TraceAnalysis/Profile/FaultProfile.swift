// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The faults of one entity or relationship on objects that one line of code fetched.
public struct FaultProfile: Hashable, Sendable, Codable {
  public var origin: Origin
  public var hits: UInt64 = 0
  public var misses: UInt64 = 0
  /// Rows that the misses read.
  public var rows: UInt64 = 0
  public var hitTime: Nanoseconds = 0
  public var missTime: Nanoseconds = 0
  /// The most misses on the objects of one single fetch.
  public var mostMissesPerFetch: UInt64 = 0
  /// The statement that answered the misses, if there was one.
  public var statement: StatementID?

  public struct Origin: Hashable, Sendable, Codable {
    public var entity: String
    /// "" for object faults.
    public var relationship: String
    /// The line that fetched the objects.
    public var location: SourceLocation

    public init(entity: String, relationship: String, location: SourceLocation) {
      self.entity = entity
      self.relationship = relationship
      self.location = location
    }
  }

  public init(origin: Origin) { self.origin = origin }
}

/// What happened to one entity, whoever asked.
public struct EntityProfile: Hashable, Sendable, Codable {
  public var name: String
  /// Fetches, counts, prefetches and batches.
  public var fetches: UInt64 = 0
  public var rows: UInt64 = 0
  public var faults: UInt64 = 0
  public var cacheMisses: UInt64 = 0
  public var totalTime: Nanoseconds = 0

  public init(name: String) { self.name = name }
}
