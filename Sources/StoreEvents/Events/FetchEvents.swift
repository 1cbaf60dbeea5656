// SPDX-License-Identifier: Apache-2.0

/// A fetch request started.
public struct FetchBegin: EventPayload {
  @inlinable
  public static var name: StaticString { "fetch_begin" }

  /// Unique within the process; from 1.
  public var fetchID: UInt64
  /// The fetch this one serves (a prefetch, a batch), or 0.
  public var parentID: UInt64
  public var entity: String
  public var location: SourceLocation

  @inlinable
  public init(
    fetchID: UInt64,
    parentID: UInt64,
    entity: String,
    location: SourceLocation
  ) {
    self.fetchID = fetchID
    self.parentID = parentID
    self.entity = entity
    self.location = location
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("fetch_id", fetchID)
    fields.field("parent_id", parentID)
    fields.field("entity", entity)
    fields.field("file", location.file)
    fields.field("line", location.line)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    fetchID = try fields.uint64("fetch_id")
    parentID = try fields.uint64("parent_id")
    entity = try fields.string("entity")
    location = SourceLocation(
      file: try fields.string("file"), line: try fields.uint64("line"))
  }
}

/// A fetch request ended: what it requested, what it cost, what it returned.
public struct FetchEnd: EventPayload {
  @inlinable
  public static var name: StaticString { "fetch_end" }

  public var fetchID: UInt64
  public var parentID: UInt64
  public var entity: String
  public var kind: FetchKind
  public var statementID: StatementID
  /// Keyed per process: equal values hash equal, and the values cannot be read from it.
  public var bindHash: UInt64
  /// Waiting for a connection; 0 if one was free.
  public var waitTime: Nanoseconds
  /// Compiling the SQL, or finding it in the statement cache, and binding.
  public var prepareTime: Nanoseconds
  /// In `sqlite3_step`, and copying its rows into the row cache.
  public var stepTime: Nanoseconds
  /// Turning rows into objects.
  public var materializeTime: Nanoseconds
  /// The log's `sql connection fetch time`: prepare and step.
  public var connectionTime: Nanoseconds
  /// The log's `total fetch execution time`, waiting included.
  public var totalTime: Nanoseconds
  /// Rows returned; for a count, the count.
  public var rows: UInt64
  public var vmSteps: UInt64
  public var fullScanSteps: UInt64
  public var sorts: UInt64
  public var autoIndexRows: UInt64
  /// 0 is none.
  public var limit: UInt64
  public var offset: UInt64
  /// 0 is none.
  public var batchSize: UInt64
  /// "" when it went well.
  public var error: String

  @inlinable
  public init(
    fetchID: UInt64,
    parentID: UInt64,
    entity: String,
    kind: FetchKind,
    statementID: StatementID,
    bindHash: UInt64,
    waitTime: Nanoseconds,
    prepareTime: Nanoseconds,
    stepTime: Nanoseconds,
    materializeTime: Nanoseconds,
    connectionTime: Nanoseconds,
    totalTime: Nanoseconds,
    rows: UInt64,
    vmSteps: UInt64,
    fullScanSteps: UInt64,
    sorts: UInt64,
    autoIndexRows: UInt64,
    limit: UInt64,
    offset: UInt64,
    batchSize: UInt64,
    error: String
  ) {
    self.fetchID = fetchID
    self.parentID = parentID
    self.entity = entity
    self.kind = kind
    self.statementID = statementID
    self.bindHash = bindHash
    self.waitTime = waitTime
    self.prepareTime = prepareTime
    self.stepTime = stepTime
    self.materializeTime = materializeTime
    self.connectionTime = connectionTime
    self.totalTime = totalTime
    self.rows = rows
    self.vmSteps = vmSteps
    self.fullScanSteps = fullScanSteps
    self.sorts = sorts
    self.autoIndexRows = autoIndexRows
    self.limit = limit
    self.offset = offset
    self.batchSize = batchSize
    self.error = error
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("fetch_id", fetchID)
    fields.field("parent_id", parentID)
    fields.field("entity", entity)
    fields.field("kind", kind.rawValue)
    fields.field("statement_id", statementID.rawValue)
    fields.field("bind_hash", bindHash)
    fields.field("wait_ns", waitTime)
    fields.field("prepare_ns", prepareTime)
    fields.field("step_ns", stepTime)
    fields.field("materialize_ns", materializeTime)
    fields.field("connection_ns", connectionTime)
    fields.field("total_ns", totalTime)
    fields.field("rows", rows)
    fields.field("vm_steps", vmSteps)
    fields.field("fullscan_steps", fullScanSteps)
    fields.field("sorts", sorts)
    fields.field("autoindex_rows", autoIndexRows)
    fields.field("limit", limit)
    fields.field("offset", offset)
    fields.field("batch_size", batchSize)
    fields.field("error", error)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    fetchID = try fields.uint64("fetch_id")
    parentID = try fields.uint64("parent_id")
    entity = try fields.string("entity")
    kind = try FetchKind(field: "kind", try fields.string("kind"))
    statementID = StatementID(rawValue: try fields.uint64("statement_id"))
    bindHash = try fields.uint64("bind_hash")
    waitTime = try fields.int64("wait_ns")
    prepareTime = try fields.int64("prepare_ns")
    stepTime = try fields.int64("step_ns")
    materializeTime = try fields.int64("materialize_ns")
    connectionTime = try fields.int64("connection_ns")
    totalTime = try fields.int64("total_ns")
    rows = try fields.uint64("rows")
    vmSteps = try fields.uint64("vm_steps")
    fullScanSteps = try fields.uint64("fullscan_steps")
    sorts = try fields.uint64("sorts")
    autoIndexRows = try fields.uint64("autoindex_rows")
    limit = try fields.uint64("limit")
    offset = try fields.uint64("offset")
    batchSize = try fields.uint64("batch_size")
    error = try fields.string("error")
  }
}

/// What a fetch was requested to return.
public enum FetchKind: String, CaseIterable, Hashable, Sendable, Codable {
  case objects, ids, dictionaries, count, prefetch, batch

  @inlinable
  init(field: StaticString, _ value: String) throws(EventFieldError) {
    // Not `init(rawValue:)`, which searches a table of cases: 200 instructions, for each event.
    switch value {
    case "objects": self = .objects
    case "ids": self = .ids
    case "dictionaries": self = .dictionaries
    case "count": self = .count
    case "prefetch": self = .prefetch
    case "batch": self = .batch
    default: throw .malformed(field: "\(field)", value: value)
    }
  }
}
