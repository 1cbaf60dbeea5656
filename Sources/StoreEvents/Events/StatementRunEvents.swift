// SPDX-License-Identifier: Apache-2.0

/// A statement ran on a connection that the probe observes.
public struct StatementRun: EventPayload {
  @inlinable
  public static var name: StaticString { "statement_run" }

  public var connectionID: UInt64
  public var statementID: StatementID
  /// Unique within the process; from 1.
  public var runID: UInt64
  /// The transaction around it, or 0 in autocommit mode.
  public var transactionID: UInt64
  /// Refers to ``CallerAnnounced``; 0 if the caller is unknown.
  public var callerID: UInt64
  /// Keyed per process: equal values hash equal, and the values cannot be read from it.
  public var bindHash: UInt64
  /// In `sqlite3_step`.
  public var stepTime: Nanoseconds
  /// From the first step until the statement ended or was reset, the program's own time between steps
  /// included.
  public var openTime: Nanoseconds
  /// Rows returned.
  public var rows: UInt64
  /// Rows inserted, updated or deleted.
  public var changes: UInt64
  /// 1 if the statement changes no database; see `sqlite3_stmt_readonly`.
  public var isReadOnly: UInt64
  public var vmSteps: UInt64
  public var fullScanSteps: UInt64
  public var sorts: UInt64
  public var autoIndexRows: UInt64
  /// In bytes.
  public var memory: UInt64
  public var reprepares: UInt64
  /// Steps that a Bloom filter saved; 0 before SQLite 3.38.
  public var filterHits: UInt64
  public var filterMisses: UInt64
  /// Calls of `sqlite3_step` whose time was taken.
  ///
  /// With fewer than were made, ``stepTime`` is an estimate. 0 if the statement could not be prepared.
  public var timedSteps: UInt64
  /// "" when it succeeded; otherwise such as `SQLITE_BUSY: database is locked`.
  public var error: String

  @inlinable
  public init(
    connectionID: UInt64,
    statementID: StatementID,
    runID: UInt64,
    transactionID: UInt64,
    callerID: UInt64,
    bindHash: UInt64,
    stepTime: Nanoseconds,
    openTime: Nanoseconds,
    rows: UInt64,
    changes: UInt64,
    isReadOnly: UInt64,
    vmSteps: UInt64,
    fullScanSteps: UInt64,
    sorts: UInt64,
    autoIndexRows: UInt64,
    memory: UInt64,
    reprepares: UInt64,
    filterHits: UInt64,
    filterMisses: UInt64,
    timedSteps: UInt64,
    error: String
  ) {
    self.connectionID = connectionID
    self.statementID = statementID
    self.runID = runID
    self.transactionID = transactionID
    self.callerID = callerID
    self.bindHash = bindHash
    self.stepTime = stepTime
    self.openTime = openTime
    self.rows = rows
    self.changes = changes
    self.isReadOnly = isReadOnly
    self.vmSteps = vmSteps
    self.fullScanSteps = fullScanSteps
    self.sorts = sorts
    self.autoIndexRows = autoIndexRows
    self.memory = memory
    self.reprepares = reprepares
    self.filterHits = filterHits
    self.filterMisses = filterMisses
    self.timedSteps = timedSteps
    self.error = error
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("connection_id", connectionID)
    fields.field("statement_id", statementID.rawValue)
    fields.field("run_id", runID)
    fields.field("transaction_id", transactionID)
    fields.field("caller_id", callerID)
    fields.field("bind_hash", bindHash)
    fields.field("step_ns", stepTime)
    fields.field("open_ns", openTime)
    fields.field("rows", rows)
    fields.field("changes", changes)
    fields.field("readonly", isReadOnly)
    fields.field("vm_steps", vmSteps)
    fields.field("fullscan_steps", fullScanSteps)
    fields.field("sorts", sorts)
    fields.field("autoindex_rows", autoIndexRows)
    fields.field("memory", memory)
    fields.field("reprepares", reprepares)
    fields.field("filter_hits", filterHits)
    fields.field("filter_misses", filterMisses)
    fields.field("timed_steps", timedSteps)
    fields.field("error", error)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    connectionID = try fields.uint64("connection_id")
    statementID = StatementID(rawValue: try fields.uint64("statement_id"))
    runID = try fields.uint64("run_id")
    transactionID = try fields.uint64("transaction_id")
    callerID = try fields.uint64("caller_id")
    bindHash = try fields.uint64("bind_hash")
    stepTime = try fields.int64("step_ns")
    openTime = try fields.int64("open_ns")
    rows = try fields.uint64("rows")
    changes = try fields.uint64("changes")
    isReadOnly = try fields.uint64("readonly")
    vmSteps = try fields.uint64("vm_steps")
    fullScanSteps = try fields.uint64("fullscan_steps")
    sorts = try fields.uint64("sorts")
    autoIndexRows = try fields.uint64("autoindex_rows")
    memory = try fields.uint64("memory")
    reprepares = try fields.uint64("reprepares")
    filterHits = try fields.uint64("filter_hits")
    filterMisses = try fields.uint64("filter_misses")
    timedSteps = try fields.addedUInt64("timed_steps")
    error = try fields.string("error")
  }
}

/// The place in a program that runs statements, which runs refer to by number.
public struct CallerAnnounced: EventPayload {
  @inlinable
  public static var name: StaticString { "caller" }

  /// Unique within the process; from 1.
  public var callerID: UInt64
  /// `python`, `php`, `native`, or `sql` for a comment in the statement.
  public var language: String
  public var file: String
  public var line: UInt64
  public var function: String
  /// Return addresses as `module+0xoffset`, separated by `;`, for a reader with debug information; the
  /// module is left out where it is that of the address before.
  public var frames: String

  @inlinable
  public init(
    callerID: UInt64,
    language: String,
    file: String,
    line: UInt64,
    function: String,
    frames: String
  ) {
    self.callerID = callerID
    self.language = language
    self.file = file
    self.line = line
    self.function = function
    self.frames = frames
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("caller_id", callerID)
    fields.field("language", language)
    fields.field("file", file)
    fields.field("line", line)
    fields.field("function", function)
    fields.field("frames", frames)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    callerID = try fields.uint64("caller_id")
    language = try fields.string("language")
    file = try fields.string("file")
    line = try fields.uint64("line")
    function = try fields.string("function")
    frames = try fields.string("frames")
  }
}
