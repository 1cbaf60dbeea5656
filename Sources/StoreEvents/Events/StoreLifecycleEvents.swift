// SPDX-License-Identifier: Apache-2.0

/// A store was opened.
public struct StoreOpened: EventPayload {
  @inlinable
  public static var name: StaticString { "store_opened" }

  public var storeID: UInt64
  public var path: String
  public var journalMode: String
  /// In bytes.
  public var pageSize: UInt64
  public var sqliteVersion: String
  /// Since 1970-01-01 00:00 UTC.
  public var processStart: Nanoseconds
  /// The program's own name, which differs from LTTng's context `procname`, a thread's name; ""
  /// in a trace of an older version.
  public var processName: String

  @inlinable
  public init(
    storeID: UInt64,
    path: String,
    journalMode: String,
    pageSize: UInt64,
    sqliteVersion: String,
    processStart: Nanoseconds,
    processName: String
  ) {
    self.storeID = storeID
    self.path = path
    self.journalMode = journalMode
    self.pageSize = pageSize
    self.sqliteVersion = sqliteVersion
    self.processStart = processStart
    self.processName = processName
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("path", path)
    fields.field("journal_mode", journalMode)
    fields.field("page_size", pageSize)
    fields.field("sqlite_version", sqliteVersion)
    fields.field("process_start_ns", processStart)
    fields.field("process_name", processName)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    path = try fields.string("path")
    journalMode = try fields.string("journal_mode")
    pageSize = try fields.uint64("page_size")
    sqliteVersion = try fields.string("sqlite_version")
    processStart = try fields.int64("process_start_ns")
    processName = try fields.addedString("process_name")
  }
}

/// The text behind a statement id.
///
/// Announced once per process and store, and again at intervals, so that a trace whose oldest
/// buffers were overwritten, or that was started late, still resolves every id.
public struct StatementAnnounced: EventPayload {
  @inlinable
  public static var name: StaticString { "statement" }

  public var storeID: UInt64
  public var statementID: StatementID
  public var sql: String

  @inlinable
  public init(
    storeID: UInt64,
    statementID: StatementID,
    sql: String
  ) {
    self.storeID = storeID
    self.statementID = statementID
    self.sql = sql
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("statement_id", statementID.rawValue)
    fields.field("sql", sql)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    statementID = StatementID(rawValue: try fields.uint64("statement_id"))
    sql = try fields.string("sql")
  }
}

/// A connection waited for a lock that another one held.
public struct BusyWaited: EventPayload {
  @inlinable
  public static var name: StaticString { "busy" }

  public var storeID: UInt64
  /// How often SQLite retried.
  public var attempts: UInt64
  public var waitTime: Nanoseconds
  /// 1 if the wait ended in `SQLITE_BUSY`.
  public var gaveUp: UInt64

  @inlinable
  public init(
    storeID: UInt64,
    attempts: UInt64,
    waitTime: Nanoseconds,
    gaveUp: UInt64
  ) {
    self.storeID = storeID
    self.attempts = attempts
    self.waitTime = waitTime
    self.gaveUp = gaveUp
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("attempts", attempts)
    fields.field("wait_ns", waitTime)
    fields.field("gave_up", gaveUp)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    attempts = try fields.uint64("attempts")
    waitTime = try fields.int64("wait_ns")
    gaveUp = try fields.uint64("gave_up")
  }
}

/// Frames of the write-ahead log went into the database file.
public struct CheckpointDone: EventPayload {
  @inlinable
  public static var name: StaticString { "checkpoint" }

  public var storeID: UInt64
  /// `passive`, `full`, `restart` or `truncate`.
  public var mode: String
  public var logFrames: UInt64
  public var checkpointedFrames: UInt64
  public var totalTime: Nanoseconds

  @inlinable
  public init(
    storeID: UInt64,
    mode: String,
    logFrames: UInt64,
    checkpointedFrames: UInt64,
    totalTime: Nanoseconds
  ) {
    self.storeID = storeID
    self.mode = mode
    self.logFrames = logFrames
    self.checkpointedFrames = checkpointedFrames
    self.totalTime = totalTime
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("mode", mode)
    fields.field("log_frames", logFrames)
    fields.field("checkpointed_frames", checkpointedFrames)
    fields.field("total_ns", totalTime)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    mode = try fields.string("mode")
    logFrames = try fields.uint64("log_frames")
    checkpointedFrames = try fields.uint64("checkpointed_frames")
    totalTime = try fields.int64("total_ns")
  }
}
