// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
  private let fetches = Atomic<UInt64>(0)
  private let faults = Atomic<UInt64>(0)
  private let cacheHits = Atomic<UInt64>(0)
  private let cacheMisses = Atomic<UInt64>(0)
  private let saves = Atomic<UInt64>(0)
  private let events = Atomic<UInt64>(0)

  public func countFetch() { fetches.wrappingAdd(1, ordering: .relaxed) }
  public func countFault() { faults.wrappingAdd(1, ordering: .relaxed) }
  public func countCacheHit() { cacheHits.wrappingAdd(1, ordering: .relaxed) }
  public func countCacheMiss() { cacheMisses.wrappingAdd(1, ordering: .relaxed) }
  public func countSave() { saves.wrappingAdd(1, ordering: .relaxed) }
  func countEvent() { events.wrappingAdd(1, ordering: .relaxed) }

  public var statistics: Statistics {
    Statistics(
      fetches: fetches.load(ordering: .relaxed), faults: faults.load(ordering: .relaxed),
      cacheHits: cacheHits.load(ordering: .relaxed),
      cacheMisses: cacheMisses.load(ordering: .relaxed), saves: saves.load(ordering: .relaxed),
      events: events.load(ordering: .relaxed))
  }
}
