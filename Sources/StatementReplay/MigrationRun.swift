// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import QueryPlans
import SQLiteDriver
import TraceReading

/// One run of a migration on a private copy, with the locks that it holds and the files that it fills.
final class MigrationRun {
  private(set) var costs = Rehearsal.Costs()
  private(set) var statements: [Rehearsal.Statement] = []
  private(set) var failure: Rehearsal.Failure?

  private let connection: Connection
  private let path: String
  private let initialBytes: UInt64
  private var journalAtCommit: UInt64 = 0
  /// Frames in the log after the last commit.
  private var frames: Int32 = 0
  private(set) var transactions: [Rehearsal.Transaction] = []
  /// The statements of the transaction that is open.
  private var isInPlace = true
  /// In SQLite, in nanoseconds: what is measured and counted between the statements takes none of it.
  private var elapsed: UInt64 = 0
  private var lockedSince: UInt64?
  /// Those that the statements open, in lower case.
  private(set) var tables: Set<String> = []
  /// Of pages, in the cache or in the file.
  private(set) var pageVisits: UInt64 = 0

  /// One of so many rows is in the copy.
  private let part: Int
  /// Pages of the cache as the program has it, and of the cache for this part of the rows.
  private var cache: (all: Int, part: Int)?

  // SQLite's own, unless the program changes it.
  static let framesOfCheckpoint = 1000
  private static let stepsBetweenSamples: Int32 = 100_000
  // SQLite's own: pcache1 reserves as many.
  private static let minCachePages = 10

  /// - Parameter count: one of so many rows is in the copy.
  init(path: String, oneOf count: Int, in folder: ReplayFolder) throws {
    (self.path, part) = (path, count)
    connection = try Connection(path: path, busyTimeout: 0)
    try StoreNames.define(on: connection)
    connection.authorize { action in
      switch action.code {
      // VACUUM INTO attaches its file.
      case SQLITE_ATTACH: folder.allows(action.first ?? "")
      case SQLITE_FUNCTION: action.second?.lowercased() != "load_extension"
      case SQLITE_PRAGMA: action.first?.lowercased() != "temp_store_directory"
      default: true
      }
    }
    initialBytes = FileBytes.of(path)
    // That depends on the bytes alone, and is measured with as many as all rows write.
    if count > 1 { try connection.execute("PRAGMA synchronous = OFF") }
  }

  /// Has a part of the rows meet the cache as all rows will.
  ///
  /// The root and a leaf of each b-tree that a statement opens are in use with few rows and with many; the other pages of
  /// the cache are as many less as the rows are.
  private func scaleCache(for sql: String) throws {
    let trees = try BTree.opened(by: sql, on: connection)
    for tree in trees { tables.formUnion(try tree.table(on: connection)) }
    guard part > 1 else { return }
    let current = Int(try connection.cachePages)
    // The script may have set another size.
    let all = current == cache?.part ? cache?.all ?? current : current
    let used = min(2 * trees.count, all)
    let pages = max((all - used) / part + used, Self.minCachePages)
    cache = (all, pages)
    if pages != current { try connection.execute("PRAGMA main.cache_size = \(pages)") }
  }

  /// Runs all statements of a script; the first failure ends it, as in SQLite's shell with `-bail`.
  func run(_ script: String) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let handle = connection.pointer
    sqlite3_commit_hook(
      handle,
      { context in
        guard let context else { return 0 }
        let run = Unmanaged<MigrationRun>.fromOpaque(context).takeUnretainedValue()
        run.journalAtCommit = FileBytes.of(run.path + "-journal")
        run.sample()
        return 0
      }, context)
    // Instead of SQLite's own checkpoints, which would be part of the statement's time.
    sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        Unmanaged<MigrationRun>.fromOpaque(context).takeUnretainedValue().recordCommit(frames)
        return SQLITE_OK
      }, context)
    sqlite3_progress_handler(
      handle, Self.stepsBetweenSamples,
      { context in
        guard let context else { return 0 }
        Unmanaged<MigrationRun>.fromOpaque(context).takeUnretainedValue().sample()
        return ReadingInterruption.isRequested ? 1 : 0
      }, context)
    defer {
      sqlite3_commit_hook(handle, nil, nil)
      sqlite3_wal_hook(handle, nil, nil)
      sqlite3_progress_handler(handle, 0, nil, nil)
    }
    script.withCString { start in
      var rest: UnsafePointer<CChar>? = start
      while let sql = rest, sql.pointee != 0, failure == nil {
        let text = String(cString: sql)
        // Behind the space and the comments that follow the statement before it.
        let begin = SQLTokenizer.tokens(of: text).first?.range.lowerBound ?? text.endIndex
        let before = UnsafeBufferPointer(start: start, count: sql - start).count { $0 == 10 }
        let line = 1 + before + text[..<begin].utf8.count { $0 == 10 }
        runOne(sql, line: line, &rest)
      }
    }
    if failure == nil, connection.isInTransaction {
      fail("COMMIT", line: 0, "the script ends within a transaction")
    }
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    if failure == nil { checkpoint(atLeast: 1) }
  }

  private func recordCommit(_ count: Int32) {
    transactions.append(
      Rehearsal.Transaction(
        frames: UInt64(clamping: count < frames ? count : count - frames), isInPlace: isInPlace))
    frames = count
  }

  private func runOne(
    _ sql: UnsafePointer<CChar>, line: Int, _ rest: inout UnsafePointer<CChar>?
  ) {
    var statement: OpaquePointer?
    let start = elapsed
    let code = timed { sqlite3_prepare_v2(connection.pointer, sql, -1, &statement, &rest) }
    guard code == SQLITE_OK else {
      return fail(
        String(cString: sql).firstStatement, line: line,
        String(cString: sqlite3_errmsg(connection.pointer)))
    }
    guard let statement else { return }
    let text = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    // A statement that EXPLAIN does not accept runs with the cache of the one before it.
    try? scaleCache(for: text)
    if !connection.isInTransaction { isInPlace = true }
    isInPlace = isInPlace && Self.isInPlace(text)
    let changesBefore = sqlite3_total_changes64(connection.pointer)
    let pagesBefore = connection.pageCounts
    let (result, message, writes) = timed {
      var result = sqlite3_step(statement)
      while result == SQLITE_ROW { result = sqlite3_step(statement) }
      let message = String(cString: sqlite3_errmsg(connection.pointer))
      let writes = sqlite3_stmt_readonly(statement) == 0
      sqlite3_finalize(statement)
      return (result, message, writes)
    }
    let end = elapsed
    let pages = connection.pageCounts - pagesBefore
    pageVisits += pages.cacheHits + pages.cacheMisses
    sample()
    recordLock(from: start, to: end, writes: writes)
    guard result == SQLITE_DONE else { return fail(text, line: line, message) }
    // The number of changes is that of the last statement that has some.
    let hasChanges = sqlite3_total_changes64(connection.pointer) > changesBefore
    statements.append(
      Rehearsal.Statement(
        sql: text.trimmed, line: line, time: end - start,
        changes: hasChanges ? UInt64(clamping: connection.changes) : 0))
    checkpoint(atLeast: Self.framesOfCheckpoint)
  }

  /// The lock is held from the first statement that writes to the end of its transaction.
  private func recordLock(from start: UInt64, to end: UInt64, writes: Bool) {
    let isHeld = sqlite3_txn_state(connection.pointer, "main") == SQLITE_TXN_WRITE
    if lockedSince == nil, isHeld || writes { lockedSince = start }
    guard !isHeld, let since = lockedSince else { return }
    costs.lock += end - since
    costs.longestLock = max(costs.longestLock, end - since)
    lockedSince = nil
    // A journal and the pages that it saves are there at once.
    costs.disk = max(
      costs.disk, FileBytes.of(path) + journalAtCommit - min(initialBytes, FileBytes.of(path)))
    journalAtCommit = 0
  }

  private func checkpoint(atLeast count: Int) {
    guard frames >= count, !connection.isInTransaction else { return }
    let start = elapsed
    guard let result = timed({ try? connection.checkpoint(.passive) }) else { return }
    costs.checkpoint += elapsed - start
    costs.checkpointedFrames += UInt64(clamping: result.checkpointedFrames)
    frames = 0
    sample()
  }

  /// Measures all files: the database, its log, its journal and SQLite's temporary files.
  private func sample() {
    let log = FileBytes.of(path + "-wal")
    let journal = FileBytes.of(path + "-journal")
    costs.log = max(costs.log, log)
    costs.journal = max(costs.journal, journal)
    let all = FileBytes.of(path) + log + journal + FileBytes.ofUnlinkedFiles
    costs.disk = max(costs.disk, all - min(initialBytes, all))
  }

  private func fail(_ sql: String, line: Int, _ message: String) {
    let refused =
      message.hasPrefix("not authorized") || message == "authorization denied"
      ? "a rehearsal cannot attach files or load extensions; remove this statement" : message
    failure = Rehearsal.Failure(
      number: statements.count + 1, line: line, sql: sql.trimmed, message: refused)
  }

  /// Whether a statement writes the pages of rows that exist; others make new pages.
  private static func isInPlace(_ sql: String) -> Bool {
    if let write = WrittenTable(sql: sql) { return write.kind != .insert }
    let makers = ["CREATE", "REINDEX", "VACUUM", "ALTER", "DROP", "WITH"]
    return !makers.contains { SQLTokenizer.tokens(of: sql).first?.isWord($0) == true }
  }

  /// The clock of a run, in nanoseconds.
  ///
  /// For a part of the rows it is the processor's: other programs interrupt a run of some milliseconds, and an extrapolation
  /// multiplies that.
  private var clock: UInt64 { Self.time(part > 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC) }

  private func timed<Result>(_ body: () -> Result) -> Result {
    let start = clock
    defer { elapsed += clock - start }
    return body()
  }

  /// In nanoseconds.
  static var now: UInt64 { time(CLOCK_MONOTONIC) }

  private static func time(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

enum FileBytes {
  /// The size of a file; 0 for none.
  static func of(_ path: String) -> UInt64 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
  }

  /// The files without a name that this process has open, such as those of a sort.
  static var ofUnlinkedFiles: UInt64 {
    // 256 is arbitrary: a rehearsal has some ten files open.
    (0..<256 as Range<Int32>).reduce(0) { sum, descriptor in
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_nlink == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return sum }
      return sum + UInt64(clamping: status.st_size)
    }
  }
}

extension String {
  /// The first statement, without the comments before it.
  fileprivate var firstStatement: String {
    let tokens = SQLTokenizer.tokens(of: self)
    let end = tokens.firstIndex { $0.isSymbol(";") } ?? tokens.endIndex
    guard end > 0 else { return "" }
    return String(self[tokens[0].range.lowerBound..<tokens[end - 1].range.upperBound])
  }

  /// Without the comments before it and the semicolon behind it.
  fileprivate var trimmed: String {
    let tokens = SQLTokenizer.tokens(of: self)
    guard let first = tokens.first, let last = tokens.last(where: { !$0.isSymbol(";") }) else {
      return self
    }
    return String(self[first.range.lowerBound..<last.range.upperBound])
  }
}
