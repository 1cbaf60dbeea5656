// SPDX-License-Identifier: Apache-2.0

/// What a run of a statement read and wrote, and for how long.
public struct StatementIO: EventPayload {
  @inlinable
  public static var name: StaticString { "statement_io" }

  /// The store or, from the probe, the connection.
  public var storeID: UInt64
  /// The run or, from the store, the fetch; 0 for what belongs to none, as when a connection
  /// closes.
  public var runID: UInt64
  /// Pages found in the page cache.
  public var cacheHits: UInt64
  /// Pages that were not in the page cache.
  public var cacheMisses: UInt64
  /// Reads of files, of the write-ahead log as well.
  public var reads: UInt64
  /// In bytes.
  public var readBytes: UInt64
  public var readTime: Nanoseconds
  /// Writes to files.
  public var writes: UInt64
  /// In bytes.
  public var writeBytes: UInt64
  public var writeTime: Nanoseconds
  /// Syncs of files, and of the folder of a journal.
  public var syncs: UInt64
  public var syncTime: Nanoseconds
  /// In checkpoints, whose reads, writes and syncs are counted above.
  public var checkpointTime: Nanoseconds

  @inlinable
  public init(
    storeID: UInt64,
    runID: UInt64 = 0,
    cacheHits: UInt64 = 0,
    cacheMisses: UInt64 = 0,
    reads: UInt64 = 0,
    readBytes: UInt64 = 0,
    readTime: Nanoseconds = 0,
    writes: UInt64 = 0,
    writeBytes: UInt64 = 0,
    writeTime: Nanoseconds = 0,
    syncs: UInt64 = 0,
    syncTime: Nanoseconds = 0,
    checkpointTime: Nanoseconds = 0
  ) {
    self.storeID = storeID
    self.runID = runID
    self.cacheHits = cacheHits
    self.cacheMisses = cacheMisses
    self.reads = reads
    self.readBytes = readBytes
    self.readTime = readTime
    self.writes = writes
    self.writeBytes = writeBytes
    self.writeTime = writeTime
    self.syncs = syncs
    self.syncTime = syncTime
    self.checkpointTime = checkpointTime
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("run_id", runID)
    fields.field("cache_hits", cacheHits)
    fields.field("cache_misses", cacheMisses)
    fields.field("reads", reads)
    fields.field("read_bytes", readBytes)
    fields.field("read_ns", readTime)
    fields.field("writes", writes)
    fields.field("write_bytes", writeBytes)
    fields.field("write_ns", writeTime)
    fields.field("syncs", syncs)
    fields.field("sync_ns", syncTime)
    fields.field("checkpoint_ns", checkpointTime)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    runID = try fields.uint64("run_id")
    cacheHits = try fields.uint64("cache_hits")
    cacheMisses = try fields.uint64("cache_misses")
    reads = try fields.uint64("reads")
    readBytes = try fields.uint64("read_bytes")
    readTime = try fields.int64("read_ns")
    writes = try fields.uint64("writes")
    writeBytes = try fields.uint64("write_bytes")
    writeTime = try fields.int64("write_ns")
    syncs = try fields.uint64("syncs")
    syncTime = try fields.int64("sync_ns")
    checkpointTime = try fields.int64("checkpoint_ns")
  }
}

/// Where the time of a transaction that committed went: its parts, which add up to its time,
/// and what it wrote.
public struct CommitIO: EventPayload {
  @inlinable
  public static var name: StaticString { "commit_io" }

  /// The store or, from the probe, the connection.
  public var storeID: UInt64
  /// 0 in autocommit mode.
  public var transactionID: UInt64
  /// The save it belongs to, or 0.
  public var saveID: UInt64
  /// Waiting for locks: the admission as a writer.
  public var waitTime: Nanoseconds
  /// Running its statements, and the program's own time between them, without the parts below.
  public var bodyTime: Nanoseconds
  /// Writing the write-ahead log or the rollback journal.
  public var logTime: Nanoseconds
  /// Writing the database file, without checkpoints.
  public var fileTime: Nanoseconds
  /// Syncing, without checkpoints.
  public var syncTime: Nanoseconds
  /// In checkpoints, from taking their lock until releasing it.
  public var checkpointTime: Nanoseconds
  /// The rest of COMMIT itself; 0 in autocommit mode, where it is part of the body.
  public var commitTime: Nanoseconds
  /// From its begin until it had committed.
  public var totalTime: Nanoseconds
  /// Rows inserted, updated or deleted.
  public var changes: UInt64
  /// Writes to the write-ahead log or the rollback journal.
  public var logWrites: UInt64
  /// Writes to the database file.
  public var fileWrites: UInt64
  /// Syncs, without checkpoints.
  public var syncs: UInt64
  public var checkpoints: UInt64
  /// Pages that its checkpoints wrote to the database file.
  public var checkpointWrites: UInt64
  public var checkpointSyncs: UInt64

  @inlinable
  public init(
    storeID: UInt64,
    transactionID: UInt64 = 0,
    saveID: UInt64 = 0,
    waitTime: Nanoseconds = 0,
    bodyTime: Nanoseconds = 0,
    logTime: Nanoseconds = 0,
    fileTime: Nanoseconds = 0,
    syncTime: Nanoseconds = 0,
    checkpointTime: Nanoseconds = 0,
    commitTime: Nanoseconds = 0,
    totalTime: Nanoseconds = 0,
    changes: UInt64 = 0,
    logWrites: UInt64 = 0,
    fileWrites: UInt64 = 0,
    syncs: UInt64 = 0,
    checkpoints: UInt64 = 0,
    checkpointWrites: UInt64 = 0,
    checkpointSyncs: UInt64 = 0
  ) {
    self.storeID = storeID
    self.transactionID = transactionID
    self.saveID = saveID
    self.waitTime = waitTime
    self.bodyTime = bodyTime
    self.logTime = logTime
    self.fileTime = fileTime
    self.syncTime = syncTime
    self.checkpointTime = checkpointTime
    self.commitTime = commitTime
    self.totalTime = totalTime
    self.changes = changes
    self.logWrites = logWrites
    self.fileWrites = fileWrites
    self.syncs = syncs
    self.checkpoints = checkpoints
    self.checkpointWrites = checkpointWrites
    self.checkpointSyncs = checkpointSyncs
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("transaction_id", transactionID)
    fields.field("save_id", saveID)
    fields.field("wait_ns", waitTime)
    fields.field("body_ns", bodyTime)
    fields.field("log_ns", logTime)
    fields.field("file_ns", fileTime)
    fields.field("sync_ns", syncTime)
    fields.field("checkpoint_ns", checkpointTime)
    fields.field("commit_ns", commitTime)
    fields.field("total_ns", totalTime)
    fields.field("changes", changes)
    fields.field("log_writes", logWrites)
    fields.field("file_writes", fileWrites)
    fields.field("syncs", syncs)
    fields.field("checkpoints", checkpoints)
    fields.field("checkpoint_writes", checkpointWrites)
    fields.field("checkpoint_syncs", checkpointSyncs)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    transactionID = try fields.uint64("transaction_id")
    saveID = try fields.uint64("save_id")
    waitTime = try fields.int64("wait_ns")
    bodyTime = try fields.int64("body_ns")
    logTime = try fields.int64("log_ns")
    fileTime = try fields.int64("file_ns")
    syncTime = try fields.int64("sync_ns")
    checkpointTime = try fields.int64("checkpoint_ns")
    commitTime = try fields.int64("commit_ns")
    totalTime = try fields.int64("total_ns")
    changes = try fields.uint64("changes")
    logWrites = try fields.uint64("log_writes")
    fileWrites = try fields.uint64("file_writes")
    syncs = try fields.uint64("syncs")
    checkpoints = try fields.uint64("checkpoints")
    checkpointWrites = try fields.uint64("checkpoint_writes")
    checkpointSyncs = try fields.uint64("checkpoint_syncs")
  }
}
