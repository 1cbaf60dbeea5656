// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Something that adds up over time.
public protocol TimelineSum: Hashable, Sendable {
  /// Makes an empty sum.
  init()
  /// Adds another sum.
  mutating func add(_ other: Self)
  /// The time; if not all sums can be kept, the smallest are dropped.
  var weight: Nanoseconds { get }
}

/// Sums by small numbers, in bounded memory: beyond the limit, the smallest ones are added up as
/// others.
public struct LimitedSums<Sum: TimelineSum>: Hashable, Sendable {
  // 64 lines of code that ran statements in a thousandth of a trace; a longer table would not be
  // useful.
  private static var capacity: Int { 64 }
  /// In the order in which the keys came.
  private var entries: [(key: Int, value: Sum)] = []
  /// By the lowest bits of a key: the place of the last one that fell there, since a table is hashed
  /// for each event otherwise.
  private var recent: [UInt8] = []
  /// What belongs to keys that were evicted; they may be among ``sums`` again.
  public private(set) var others = Sum()

  /// The sums by key.
  public var sums: [Int: Sum] { Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) }) }

  /// Makes an empty table.
  public init() {}

  mutating func add(_ sum: Sum, to key: Int) {
    if let place = place(of: key) { return entries[place].value.add(sum) }
    var first = Sum()
    first.add(sum)
    entries.append((key, first))
    // Twice as many until they are sorted out, so that each new one costs little.
    if entries.count > 2 * Self.capacity { evictSmallest() }
  }

  private mutating func place(of key: Int) -> Int? {
    if entries.count <= 4 { return entries.firstIndex { $0.key == key } }
    if recent.isEmpty { recent = [UInt8](repeating: 0, count: Self.capacity) }
    let slot = key & (Self.capacity - 1)
    let place = Int(recent[slot])
    if place < entries.count, entries[place].key == key { return place }
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
    // There are no more than 129.
    recent[slot] = UInt8(truncatingIfNeeded: place)
    return place
  }

  mutating func add(_ other: Self) {
    others.add(other.others)
    for (key, sum) in other.entries { add(sum, to: key) }
  }

  mutating func evictSmallest() {
    guard entries.count > Self.capacity else { return }
    let sorted = entries.sorted { ($1.value.weight, $0.key) < ($0.value.weight, $1.key) }
    for (_, sum) in sorted[Self.capacity...] { others.add(sum) }
    entries = Array(sorted[..<Self.capacity])
  }

  /// Whether two tables hold the same sums, in any order.
  public static func == (a: Self, b: Self) -> Bool {
    a.others == b.others && a.sums == b.sums
  }

  /// Hashes the sums.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(others)
    hasher.combine(sums)
  }
}

/// Runs of a statement by a line of code.
public struct RunSum: TimelineSum {
  /// Runs.
  public var count: UInt64 = 0
  /// Rows returned.
  public var rows: UInt64 = 0
  /// Runs that faults caused; ``count`` has them as well.
  public var misses: UInt64 = 0
  /// Instructions of SQLite's virtual machine.
  public var vmSteps: UInt64 = 0
  /// Steps through tables without an index.
  public var fullScanSteps: UInt64 = 0
  /// The time from begin to end.
  public var totalTime: Nanoseconds = 0
  /// The longest run.
  public var longest: Nanoseconds = 0
  /// Empty for a single run, which ``longest`` holds exactly.
  public private(set) var steps = LatencySteps()

  public init() {}

  init(_ fetch: FetchEnd) {
    (count, rows, vmSteps, fullScanSteps) =
      (1, fetch.rowsReturned, fetch.vmSteps, fetch.fullScanSteps)
    (totalTime, longest) = (fetch.totalTime, fetch.totalTime)
  }

  init(_ run: StatementRun) {
    (count, rows) = (1, run.rows)
    (vmSteps, fullScanSteps) = (run.vmSteps, run.fullScanSteps)
    (totalTime, longest) = (run.stepTime, run.stepTime)
  }

  init(_ miss: CacheMiss, rows: UInt64) {
    (count, misses, self.rows) = (1, 1, rows)
    (vmSteps, fullScanSteps) = (miss.vmSteps, miss.fullScanSteps)
    (totalTime, longest) = (miss.duration, miss.duration)
  }

  public var weight: Nanoseconds { totalTime }

  public mutating func add(_ other: Self) {
    addSteps(of: other)
    count.add(other.count)
    rows.add(other.rows)
    misses.add(other.misses)
    vmSteps.add(other.vmSteps)
    fullScanSteps.add(other.fullScanSteps)
    totalTime.add(other.totalTime)
    longest = max(longest, other.longest)
  }

  private mutating func addSteps(of other: Self) {
    guard count > 0, other.count > 0 else {
      if count == 0 { steps = other.steps }
      return
    }
    if count == 1 { steps.add(1, of: longest) }
    if other.count == 1 { steps.add(1, of: other.longest) } else { steps.add(other.steps) }
  }
}

/// Faults on the objects that a line of code fetched.
public struct FaultSum: TimelineSum {
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

  public init() {}

  init(_ fault: FaultFired) {
    if fault.source == .rowCache {
      (hits, hitTime) = (1, fault.duration)
    } else {
      (misses, rows, missTime) = (1, fault.rows, fault.duration)
    }
  }

  public var weight: Nanoseconds {
    var sum = hitTime
    sum.add(missTime)
    return sum
  }

  public mutating func add(_ other: Self) {
    hits.add(other.hits)
    misses.add(other.misses)
    rows.add(other.rows)
    hitTime.add(other.hitTime)
    missTime.add(other.missTime)
  }
}

/// Saves of a line of code.
public struct SaveSum: TimelineSum {
  /// Saves.
  public var count: UInt64 = 0
  /// Objects inserted.
  public var inserted: UInt64 = 0
  /// Objects updated.
  public var updated: UInt64 = 0
  /// Objects deleted.
  public var deleted: UInt64 = 0
  /// The time spent waiting for the write lock.
  public var waitTime: Nanoseconds = 0
  /// The time of the INSERT, UPDATE and DELETE statements.
  public var writeTime: Nanoseconds = 0
  /// The time of COMMIT.
  public var commitTime: Nanoseconds = 0
  /// The time from begin to end.
  public var totalTime: Nanoseconds = 0

  public init() {}

  init(_ save: SaveEnd) {
    (count, inserted, updated, deleted) = (1, save.inserted, save.updated, save.deleted)
    (waitTime, writeTime, commitTime) = (save.waitTime, save.writeTime, save.commitTime)
    totalTime = save.totalTime
  }

  public var weight: Nanoseconds { totalTime }

  public mutating func add(_ other: Self) {
    count.add(other.count)
    inserted.add(other.inserted)
    updated.add(other.updated)
    deleted.add(other.deleted)
    waitTime.add(other.waitTime)
    writeTime.add(other.writeTime)
    commitTime.add(other.commitTime)
    totalTime.add(other.totalTime)
  }
}
