// SPDX-License-Identifier: Apache-2.0

public import CSQLite

/// SQLite's `sqlite3 *`.
public typealias SQLiteConnection = OpaquePointer

/// One connection to a database file, used by one thread at a time.
///
/// SQLite is opened with `SQLITE_OPEN_NOMUTEX`: whoever shares a connection guards it.
public final class Connection {
  @usableFromInline let handle: SQLiteConnection
  let statements: StatementCache
  /// The file's path, or `:memory:`.
  public let path: String
  private var busyObserver: BusyObserver?

  public enum Mode: Sendable {
    case readOnly
    /// Reads a file that nobody writes, without locks and without side files.
    case immutable
    case readWrite
    case create
  }

  /// Opens a database file.
  ///
  /// - Parameters:
  ///   - busyTimeout: how long to wait for another connection's lock, in milliseconds.
  ///   - statementCacheCapacity: how many prepared statements are kept.
  /// - Throws: ``SQLiteError`` if the file cannot be opened. A file that is no database is found
  ///   by the first statement, not here.
  public init(
    path: String, mode: Mode = .create, busyTimeout: Int32 = 5000,
    statementCacheCapacity: Int = 64
  ) throws(SQLiteError) {
    var handle: SQLiteConnection?
    let flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | (mode == .immutable
        ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        : mode == .readOnly
          ? SQLITE_OPEN_READONLY
          : mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    let name = mode == .immutable ? Self.immutableURI(path) : path
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(connection: handle, code: code)
    }
    self.handle = handle
    self.path = path
    statements = StatementCache(capacity: statementCacheCapacity)
    sqlite3_busy_timeout(handle, busyTimeout)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  // MARK: - Statements

  /// Compiles one statement; it is not cached.
  ///
  /// - Throws: ``SQLiteError`` if the SQL does not compile, is empty, or holds a second statement.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, on: self, persistent: false)
  }

  /// Finds a statement in the cache, or compiles it: reset and with no values bound.
  ///
  /// Give it back with ``recycle(_:)`` when its rows were read.
  ///
  /// - Throws: ``SQLiteError`` if the SQL does not compile, is empty, or holds a second statement.
  public func cachedStatement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements.take(sql) { return statement }
    return try Statement(sql, on: self, persistent: true)
  }

  /// Resets a statement, forgets its values, and lets the cache have it.
  public func recycle(_ statement: Statement) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    statements.give(statement)
  }

  /// Runs one or more statements without values, and ignores their rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code, sql: sql) }
  }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  public var changes: Int { Int(sqlite3_changes64(handle)) }
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Interrupts the statement that runs on another thread; it then throws `SQLITE_INTERRUPT`.
  public func interrupt() { sqlite3_interrupt(handle) }

  // MARK: - Lock waits and checkpoints

  private final class BusyObserver {
    let timeout: Int32
    let body: (_ attempts: Int32) -> Bool
    init(timeout: Int32, body: @escaping (Int32) -> Bool) {
      self.timeout = timeout
      self.body = body
    }
  }

  /// Replaces the busy timeout by a handler: it is called with the number of earlier attempts,
  /// sleeps as long as it likes, and answers whether to try again.
  public func setBusyHandler(_ handler: @escaping (_ attempts: Int32) -> Bool) {
    let observer = BusyObserver(timeout: 0, body: handler)
    busyObserver = observer
    sqlite3_busy_handler(
      handle,
      { context, attempts in
        guard let context else { return 0 }
        let observer = Unmanaged<BusyObserver>.fromOpaque(context).takeUnretainedValue()
        return observer.body(attempts) ? 1 : 0
      }, Unmanaged.passUnretained(observer).toOpaque())
  }

  public enum CheckpointMode: String, Sendable { case passive, full, restart, truncate }

  /// Moves frames of the write-ahead log into the database file.
  ///
  /// - Returns: frames in the log, and how many of them are now in the file.
  public func checkpoint(
    _ mode: CheckpointMode = .passive
  ) throws(SQLiteError) -> (logFrames: Int, checkpointedFrames: Int) {
    let flag =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    var logFrames: Int32 = 0
    var checkpointed: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, flag, &logFrames, &checkpointed)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
    return (Int(logFrames), Int(checkpointed))
  }

  /// `file:/p%20q.sqlite?immutable=1`, as SQLite's URI file names want it.
  ///
  /// See <https://www.sqlite.org/uri.html>.
  static func immutableURI(_ path: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        let digits = Array("0123456789abcdef".utf8)
        uri += "%\(Character(.init(digits[Int(byte >> 4)])))\(Character(.init(digits[Int(byte & 15)])))"
      default:
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri + "?immutable=1"
  }
}
