// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import TraceReading

/// The contents of one or several traces, folded in one pass over their events.
///
/// Its size depends on how many statements, callers and processes there are, not on how long
/// they ran.
public struct Profile: Sendable, Codable {
  /// The totals of the run.
  public var totals: Totals
  /// By total time, longest first.
  public var statements: [StatementProfile]
  /// By cache misses, most first.
  public var faults: [FaultProfile]
  /// By the time of their batches, longest first.
  public var batches: [BatchProfile]
  /// By total time, longest first.
  public var saves: [SaveProfile]
  /// By process, then by id.
  public var contexts: [ContextProfile]
  /// By total time, longest first.
  public var entities: [EntityProfile]
  /// The stores that were opened.
  public var stores: [StoreProfile]
  /// Commits, lock waits and checkpoints.
  public var waits: WaitProfile
  /// The processes that were traced.
  public var processes: [ProcessProfile]
  /// The sources read, with their losses and remarks.
  public var reading: ReadingReport
  /// The conditions that select its events, if not all: `entity Stop`.
  public var selection: [String] = []
  /// The counts and times that the inputs have; nil in reports of older versions.
  public var measured: Measures?
  /// The texts of statements that ran without events of their own, such as the UPDATE of a save.
  public var otherSQL: [String]?
  /// The observations of the probe; nil if it observed nothing.
  public var observed: ObservedProfile?
  /// Statements that ran once for each row of a list, or loaded all its batches, in a source without
  /// counters; nil if there are none.
  public var sequences: [QueryLoop]?
  /// The waits for locks, and their holders; nil if no lock was observed.
  public var locks: LockProfile?
  /// The I/O on files; nil unless it was recorded.
  public var io: IOProfile?
  /// The origin of all its statements; nil if it is unknown, or if there are several.
  public var origin: OriginProfile?
  /// The statements by form and by where they ran; nil if all of them ran at ``origin``.
  public var forms: [FormProfile]?
  /// Values that the statements bound; empty unless they were recorded.
  ///
  /// Never encoded: they may be private.
  public var values = StatementValues()

  /// The paths of the databases that each statement ran on, where the trace has several.
  ///
  /// Never encoded: a report has the paths of the stores.
  var databases: [StatementID: Set<String>] = [:]

  /// The runs on each database of the statements that take far more steps on one of them, that one first.
  ///
  /// Never encoded, as ``databases``.
  var databaseRuns: [StatementID: [DatabaseRuns]] = [:]

  /// The database files that were opened.
  ///
  /// Never encoded: they are files of the host that recorded them.
  var openedFiles: [OpenedDatabase] = []

  /// Reads that had not ended.
  ///
  /// Never encoded: their sentences are among the doubts of a report.
  var unended: [UnendedRun] = []

  private enum CodingKeys: CodingKey {
    case totals, statements, faults, batches, saves, contexts, entities, stores, waits, processes
    case reading, selection, measured, observed, sequences, otherSQL, locks, io, origin, forms
  }
}

extension ProfileBuilder {
  /// Folds the events of traces and logs.
  mutating func read(
    _ paths: [String], progress: (ReadingProgress) -> Void
  ) throws -> ReadingReport {
    try TraceReader.read(paths, progress: progress) { add($0) }
  }
}

/// Profiles are equal if the recorded events were the same. The inputs, and names that only one
/// kind of source contains, are ignored: a log is equal to the trace of its run.
extension Profile: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    a.totals == b.totals && a.statements == b.statements && a.faults == b.faults
      && a.batches == b.batches && a.saves == b.saves && a.contexts == b.contexts
      && a.entities == b.entities
      && a.stores == b.stores
      && a.waits == b.waits && a.observed == b.observed && a.sequences == b.sequences
      && a.locks == b.locks
      && a.io == b.io
      && a.processes.map(\.comparable) == b.processes.map(\.comparable)
  }
}

extension Profile {
  /// Reads traces and logs to their ends.
  ///
  /// - Parameters:
  ///   - paths: traces and logs.
  ///   - filter: which events the profile is of.
  ///   - progress: called now and then.
  /// - Throws: `TraceReadingError` where an input cannot be read at all.
  public init(
    reading paths: [String], filter: EventFilter = EventFilter(),
    progress: (ReadingProgress) -> Void = { _ in }
  ) throws {
    self = try TimedProfile(reading: paths, filter: filter, isTimed: false, progress: progress)
      .profile
  }

  /// Sums over everything, as Instruments shows them.
  public struct Totals: Hashable, Sendable, Codable {
    /// The number of fetch requests, without counts, prefetches and batches.
    public var fetches: UInt64 = 0
    /// Requests for a number of objects.
    public var counts: UInt64 = 0
    /// Prefetches and batches, made on behalf of a fetch.
    public var nestedFetches: UInt64 = 0
    /// Rows that ``fetches`` returned.
    public var rows: UInt64 = 0
    /// Object faults fired.
    public var faults: UInt64 = 0
    /// Relationship faults fired.
    public var relationshipFaults: UInt64 = 0
    /// Faults of both kinds that the row cache answered.
    public var cacheHits: UInt64 = 0
    /// Faults of both kinds that had to go to the database.
    public var cacheMisses: UInt64 = 0
    /// Saves, failed ones included.
    public var saves: UInt64 = 0
    /// In SQLite, for fetches and counts, nested ones included.
    public var connectionTime: Nanoseconds = 0
    /// In fetches and counts; a nested fetch's time is counted once.
    public var totalTime: Nanoseconds = 0
    /// In faults of both kinds.
    public var faultTime: Nanoseconds = 0
    /// The time that saves took.
    public var saveTime: Nanoseconds = 0
    /// Fetches and saves that ended in an error.
    public var errors: UInt64 = 0

    /// Makes totals of 0.
    public init() {}

    /// Whether any of it comes from an object store.
    public var isFromStore: Bool {
      fetches > 0 || counts > 0 || faults > 0 || relationshipFaults > 0 || saves > 0
    }

    var cacheHitRatio: Double? {
      let all = faults.saturatingSum(relationshipFaults)
      return all > 0 ? Double(min(cacheHits, all)) / Double(all) : nil
    }
  }

  /// The part of all faults that the row cache answered, or nil without faults.
  public var cacheHitRatio: Double? {
    known(\.totals.cacheHits) == nil ? nil : totals.cacheHitRatio
  }

  /// Finds a statement; one that did not end, or did not run, has its text alone.
  public func statement(_ id: StatementID) -> StatementProfile? {
    statements.first { $0.id == id }
      ?? otherSQL?.first { StatementID(sql: $0) == id }.map {
        StatementProfile(id: id, sql: $0, entity: "")
      }
  }
}

extension Profile.Totals: Summed {
  public static let sums = Sums(amounts)

  /// Every count and time of them, in the order of a dashboard's data.
  public static let amounts: [Amount<Self>] = [
    .count(\.fetches), .count(\.counts), .count(\.nestedFetches), .count(\.rows), .count(\.faults),
    .count(\.relationshipFaults), .count(\.cacheHits), .count(\.cacheMisses), .count(\.saves),
    .count(\.errors), .time(\.connectionTime), .time(\.totalTime), .time(\.faultTime),
    .time(\.saveTime),
  ]
}
