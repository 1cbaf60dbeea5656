// SPDX-License-Identifier: Apache-2.0

/// What a store has counted since it was opened, so that a reader can check whether it saw all
/// events.
public struct CountersSampled: EventPayload {
  @inlinable
  public static var name: StaticString { "counters" }

  public var storeID: UInt64
  /// Counts included.
  public var fetches: UInt64
  /// Relationship faults included.
  public var faults: UInt64
  public var cacheHits: UInt64
  public var cacheMisses: UInt64
  public var saves: UInt64
  /// Events emitted before this one, ``StatementAnnounced`` left out.
  public var events: UInt64
  /// What the observers took for those events, estimated from a sample of them; 0 in a trace of an
  /// older version.
  public var tracingTime: Nanoseconds

  @inlinable
  public init(
    storeID: UInt64,
    fetches: UInt64,
    faults: UInt64,
    cacheHits: UInt64,
    cacheMisses: UInt64,
    saves: UInt64,
    events: UInt64,
    tracingTime: Nanoseconds = 0
  ) {
    self.storeID = storeID
    self.fetches = fetches
    self.faults = faults
    self.cacheHits = cacheHits
    self.cacheMisses = cacheMisses
    self.saves = saves
    self.events = events
    self.tracingTime = tracingTime
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("fetches", fetches)
    fields.field("faults", faults)
    fields.field("cache_hits", cacheHits)
    fields.field("cache_misses", cacheMisses)
    fields.field("saves", saves)
    fields.field("events", events)
    fields.field("tracing_ns", tracingTime)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    fetches = try fields.uint64("fetches")
    faults = try fields.uint64("faults")
    cacheHits = try fields.uint64("cache_hits")
    cacheMisses = try fields.uint64("cache_misses")
    saves = try fields.uint64("saves")
    events = try fields.uint64("events")
    tracingTime = try fields.addedInt64("tracing_ns")
  }
}
