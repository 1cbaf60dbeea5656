// SPDX-License-Identifier: Apache-2.0

/// A fault fired: its values, or its members, were read.
public struct FaultFired: EventPayload {
  @inlinable
  public static var name: StaticString { "fault" }

  public var entity: String
  public var pk: Int64
  /// "" for an object fault.
  public var relationship: String
  public var source: FaultSource
  public var duration: Nanoseconds
  public var rows: UInt64
  /// The fetch that made the object, or 0.
  public var originFetchID: UInt64
  /// The line that made that fetch.
  public var origin: SourceLocation

  @inlinable
  public init(
    entity: String,
    pk: Int64,
    relationship: String,
    source: FaultSource,
    duration: Nanoseconds,
    rows: UInt64,
    originFetchID: UInt64,
    origin: SourceLocation
  ) {
    self.entity = entity
    self.pk = pk
    self.relationship = relationship
    self.source = source
    self.duration = duration
    self.rows = rows
    self.originFetchID = originFetchID
    self.origin = origin
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("entity", entity)
    fields.field("pk", pk)
    fields.field("relationship", relationship)
    fields.field("source", source.rawValue)
    fields.field("duration_ns", duration)
    fields.field("rows", rows)
    fields.field("origin_fetch_id", originFetchID)
    fields.field("origin_file", origin.file)
    fields.field("origin_line", origin.line)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    entity = try fields.string("entity")
    pk = try fields.int64("pk")
    relationship = try fields.string("relationship")
    source = try FaultSource(field: "source", try fields.string("source"))
    duration = try fields.int64("duration_ns")
    rows = try fields.uint64("rows")
    originFetchID = try fields.uint64("origin_fetch_id")
    origin = SourceLocation(
      file: try fields.string("origin_file"), line: try fields.uint64("origin_line"))
  }
}

/// A fault fired whose row was not in the row cache: it was read from the database.
public struct CacheMiss: EventPayload {
  @inlinable
  public static var name: StaticString { "cache_miss" }

  public var entity: String
  public var pk: Int64
  /// "" for an object fault.
  public var relationship: String
  public var duration: Nanoseconds
  public var statementID: StatementID
  public var vmSteps: UInt64
  /// Rows stepped over by a scan, as of a relationship without an index.
  public var fullScanSteps: UInt64
  public var originFetchID: UInt64

  @inlinable
  public init(
    entity: String,
    pk: Int64,
    relationship: String,
    duration: Nanoseconds,
    statementID: StatementID,
    vmSteps: UInt64,
    fullScanSteps: UInt64,
    originFetchID: UInt64
  ) {
    self.entity = entity
    self.pk = pk
    self.relationship = relationship
    self.duration = duration
    self.statementID = statementID
    self.vmSteps = vmSteps
    self.fullScanSteps = fullScanSteps
    self.originFetchID = originFetchID
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("entity", entity)
    fields.field("pk", pk)
    fields.field("relationship", relationship)
    fields.field("duration_ns", duration)
    fields.field("statement_id", statementID.rawValue)
    fields.field("vm_steps", vmSteps)
    fields.field("fullscan_steps", fullScanSteps)
    fields.field("origin_fetch_id", originFetchID)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    entity = try fields.string("entity")
    pk = try fields.int64("pk")
    relationship = try fields.string("relationship")
    duration = try fields.int64("duration_ns")
    statementID = StatementID(rawValue: try fields.uint64("statement_id"))
    vmSteps = try fields.uint64("vm_steps")
    fullScanSteps = try fields.uint64("fullscan_steps")
    originFetchID = try fields.uint64("origin_fetch_id")
  }
}

/// Where a fault found its values.
public enum FaultSource: String, CaseIterable, Hashable, Sendable {
  case rowCache = "row cache"
  case database

  @inlinable
  init(field: StaticString, _ value: String) throws(EventFieldError) {
    // Not `init(rawValue:)`, as in `FetchKind`.
    switch value {
    case "row cache": self = .rowCache
    case "database": self = .database
    default: throw .malformed(field: "\(field)", value: value)
    }
  }
}
