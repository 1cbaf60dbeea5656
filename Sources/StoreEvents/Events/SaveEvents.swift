// SPDX-License-Identifier: Apache-2.0

/// A save started.
public struct SaveBegin: EventPayload {
  @inlinable
  public static var name: StaticString { "save_begin" }

  /// Unique within the process; from 1.
  public var saveID: UInt64
  public var inserted: UInt64
  public var updated: UInt64
  public var deleted: UInt64
  public var location: SourceLocation

  @inlinable
  public init(
    saveID: UInt64,
    inserted: UInt64,
    updated: UInt64,
    deleted: UInt64,
    location: SourceLocation
  ) {
    self.saveID = saveID
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.location = location
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("save_id", saveID)
    fields.field("inserted", inserted)
    fields.field("updated", updated)
    fields.field("deleted", deleted)
    fields.field("file", location.file)
    fields.field("line", location.line)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    saveID = try fields.uint64("save_id")
    inserted = try fields.uint64("inserted")
    updated = try fields.uint64("updated")
    deleted = try fields.uint64("deleted")
    location = SourceLocation(
      file: try fields.string("file"), line: try fields.uint64("line"))
  }
}

/// A save ended.
public struct SaveEnd: EventPayload {
  @inlinable
  public static var name: StaticString { "save_end" }

  public var saveID: UInt64
  public var inserted: UInt64
  public var updated: UInt64
  public var deleted: UInt64
  /// SQL statements run, transaction statements included.
  public var statements: UInt64
  /// Waiting for the writer and its lock.
  public var waitTime: Nanoseconds
  public var writeTime: Nanoseconds
  public var commitTime: Nanoseconds
  public var totalTime: Nanoseconds
  public var location: SourceLocation
  /// "" when it went well.
  public var error: String

  @inlinable
  public init(
    saveID: UInt64,
    inserted: UInt64,
    updated: UInt64,
    deleted: UInt64,
    statements: UInt64,
    waitTime: Nanoseconds,
    writeTime: Nanoseconds,
    commitTime: Nanoseconds,
    totalTime: Nanoseconds,
    location: SourceLocation,
    error: String
  ) {
    self.saveID = saveID
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.statements = statements
    self.waitTime = waitTime
    self.writeTime = writeTime
    self.commitTime = commitTime
    self.totalTime = totalTime
    self.location = location
    self.error = error
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("save_id", saveID)
    fields.field("inserted", inserted)
    fields.field("updated", updated)
    fields.field("deleted", deleted)
    fields.field("statements", statements)
    fields.field("wait_ns", waitTime)
    fields.field("write_ns", writeTime)
    fields.field("commit_ns", commitTime)
    fields.field("total_ns", totalTime)
    fields.field("file", location.file)
    fields.field("line", location.line)
    fields.field("error", error)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    saveID = try fields.uint64("save_id")
    inserted = try fields.uint64("inserted")
    updated = try fields.uint64("updated")
    deleted = try fields.uint64("deleted")
    statements = try fields.uint64("statements")
    waitTime = try fields.int64("wait_ns")
    writeTime = try fields.int64("write_ns")
    commitTime = try fields.int64("commit_ns")
    totalTime = try fields.int64("total_ns")
    location = SourceLocation(
      file: try fields.string("file"), line: try fields.uint64("line"))
    error = try fields.string("error")
  }
}

/// A transaction ended.
public struct TransactionEnded: EventPayload {
  @inlinable
  public static var name: StaticString { "transaction" }

  /// The store or, from the probe, the connection.
  public var storeID: UInt64
  /// The save it belongs to, or 0.
  public var saveID: UInt64
  /// `commit` or `rollback`.
  public var outcome: String
  /// From requesting the lock until holding it.
  public var waitTime: Nanoseconds
  public var totalTime: Nanoseconds
  /// Unique within the process; 0 in a trace of vocabulary 1.
  public var transactionID: UInt64
  /// `deferred`, `immediate` or `exclusive`, as the transaction began; "" in a trace of vocabulary 1.
  public var kind: String
  /// From its begin until it became a writer; -1 if it never did.
  public var writerTime: Nanoseconds
  /// Statements run in it.
  public var statements: UInt64
  /// Between its statements, in the program.
  public var idleTime: Nanoseconds
  /// The size of the write-ahead log's file after a commit, in bytes; 0 where it was not looked at.
  public var logBytes: UInt64

  @inlinable
  public init(
    storeID: UInt64,
    saveID: UInt64,
    outcome: String,
    waitTime: Nanoseconds,
    totalTime: Nanoseconds,
    transactionID: UInt64 = 0,
    kind: String = "",
    writerTime: Nanoseconds = -1,
    statements: UInt64 = 0,
    idleTime: Nanoseconds = 0,
    logBytes: UInt64 = 0
  ) {
    self.storeID = storeID
    self.saveID = saveID
    self.outcome = outcome
    self.waitTime = waitTime
    self.totalTime = totalTime
    self.transactionID = transactionID
    self.kind = kind
    self.writerTime = writerTime
    self.statements = statements
    self.idleTime = idleTime
    self.logBytes = logBytes
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("save_id", saveID)
    fields.field("outcome", outcome)
    fields.field("wait_ns", waitTime)
    fields.field("total_ns", totalTime)
    fields.field("transaction_id", transactionID)
    fields.field("kind", kind)
    fields.field("writer_ns", writerTime)
    fields.field("statements", statements)
    fields.field("idle_ns", idleTime)
    fields.field("log_bytes", logBytes)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    saveID = try fields.uint64("save_id")
    outcome = try fields.string("outcome")
    waitTime = try fields.int64("wait_ns")
    totalTime = try fields.int64("total_ns")
    transactionID = try fields.addedUInt64("transaction_id")
    kind = try fields.addedString("kind")
    writerTime = try fields.addedInt64("writer_ns")
    statements = try fields.addedUInt64("statements")
    idleTime = try fields.addedInt64("idle_ns")
    logBytes = try fields.addedUInt64("log_bytes")
  }
}
