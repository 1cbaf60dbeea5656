// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Something that adds up over time.
public protocol TimelineSum: Summed, Hashable {
  /// Makes an empty sum.
  init()
  /// The time; if not all sums can be kept, the smallest are dropped.
  var weight: Nanoseconds { get }
}

/// Sums by small numbers, in bounded memory: beyond the limit, the smallest ones are added up as
/// others.
public struct LimitedSums<Sum: TimelineSum>: Additive, Hashable {
  // 64 lines of code that ran statements in a thousandth of a trace; a longer table would not be
  // useful.
  private static var capacity: Int { 64 }
  /// In the order in which they came.
  public private(set) var keys: [Int] = []
  /// By the same indexes.
  public private(set) var values: [Sum] = []
  /// By the lowest bits of a key: the index of the last one that fell there, since a table is
  /// hashed for each event otherwise.
  private var recent: [UInt8] = []
  /// The sum of keys that were evicted; they may be among ``sums`` again.
  public private(set) var others = Sum()

  /// The sums by key.
  public var sums: [Int: Sum] { Dictionary(uniqueKeysWithValues: zip(keys, values)) }

  mutating func update(_ key: Int, _ change: (inout Sum) -> Void) {
    if let index = index(of: key) { return change(&values[index]) }
    var first = Sum()
    change(&first)
    keys.append(key)
    values.append(first)
    // Twice as many until they are sorted out, so that each new one costs little.
    if keys.count > 2 * Self.capacity { evictSmallest() }
  }

  mutating func add(_ sum: Sum, to key: Int) { update(key) { $0.add(sum) } }

  private mutating func index(of key: Int) -> Int? {
    if recent.isEmpty {
      if keys.count <= 4 { return keys.firstIndex(of: key) }
      // 256 is arbitrary: twice as many as there are keys, which are small numbers.
      recent = [UInt8](repeating: 0, count: 256)
    }
    let index = Int(recent[key & 255])
    if index < keys.count, keys[index] == key { return index }
    guard let index = keys.firstIndex(of: key) else { return nil }
    // There are no more than 129.
    recent[key & 255] = UInt8(truncatingIfNeeded: index)
    return index
  }

  /// Adds the sums of each key.
  public mutating func add(_ other: Self) {
    others.add(other.others)
    for (key, sum) in zip(other.keys, other.values) { add(sum, to: key) }
  }

  mutating func evictSmallest() {
    guard keys.count > Self.capacity else { return }
    let order = keys.indices.sorted {
      (values[$1].weight, keys[$0]) < (values[$0].weight, keys[$1])
    }
    for index in order[Self.capacity...] { others.add(values[index]) }
    let kept = order[..<Self.capacity]
    (keys, values) = (kept.map { keys[$0] }, kept.map { values[$0] })
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

  private static let ofFetch = Sums<Self, FetchEnd>(
    (\.vmSteps, \.counters.vmSteps), (\.fullScanSteps, \.counters.fullScanSteps))
  private static let ofRun = Sums<Self, StatementRun>(
    (\.rows, \.rows), (\.vmSteps, \.counters.vmSteps),
    (\.fullScanSteps, \.counters.fullScanSteps))
  private static let ofMiss = Sums<Self, CacheMiss>(
    (\.vmSteps, \.vmSteps), (\.fullScanSteps, \.fullScanSteps))

  mutating func add(_ fetch: FetchEnd, ownTime: Nanoseconds) {
    rows.add(fetch.rowsReturned)
    Self.ofFetch.add(fetch, to: &self)
    addRun(of: ownTime)
  }

  mutating func add(_ run: StatementRun) {
    Self.ofRun.add(run, to: &self)
    addRun(of: run.stepTime)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64) {
    misses.add(1)
    self.rows.add(rows)
    Self.ofMiss.add(miss, to: &self)
    addRun(of: miss.duration)
  }

  private mutating func addRun(of time: Nanoseconds) {
    if count == 1 { steps.add(1, of: longest) }
    if count > 0 { steps.add(1, of: time) }
    count.add(1)
    totalTime.add(time)
    longest = max(longest, time)
  }

  public var weight: Nanoseconds { totalTime }

  public static let sums = Sums<Self, Self>(
    \.count, \.rows, \.misses, \.vmSteps, \.fullScanSteps, \.totalTime, max: \.longest)

  /// Adds the runs of another one.
  public mutating func add(_ other: Self) {
    addSteps(of: other)
    Self.sums.add(other, to: &self)
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

  mutating func add(_ fault: FaultFired) {
    if fault.source == .rowCache {
      hits.add(1)
      hitTime.add(fault.duration)
    } else {
      misses.add(1)
      rows.add(fault.rows)
      missTime.add(fault.duration)
    }
  }

  public var weight: Nanoseconds { hitTime.saturatingSum(missTime) }

  public static let sums = Sums<Self, Self>(\.hits, \.misses, \.rows, \.hitTime, \.missTime)
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

  public static let sums = Sums<Self, Self>(
    \.count, \.inserted, \.updated, \.deleted, \.waitTime, \.writeTime, \.commitTime, \.totalTime)
}
