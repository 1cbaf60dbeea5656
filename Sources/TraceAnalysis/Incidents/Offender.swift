// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The event for which a flight recorder took a snapshot, with what explains it.
public struct Offender: Hashable, Sendable, Codable {
  /// The event's name, such as `statement_run`.
  public var event: String
  /// The process that emitted it.
  public var process: ProcessIdentity
  /// The thread that emitted it.
  public var threadID: Int64
  /// Nanoseconds since 1970.
  public var timestamp: Nanoseconds
  /// The duration of the statement in SQLite, the save, the transaction or the wait.
  public var duration: Nanoseconds
  /// The statement; nil where the snapshot does not hold its text.
  public var sql: String?
  /// The line of code.
  public var location: SourceLocation = .unknown
  /// The database file, where the snapshot names it.
  public var database: String?
  /// Rows returned, for a statement or a fetch; faults, for a storm.
  public var rows: UInt64?
  /// Instructions of SQLite's virtual machine.
  public var vmSteps: UInt64?
  /// Steps through tables without an index.
  public var fullScanSteps: UInt64?
  /// For a wait, how often SQLite retried the lock.
  public var attempts: UInt64?
  /// The entity's name.
  public var entity: String?
  /// The error of a failed statement, fetch or save.
  public var error: String?
  /// Events of the snapshot that meet the condition, including this one.
  public var matches: UInt64 = 1

  init(_ record: EventRecord, duration: Nanoseconds) {
    event = record.event.name
    process = record.process
    threadID = record.threadID
    timestamp = record.timestamp
    self.duration = duration
  }
}

extension Offender {
  /// Finds the newest event of a snapshot that meets a condition.
  ///
  /// - Returns: nil if none does.
  /// - Throws: `TraceReadingError` where the snapshot cannot be read.
  public init?(in folder: String, where condition: (StoreEvent) -> Bool) throws {
    guard let offender = try OffenderSearch.newest(in: folder, where: condition) else { return nil }
    self = offender
  }

  /// Finds the newest second of a snapshot in which more faults read the database than a limit.
  ///
  /// - Returns: the last of these faults, with their number as `rows`; nil if no second has enough
  ///   of them.
  /// - Throws: `TraceReadingError` where the snapshot cannot be read.
  public init?(stormIn folder: String, moreThan limit: UInt64) throws {
    guard let offender = try OffenderSearch.storm(in: folder, moreThan: limit) else { return nil }
    self = offender
  }
}
