// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import QueryPlans
import SQLiteDriver
import StoreEvents

/// What one run returned and cost.
struct RunOutcome {
  var rows: UInt64 = 0
  var changes: UInt64 = 0
  /// A hash of the values of all rows, in any order.
  var contents: UInt64 = 0
  /// Such as `SQLITE_CONSTRAINT`; nil where it succeeded.
  var error: String?
  var message = ""
  var work = ReplayWork()
  /// Whether it was reset before its last row, as the recorded run was.
  var isStopped = false
}

/// A connection to a copy, with the authority to change nothing else.
final class ReplayConnection {
  private let library: SQLiteLibrary
  private let folder: ReplayFolder
  private let handle: OpaquePointer
  /// Closes the connection, if the library is that of this program.
  private let owner: Connection?
  private var statements: [String: OpaquePointer] = [:]
  // Arbitrary: more than a program's pool of connections has statements in use.
  private static let maxStatements = 256

  /// - Parameter path: of a copy, `:memory:`, or the URI of a database in memory.
  init(
    _ library: SQLiteLibrary, path: String, in folder: ReplayFolder
  ) throws(ReplayError) {
    let isURI = path.hasPrefix("file:")
    let vfs = library.vfs.isEmpty ? nil : library.vfs
    if library === SQLiteLibrary.own, !isURI {
      do {
        // With what a store's SQL calls.
        let connection = try Connection(path: path, busyTimeout: 0, vfs: vfs)
        try StoreNames.define(on: connection)
        // A store's rows come through it; these rows are only counted.
        try connection.register(RowCollector(), as: "store_rows")
        owner = connection
      } catch {
        throw .database(path, reason: "\(error)")
      }
    } else {
      owner = nil
    }
    var handle = owner?.pointer
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      | (isURI ? SQLITE_OPEN_URI : 0)
    let code = owner == nil ? library.open(path, &handle, flags, vfs) : SQLITE_OK
    guard code == SQLITE_OK, let handle else {
      _ = library.close(handle)
      throw .database(path, reason: "SQLite's code \(code)")
    }
    self.library = library
    self.folder = folder
    self.handle = handle
    _ = library.setAuthorizer(handle, Self.authorize, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    finalizeStatements()
    _ = library.setAuthorizer(handle, nil, nil)
    if owner == nil { _ = library.close(handle) }
  }

  // A statement of the trace reaches no file but the copies, and loads no code.
  private static let authorize: SQLiteLibrary.Authorizer = {
    context, action, first, second, _, _ in
    guard let context else { return SQLITE_DENY }
    let folder = Unmanaged<ReplayConnection>.fromOpaque(context).takeUnretainedValue().folder
    let isRefused =
      switch action {
      case SQLITE_ATTACH: !(first.map { folder.allows(String(cString: $0)) } ?? true)
      case SQLITE_FUNCTION: second.map { strcasecmp($0, "load_extension") == 0 } ?? false
      case SQLITE_PRAGMA:
        first.map { strcasecmp($0, "temp_store_directory") == 0 } ?? false
      default: false
      }
    return isRefused ? SQLITE_DENY : SQLITE_OK
  }

  /// Runs statements without values.
  ///
  /// - Returns: the message of the first one that fails.
  func execute(_ script: String) -> String? {
    // One after the other: sqlite3_exec() would need a function of each library more.
    script.withCString { start in
      var rest: UnsafePointer<CChar>? = start
      while let sql = rest, sql.pointee != 0 {
        var statement: OpaquePointer?
        guard library.prepare(handle, sql, -1, &statement, &rest) == SQLITE_OK else {
          return message
        }
        guard let statement else { continue }
        defer { _ = library.finalize(statement) }
        var code = library.step(statement)
        while code == SQLITE_ROW { code = library.step(statement) }
        guard code == SQLITE_DONE else { return message }
      }
      return nil
    }
  }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - rows: the rows after which it may be stopped.
  ///   - mayStop: called with its VM steps after that many rows; returns whether to stop.
  ///   - maxSteps: the VM steps after which it is interrupted.
  func run(
    _ sql: String, _ values: [RecordedValues.Value], rows limit: UInt64,
    mayStop: (UInt64) -> Bool, maxSteps: UInt64? = nil
  ) -> RunOutcome {
    var outcome = RunOutcome()
    guard let statement = prepared(sql) else {
      fail(&outcome)
      return outcome
    }
    if let maxSteps {
      library.setProgressHandler(
        handle, Int32(clamping: max(maxSteps, 1)), { _ in 1 }, nil)
    }
    defer {
      _ = library.reset(statement)
      _ = library.clearBindings(statement)
      if maxSteps != nil { library.setProgressHandler(handle, 0, nil, nil) }
    }
    for (index, value) in values.enumerated() { bind(value, to: statement, at: Int32(index + 1)) }
    let changes = library.totalChanges(handle)
    _ = StatementCounters { library.status(statement, $0, 1) }
    var code = step(statement, &outcome)
    while code == SQLITE_ROW {
      outcome.rows += 1
      outcome.contents &+= library.hash(ofRowOf: statement)
      if outcome.rows == limit,
        mayStop(StatementCounters { library.status(statement, $0, 0) }.vmSteps)
      {
        outcome.isStopped = true
        break
      }
      code = step(statement, &outcome)
    }
    outcome.work.runs = 1
    outcome.work.counters = StatementCounters { library.status(statement, $0, 0) }
    outcome.changes = UInt64(UInt32(bitPattern: library.totalChanges(handle) &- changes))
    if code != SQLITE_ROW, code != SQLITE_DONE { fail(&outcome) }
    return outcome
  }

  private func step(_ statement: OpaquePointer, _ outcome: inout RunOutcome) -> Int32 {
    let start = MigrationRun.now
    defer { outcome.work.timeNs += MigrationRun.now - start }
    return library.step(statement)
  }

  /// The first column of a query without values.
  func texts(_ sql: String) -> [String] {
    guard let statement = compiled(sql) else { return [] }
    defer { _ = library.finalize(statement) }
    var texts: [String] = []
    while library.step(statement) == SQLITE_ROW {
      texts.append(library.columnText(statement, 0).map { String(cString: $0) } ?? "")
    }
    return texts
  }

  /// The steps of a statement's plan, one a line; nil where it cannot be prepared.
  func plan(_ sql: String, _ values: [RecordedValues.Value]) -> [String]? {
    guard let statement = compiled("EXPLAIN QUERY PLAN " + sql) else { return nil }
    defer { _ = library.finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, to: statement, at: Int32(index + 1)) }
    var steps: [String] = []
    while library.step(statement) == SQLITE_ROW {
      steps.append(library.columnText(statement, 3).map { String(cString: $0) } ?? "")
    }
    return steps
  }

  private func prepared(_ sql: String) -> OpaquePointer? {
    if let statement = statements[sql] { return statement }
    if statements.count >= Self.maxStatements { finalizeStatements() }
    guard let statement = compiled(sql) else { return nil }
    statements[sql] = statement
    return statement
  }

  private func compiled(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    guard library.prepare(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    return statement
  }

  private func finalizeStatements() {
    for statement in statements.values { _ = library.finalize(statement) }
    statements.removeAll()
  }

  private func bind(_ value: RecordedValues.Value, to statement: OpaquePointer, at index: Int32) {
    // SQLITE_TRANSIENT: SQLite copies the value.
    let copies = unsafeBitCast(-1, to: SQLiteLibrary.Destructor?.self)
    switch value {
    case .null: _ = library.bindNull(statement, index)
    case .integer(let number): _ = library.bindInteger(statement, index, number)
    case .real(let number): _ = library.bindDouble(statement, index, number)
    case .text(let text, _):
      _ = text.utf8CString.withUnsafeBufferPointer {
        library.bindText(statement, index, $0.baseAddress, Int32($0.count - 1), copies)
      }
    case .blob(let bytes, _) where bytes.isEmpty: _ = library.bindZeroes(statement, index, 0)
    case .blob(let bytes, _):
      _ = bytes.withUnsafeBytes {
        library.bindBlob(statement, index, $0.baseAddress, Int32($0.count), copies)
      }
    }
  }

  private var message: String {
    library.errorMessage(handle).map { String(cString: $0) } ?? "unknown error"
  }

  private func fail(_ outcome: inout RunOutcome) {
    outcome.error = ResultCode.name(library.errorCode(handle))
    outcome.message = message
  }
}
