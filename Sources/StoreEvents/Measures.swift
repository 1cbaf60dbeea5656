// SPDX-License-Identifier: Apache-2.0

/// The counts and times that an input contains; the others are unknown there, and not 0.
///
///     Measures.coreData.contains(.vmSteps)     // false: Core Data's log has no counters
///     Measures.run.names                       // ["rows", "changes", "vmSteps", …]
public struct Measures: OptionSet, Hashable, Sendable, Codable {
  /// The bits, which saved reports contain: a bit is added, and none changes its meaning.
  public var rawValue: UInt32

  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let rows = Self(rawValue: 1 << 0)
  public static let changes = Self(rawValue: 1 << 1)
  public static let vmSteps = Self(rawValue: 1 << 2)
  public static let fullScanSteps = Self(rawValue: 1 << 3)
  public static let sorts = Self(rawValue: 1 << 4)
  public static let autoIndexRows = Self(rawValue: 1 << 5)
  public static let waitTime = Self(rawValue: 1 << 6)
  public static let prepareTime = Self(rawValue: 1 << 7)
  public static let stepTime = Self(rawValue: 1 << 8)
  public static let materializeTime = Self(rawValue: 1 << 9)
  public static let connectionTime = Self(rawValue: 1 << 10)
  public static let totalTime = Self(rawValue: 1 << 11)
  /// Fetches, counts, prefetches and batches.
  public static let fetches = Self(rawValue: 1 << 12)
  /// All faults fired, including faults that the row cache answered.
  public static let faults = Self(rawValue: 1 << 13)
  public static let cacheHits = Self(rawValue: 1 << 14)
  /// Faults that went to the database, and their time.
  public static let cacheMisses = Self(rawValue: 1 << 15)
  public static let saves = Self(rawValue: 1 << 16)
  public static let saveTime = Self(rawValue: 1 << 17)
  /// The parts of a save's time: writing and COMMIT.
  public static let commitTime = Self(rawValue: 1 << 18)
  public static let commits = Self(rawValue: 1 << 19)
  public static let lockWaits = Self(rawValue: 1 << 20)
  /// The frames and the time of checkpoints.
  public static let checkpoints = Self(rawValue: 1 << 21)
  /// When an event happened, and not only in which order.
  public static let timeOfDay = Self(rawValue: 1 << 22)
  public static let batchSize = Self(rawValue: 1 << 23)

  /// Everything that has a bit.
  public static let all = Self(rawValue: 1 << 24 - 1)
  /// A fetch of the store.
  public static let fetch = all.subtracting(.changes)
  /// SQLite's own counts of its work.
  public static let counters: Self = [.vmSteps, .fullScanSteps, .sorts, .autoIndexRows]
  /// A fault that went to the database.
  public static let miss = fetch.subtracting([
    .sorts, .autoIndexRows, .waitTime, .prepareTime, .stepTime, .materializeTime,
  ])
  /// A statement that the probe observed.
  public static let run: Self = [
    .rows, .changes, .vmSteps, .fullScanSteps, .sorts, .autoIndexRows, .prepareTime, .stepTime,
    .connectionTime, .totalTime, .commits, .lockWaits, .checkpoints, .timeOfDay,
  ]
  /// Core Data's log, if its lines have a date.
  public static let coreData: Self = [
    .rows, .connectionTime, .totalTime, .fetches, .cacheMisses, .saves, .saveTime, .commits,
    .timeOfDay,
  ]

  /// The keys of the JSON formats for them, in the order of their bits.
  public var names: [String] { Self.keys.filter { contains($0.0) }.map(\.1) }

  private static let keys: [(Self, String)] = [
    (.rows, "rows"), (.changes, "changes"), (.vmSteps, "vmSteps"),
    (.fullScanSteps, "fullScanSteps"), (.sorts, "sorts"), (.autoIndexRows, "autoIndexRows"),
    (.waitTime, "waitNs"), (.prepareTime, "prepareNs"), (.stepTime, "stepNs"),
    (.materializeTime, "materializeNs"), (.connectionTime, "connectionNs"),
    (.totalTime, "totalNs"), (.fetches, "fetches"), (.faults, "faults"),
    (.cacheHits, "cacheHits"), (.cacheMisses, "cacheMisses"), (.saves, "saves"),
    (.saveTime, "saveNs"), (.commitTime, "commitNs"), (.commits, "commits"),
    (.lockWaits, "lockWaits"), (.checkpoints, "checkpoints"), (.timeOfDay, "timeNs"),
    (.batchSize, "batchSize"),
  ]
}

/// The work that a statement did, as SQLite counts it.
///
/// See <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>.
public struct StatementCounters: Additive, Hashable, Codable {
  /// Instructions of SQLite's virtual machine.
  public var vmSteps: UInt64
  /// Forward steps of a table scan.
  public var fullScanSteps: UInt64
  /// Sorts that no index served.
  public var sorts: UInt64
  /// Rows put into automatic indexes.
  public var autoIndexRows: UInt64

  /// Makes counters, each 0 where not given.
  @inlinable
  public init(
    vmSteps: UInt64 = 0, fullScanSteps: UInt64 = 0, sorts: UInt64 = 0, autoIndexRows: UInt64 = 0
  ) {
    (self.vmSteps, self.fullScanSteps) = (vmSteps, fullScanSteps)
    (self.sorts, self.autoIndexRows) = (sorts, autoIndexRows)
  }

  /// Adds the counts of other runs.
  @inlinable
  public mutating func add(_ other: Self) {
    (vmSteps, fullScanSteps, sorts, autoIndexRows) = (
      vmSteps.saturatingSum(other.vmSteps), fullScanSteps.saturatingSum(other.fullScanSteps),
      sorts.saturatingSum(other.sorts), autoIndexRows.saturatingSum(other.autoIndexRows)
    )
  }
}

extension EventFieldReader {
  /// Reads counters, whose fields stand one after the other.
  @inlinable
  mutating func statementCounters(
    _ vmSteps: StaticString, _ fullScanSteps: StaticString, _ sorts: StaticString,
    _ autoIndexRows: StaticString
  ) throws(EventFieldError) -> StatementCounters {
    StatementCounters(
      vmSteps: try uint64(vmSteps), fullScanSteps: try uint64(fullScanSteps),
      sorts: try uint64(sorts), autoIndexRows: try uint64(autoIndexRows))
  }
}
