// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CSQLiteFiles
import Glibc

/// The functions of one copy of SQLite, that of this program or another version's.
public final class SQLiteLibrary: @unchecked Sendable {
  typealias Handle = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  typealias Authorizer =
    @convention(c) (UnsafeMutableRawPointer?, Int32, Text?, Text?, Text?, Text?) -> Int32

  typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> Int32

  let open: @convention(c) (Text?, UnsafeMutablePointer<Handle?>?, Int32, Text?) -> Int32
  let close: @convention(c) (Handle?) -> Int32
  let prepare:
    @convention(c) (
      Handle?, Text?, Int32, UnsafeMutablePointer<Handle?>?, UnsafeMutablePointer<Text?>?
    ) -> Int32
  let finalize: @convention(c) (Handle?) -> Int32
  let step: @convention(c) (Handle?) -> Int32
  let reset: @convention(c) (Handle?) -> Int32
  let clearBindings: @convention(c) (Handle?) -> Int32
  let bindNull: @convention(c) (Handle?, Int32) -> Int32
  let bindInteger: @convention(c) (Handle?, Int32, Int64) -> Int32
  let bindDouble: @convention(c) (Handle?, Int32, Double) -> Int32
  let bindText: @convention(c) (Handle?, Int32, Text?, Int32, Destructor?) -> Int32
  let bindBlob: @convention(c) (Handle?, Int32, UnsafeRawPointer?, Int32, Destructor?) -> Int32
  let bindZeroes: @convention(c) (Handle?, Int32, Int32) -> Int32
  let dataCount: @convention(c) (Handle?) -> Int32
  let columnType: @convention(c) (Handle?, Int32) -> Int32
  let columnInteger: @convention(c) (Handle?, Int32) -> Int64
  let columnDouble: @convention(c) (Handle?, Int32) -> Double
  let columnBlob: @convention(c) (Handle?, Int32) -> UnsafeRawPointer?
  let columnBytes: @convention(c) (Handle?, Int32) -> Int32
  let columnText: @convention(c) (Handle?, Int32) -> UnsafePointer<UInt8>?
  let status: @convention(c) (Handle?, Int32, Int32) -> Int32
  let totalChanges: @convention(c) (Handle?) -> Int32
  let errorCode: @convention(c) (Handle?) -> Int32
  let errorMessage: @convention(c) (Handle?) -> Text?
  let setAuthorizer: @convention(c) (Handle?, Authorizer?, UnsafeMutableRawPointer?) -> Int32
  let setProgressHandler:
    @convention(c) (Handle?, Int32, Progress?, UnsafeMutableRawPointer?) -> Void
  /// The name of a VFS that has the time of the recorded run.
  let vfs: String
  /// Such as `3.40.1`.
  public let version: String

  /// The copy that this program uses.
  public static let own: SQLiteLibrary = {
    do { return try SQLiteLibrary(path: nil) } catch { preconditionFailure("\(error)") }
  }()

  /// Loads a library with names of its own, so that it calls itself and no other copy.
  public convenience init(path: String) throws(ReplayError) { try self.init(path: path as String?) }

  private init(path: String?) throws(ReplayError) {
    let functions = try Functions(path)
    open = try functions.find("open_v2", sqlite3_open_v2)
    close = try functions.find("close_v2", sqlite3_close_v2)
    prepare = try functions.find("prepare_v2", sqlite3_prepare_v2)
    finalize = try functions.find("finalize", sqlite3_finalize)
    step = try functions.find("step", sqlite3_step)
    reset = try functions.find("reset", sqlite3_reset)
    clearBindings = try functions.find("clear_bindings", sqlite3_clear_bindings)
    bindNull = try functions.find("bind_null", sqlite3_bind_null)
    bindInteger = try functions.find("bind_int64", sqlite3_bind_int64)
    bindDouble = try functions.find("bind_double", sqlite3_bind_double)
    bindText = try functions.find("bind_text", sqlite3_bind_text)
    bindBlob = try functions.find("bind_blob", sqlite3_bind_blob)
    bindZeroes = try functions.find("bind_zeroblob", sqlite3_bind_zeroblob)
    dataCount = try functions.find("data_count", sqlite3_data_count)
    columnType = try functions.find("column_type", sqlite3_column_type)
    columnInteger = try functions.find("column_int64", sqlite3_column_int64)
    columnDouble = try functions.find("column_double", sqlite3_column_double)
    columnBlob = try functions.find("column_blob", sqlite3_column_blob)
    columnBytes = try functions.find("column_bytes", sqlite3_column_bytes)
    columnText = try functions.find("column_text", sqlite3_column_text)
    status = try functions.find("stmt_status", sqlite3_stmt_status)
    totalChanges = try functions.find("total_changes", sqlite3_total_changes)
    errorCode = try functions.find("extended_errcode", sqlite3_extended_errcode)
    errorMessage = try functions.find("errmsg", sqlite3_errmsg)
    setAuthorizer = try functions.find("set_authorizer", sqlite3_set_authorizer)
    setProgressHandler = try functions.find("progress_handler", sqlite3_progress_handler)
    vfs = ReplayClock.register(
      try functions.find("vfs_find", sqlite3_vfs_find),
      try functions.find("vfs_register", sqlite3_vfs_register))
    let version: @convention(c) () -> Text? = try functions.find("libversion", sqlite3_libversion)
    self.version = version().map { String(cString: $0) } ?? ""
  }

  /// A hash of the values of the current row.
  func hash(ofRowOf statement: Handle) -> UInt64 {
    var hash: UInt64 = 0
    for column in 0..<dataCount(statement) {
      var cell = CSQLiteFiles_cell()
      cell.type = columnType(statement, column)
      switch cell.type {
      case SQLITE_INTEGER: cell.integer = columnInteger(statement, column)
      case SQLITE_FLOAT: cell.real = columnDouble(statement, column)
      case SQLITE_NULL: break
      default:
        // The length first: it is that of UTF-8, and the bytes are then those.
        cell.byte_count = columnBytes(statement, column)
        cell.bytes = columnBlob(statement, column)
      }
      hash = CSQLiteFiles_hash_cell(hash, &cell)
    }
    return hash
  }

  private struct Functions {
    private let path: String
    private let library: UnsafeMutableRawPointer?

    init(_ path: String?) throws(ReplayError) {
      self.path = path ?? ""
      guard let path else {
        library = nil
        return
      }
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
      guard library != nil else {
        throw .library(path, reason: dlerror().map { String(cString: $0) } ?? "")
      }
    }

    func find<Function>(_ name: String, _ own: Function) throws(ReplayError) -> Function {
      guard let library else { return own }
      guard let function = dlsym(library, "sqlite3_" + name) else {
        throw .library(path, reason: "it has no sqlite3_\(name)")
      }
      return unsafeBitCast(function, to: Function.self)
    }
  }
}
