// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The event for which a flight recorder took a snapshot, and the facts that explain it.
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
  /// Finds the events of a snapshot that meet a condition, the oldest first.
  ///
  /// - Throws: `TraceReadingError` where the snapshot cannot be read.
  public static func all(
    in folder: String, where condition: (StoreEvent) -> Bool
  ) throws -> [Offender] { try OffenderSearch.all(in: folder, where: condition) }

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

extension Offender {
  /// Whether two events are parts of one occurrence: at the same time on the same thread.
  ///
  /// A statement that fails because it waited for a lock emits a `busy` and a `statement_run`; in
  /// autocommit mode a slow statement is a slow transaction.
  public func isSameOccurrence(as other: Offender) -> Bool {
    process.id == other.process.id && threadID == other.threadID
      && timestamp - duration <= other.timestamp && other.timestamp - other.duration <= timestamp
  }
}
