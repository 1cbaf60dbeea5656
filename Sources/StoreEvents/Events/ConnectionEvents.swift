// SPDX-License-Identifier: Apache-2.0

/// The probe observed a connection to a database.
public struct ConnectionOpened: EventPayload {
  @inlinable
  public static var name: StaticString { "connection_opened" }

  /// Unique within the process; from 1.
  public var connectionID: UInt64
  /// The path of the main database; "" for an in-memory or temporary one.
  public var path: String
  public var vfs: String
  /// 1 if the database is read-only.
  public var flags: UInt64
  public var sqliteVersion: String
  /// The object file that contains this copy of SQLite.
  public var sqlitePath: String
  /// How the probe observes the copy: `got`, `extension`, `symbols` or `handle`.
  public var way: String
  /// The device and the inode of the database file; 0 without a file.
  public var device: UInt64
  public var inode: UInt64
  /// Since 1970-01-01 00:00 UTC.
  public var processStart: Nanoseconds
  /// The program, with its script where an interpreter runs one: `python3 app.py`.
  public var processName: String

  @inlinable
  public init(
    connectionID: UInt64,
    path: String,
    vfs: String,
    flags: UInt64,
    sqliteVersion: String,
    sqlitePath: String,
    way: String,
    device: UInt64,
    inode: UInt64,
    processStart: Nanoseconds,
    processName: String
  ) {
    self.connectionID = connectionID
    self.path = path
    self.vfs = vfs
    self.flags = flags
    self.sqliteVersion = sqliteVersion
    self.sqlitePath = sqlitePath
    self.way = way
    self.device = device
    self.inode = inode
    self.processStart = processStart
    self.processName = processName
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("connection_id", connectionID)
    fields.field("path", path)
    fields.field("vfs", vfs)
    fields.field("flags", flags)
    fields.field("sqlite_version", sqliteVersion)
    fields.field("sqlite_path", sqlitePath)
    fields.field("way", way)
    fields.field("device", device)
    fields.field("inode", inode)
    fields.field("process_start_ns", processStart)
    fields.field("process_name", processName)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    connectionID = try fields.uint64("connection_id")
    path = try fields.string("path")
    vfs = try fields.string("vfs")
    flags = try fields.uint64("flags")
    sqliteVersion = try fields.string("sqlite_version")
    sqlitePath = try fields.string("sqlite_path")
    way = try fields.string("way")
    device = try fields.uint64("device")
    inode = try fields.uint64("inode")
    processStart = try fields.int64("process_start_ns")
    processName = try fields.string("process_name")
  }
}

/// The program closed a connection.
public struct ConnectionClosed: EventPayload {
  @inlinable
  public static var name: StaticString { "connection_closed" }

  public var connectionID: UInt64

  @inlinable
  public init(
    connectionID: UInt64
  ) {
    self.connectionID = connectionID
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("connection_id", connectionID)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    connectionID = try fields.uint64("connection_id")
  }
}

/// The probe found a copy of SQLite that it cannot observe.
public struct CopyNotObserved: EventPayload {
  @inlinable
  public static var name: StaticString { "copy_not_observed" }

  /// The object file that contains the copy.
  public var sqlitePath: String
  /// "" if it is unknown.
  public var sqliteVersion: String
  public var reason: String

  @inlinable
  public init(
    sqlitePath: String,
    sqliteVersion: String,
    reason: String
  ) {
    self.sqlitePath = sqlitePath
    self.sqliteVersion = sqliteVersion
    self.reason = reason
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("sqlite_path", sqlitePath)
    fields.field("sqlite_version", sqliteVersion)
    fields.field("reason", reason)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    sqlitePath = try fields.string("sqlite_path")
    sqliteVersion = try fields.string("sqlite_version")
    reason = try fields.string("reason")
  }
}
