// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite's `sqlite3 *`.
public typealias SQLiteConnection = OpaquePointer

/// One connection to a database file, used by one thread at a time.
///
/// SQLite is opened with `SQLITE_OPEN_NOMUTEX`: code that shares a connection must guard it.
public final class Connection {
  @usableFromInline let handle: SQLiteConnection
  let statements: StatementCache
  /// The file's path, or `:memory:`.
  public let path: String
  private var busyObserver: BusyObserver?
  var authorizer: Authorizer?
  var watch: StatementWatch?
  var deferredFunctions: DeferredFunctions?
  /// The write-ahead log that ``followWriteAheadLog()`` found.
  var followedLog: FileIdentity?

  /// What a connection may do to its file.
  public enum Mode: Sendable {
    /// Reads; a file in WAL mode may get side files.
    case readOnly
    /// Reads a file of another program: no file is made, changed or removed, nor opened for writing.
    case guarded
    case readWrite
    case create

    fileprivate var flags: Int32 {
      switch self {
      case .readOnly, .guarded: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    }
  }

  /// Opens a database file.
  ///
  /// - Parameters:
  ///   - busyTimeout: how long to wait for another connection's lock, in milliseconds.
  ///   - statementCacheCapacity: how many prepared statements are kept.
  ///   - vfs: the name of a registered VFS that reads and writes the file; SQLite's own if nil.
  public init(
    path: String, mode: Mode = .create, busyTimeout: Int32 = 5000,
    statementCacheCapacity: Int = 64, vfs: String? = nil
  ) throws(SQLiteError) {
    guard !path.utf8.contains(0) else {
      throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path holds a NUL character")
    }
    if mode == .guarded, let fault = FileFault(path) {
      throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "\(fault)")
    }
    let vfs = mode == .guarded ? FileCounts.guarding(vfs) : vfs
    var handle: SQLiteConnection?
    let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = ProbeExclusion.whileOpening { sqlite3_open_v2(path, &handle, flags, vfs) }
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
    // A statement may outlive its connection (SQLite keeps a zombie); the handler's owner may not.
    sqlite3_busy_handler(handle, nil, nil)
    if authorizer != nil { sqlite3_set_authorizer(handle, nil, nil) }
    sqlite3_close_v2(handle)
  }

  /// For code that calls SQLite's functions itself, while the connection lives.
  public var pointer: SQLiteConnection { handle }

  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  // MARK: - Statements

  /// Compiles one statement; it is not cached.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, on: self, persistent: false)
  }

  /// Finds a statement in the cache, or compiles it: reset and with no values bound.
  ///
  /// Return it with ``recycle(_:)`` once its rows have been read.
  public func cachedStatement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements.acquire(sql) { return statement }
    return try Statement(sql, on: self, persistent: true)
  }

  /// Resets a statement, clears its values, and returns it to the cache.
  public func recycle(_ statement: Statement) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    statements.insert(statement)
  }

  /// Runs one or more statements without values, and ignores their rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    guard !sql.utf8.contains(0) else { throw .nulCharacter(in: sql) }
    try registerFunctions(in: sql)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code, sql: sql) }
  }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  public var changes: Int { Int(sqlite3_changes64(handle)) }
  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  // MARK: - Lock waits and checkpoints

  private final class BusyObserver {
    let body: (_ attempts: Int32) -> Bool
    init(body: @escaping (Int32) -> Bool) { self.body = body }
  }

  /// Replaces the busy timeout by a handler: it is called with the number of earlier attempts,
  /// sleeps as long as it likes, and answers whether to try again.
  public func setBusyHandler(_ handler: @escaping (_ attempts: Int32) -> Bool) {
    let observer = BusyObserver(body: handler)
    sqlite3_busy_handler(
      handle,
      { context, attempts in
        guard let context else { return 0 }
        let observer = Unmanaged<BusyObserver>.fromOpaque(context).takeUnretainedValue()
        return observer.body(attempts) ? 1 : 0
      }, Unmanaged.passUnretained(observer).toOpaque())
    // Last: SQLite held the earlier one until now.
    busyObserver = observer
  }

  /// How hard a checkpoint tries.
  ///
  /// See <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
  public enum CheckpointMode: String, Sendable {
    case passive, full, restart, truncate

    fileprivate var flag: Int32 {
      switch self {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    }
  }

  /// Moves frames of the write-ahead log into the database file.
  ///
  /// - Returns: frames in the log, and how many of them are now in the file.
  public func checkpoint(
    _ mode: CheckpointMode = .passive
  ) throws(SQLiteError) -> (logFrames: Int, checkpointedFrames: Int) {
    var logFrames: Int32 = 0
    var checkpointed: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode.flag, &logFrames, &checkpointed)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
    return (Int(logFrames), Int(checkpointed))
  }
}
