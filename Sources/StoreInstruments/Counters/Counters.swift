// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// What a store has done since it was opened.
public struct Statistics: Hashable, Sendable {
  /// Fetch requests, counts included.
  public var fetches: UInt64 = 0
  /// Faults fired, relationship faults included.
  public var faults: UInt64 = 0
  public var cacheHits: UInt64 = 0
  public var cacheMisses: UInt64 = 0
  public var saves: UInt64 = 0
  /// Events emitted, statement announcements left out.
  public var events: UInt64 = 0
  /// Rows in the row cache now.
  public var cachedRows: UInt64 = 0
  /// What they take, in bytes.
  public var cachedBytes: UInt64 = 0
  /// Rows that left the row cache because it was full.
  public var cacheEvictions: UInt64 = 0
}

/// Counts without locks; each count is exact, a snapshot of all of them is not one moment.
public final class Counters: Sendable {
  @usableFromInline let fetches = Atomic<UInt64>(0)
  /// Those that neither the row cache nor the database answered.
  @usableFromInline let otherFaults = Atomic<UInt64>(0)
  @usableFromInline let cacheHits = Atomic<UInt64>(0)
  @usableFromInline let cacheMisses = Atomic<UInt64>(0)
  @usableFromInline let saves = Atomic<UInt64>(0)
  private let events = Atomic<UInt64>(0)

  // Inlined: a call would cost as much as the count, and two of references beside it.

  @inlinable
  public func countFetch() { fetches.wrappingAdd(1, ordering: .relaxed) }
  /// Counts a fault that neither the row cache nor the database answers: a parent's changes do.
  @inlinable
  public func countFault() { otherFaults.wrappingAdd(1, ordering: .relaxed) }
  /// Counts a fault that the row cache answers: both a fault and a hit, at the price of one.
  @inlinable
  public func countCacheHit() { cacheHits.wrappingAdd(1, ordering: .relaxed) }
  /// Counts a fault that the database has to answer: both a fault and a miss, at the price of one.
  @inlinable
  public func countCacheMiss() { cacheMisses.wrappingAdd(1, ordering: .relaxed) }
  @inlinable
  public func countSave() { saves.wrappingAdd(1, ordering: .relaxed) }
  func countEvent() { events.wrappingAdd(1, ordering: .relaxed) }

  public var statistics: Statistics {
    let hits = cacheHits.load(ordering: .relaxed)
    let misses = cacheMisses.load(ordering: .relaxed)
    return Statistics(
      fetches: fetches.load(ordering: .relaxed),
      faults: otherFaults.load(ordering: .relaxed) &+ hits &+ misses, cacheHits: hits,
      cacheMisses: misses, saves: saves.load(ordering: .relaxed),
      events: events.load(ordering: .relaxed))
  }
}
