// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments
import Synchronization

/// One open file: its connections, its row cache and its instruments, shared by all contexts.
final class PersistentStore: @unchecked Sendable {
  let id = ProcessCounter.nextStoreID()
  let path: String
  let model: ManagedObjectModel
  let uuid: String
  /// The changes that opening made to the file because the model had changed.
  let migrationSteps: [String]
  /// The columns of the history; nil for a store without history.
  let history: ChangedColumns?
  var tracksHistory: Bool { history != nil }
  let cache: RowCache
  let instruments: Instruments
  let pool: ConnectionPool
  let statements: [EntityStatements]
  let templates: SelectTemplates
  let isReadOnly: Bool
  let isInMemory: Bool
  /// Whether values of statements are recorded.
  let recordsValues: Bool
  /// Whether reads, writes and syncs of files are recorded.
  let recordsIO: Bool
  let externalData: ExternalDataFolder
  let derivedRows: DerivedRows
  /// Data of more bytes goes to a file, if its attribute allows that.
  let externalDataThreshold: Int
  /// Sends after each commit of a save or of a batch.
  let commits = Broadcaster<Void>()
  /// The locale of the localized comparators.
  let locale: String
  private let writeAheadLog: WriteAheadLogSize?
  private let explained = Mutex<Set<String>>([])

  // SQLite's own default: a longer log slows down readers.
  private static let checkpointFrames = 1000

  init(
    path: String, model: ManagedObjectModel, options: StoreOptions, instruments: Instruments
  ) throws {
    var options = options
    options.recordsIO = options.recordsIO || instruments.recordsIO
    let opened = try StoreOpening(path: path, model: model, options: options).open()
    self.path = path
    self.model = model
    self.instruments = instruments
    uuid = opened.uuid
    migrationSteps = opened.migrationSteps
    history = opened.history
    externalData = opened.externalData
    derivedRows = opened.derivedRows
    externalDataThreshold = options.externalDataThreshold
    isReadOnly = opened.writer == nil
    isInMemory = options.isInMemory
    recordsValues = options.recordsValues || instruments.recordsValues
    recordsIO = options.recordsIO
    locale = options.collationLocale
    cache = RowCache(entityCount: model.entities.count, byteLimit: options.rowCacheSize)
    statements = model.entities.map(EntityStatements.init)
    templates = SelectTemplates(entityCount: model.entities.count)
    writeAheadLog = opened.writer?.connection.followWriteAheadLog()
    let entityCount = model.entities.count
    let (mode, file) = (opened.readerMode, opened.file)
    pool = ConnectionPool(
      path: path, writer: opened.writer, readerCount: options.readerCount
    ) { [options] () throws(SQLiteError) in
      // Otherwise rows of another file would be cached as rows of this one.
      guard file == FileIdentity(path) else { throw .moved }
      let reader = try PooledConnection(
        path: path, mode: mode, options: options, entityCount: entityCount)
      guard file == reader.connection.fileIdentity else { throw .moved }
      return reader
    }
    instruments.emit(
      .storeOpened(
        StoreOpened(
          storeID: id, path: path, journalMode: opened.journalMode,
          pageSize: UInt64(opened.pageSize), sqliteVersion: Connection.libraryVersion,
          processStart: ProcessStart.time, processName: ProcessName.current)), contextID: 0)
    for step in migrationSteps { instruments.annotate("migrating: \(step)", contextID: 0) }
  }

  deinit { close() }

  /// Moves the log into the file and emits the last counts.
  func close() {
    // Beside a writer it is left to the last connection to close.
    if writeAheadLog != nil { try? checkpoint(.truncate, contextID: 0, mayWait: false) }
    guard pool.close() else { return }
    commits.finish()
    reportIO(contextID: 0)
    instruments.emitCounters(contextID: 0)
  }

  // MARK: - Writes beside saves

  /// Runs statements on the connection that writes, in a transaction.
  func write<R>(
    _ kind: Connection.TransactionKind, _ body: (Connection) throws -> R
  ) throws -> R {
    do {
      return try pool.withWriter { writer in
        try writer.connection.transaction(kind) {
          let result = try body(writer.connection)
          try writer.connection.checkFile()
          return result
        }
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  // MARK: - Writes by others

  /// Discards the cached rows if another program, or another container, has written to the file.
  ///
  /// Checked on the writing connection, whose own commits do not count; it waits for a save.
  func noticeForeignWrites() throws {
    do {
      if isReadOnly {
        let reader = try pool.acquireReader()
        defer { pool.release(reader) }
        if try reader.sawForeignWrites() { cache.removeAll() }
      } else {
        try pool.withWriter { if try $0.sawForeignWrites() { cache.removeAll() } }
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  // MARK: - Without counts of references

  @inline(__always)
  func retainedRow(
    _ table: Int, _ primaryKey: Int64, _ isUnknown: inout Bool
  ) -> RowPointer? {
    Unmanaged.passUnretained(cache)._withUnsafeGuaranteedRef {
      $0.retainedRow(table, primaryKey, &isUnknown)
    }
  }

  func cachedRow(_ table: Int, _ primaryKey: Int64) -> RowSnapshot? {
    Unmanaged.passUnretained(cache)._withUnsafeGuaranteedRef { $0.row(table, primaryKey) }
  }

  func keep(_ page: RowPage, _ entity: EntityDescription, readIn epoch: UInt64) {
    Unmanaged.passUnretained(cache)._withUnsafeGuaranteedRef {
      $0.insert(page, entity.index, readIn: epoch)
    }
  }

  /// The events that an observer currently wants to receive.
  @inline(__always)
  var interests: Interests {
    Unmanaged.passUnretained(instruments)._withUnsafeGuaranteedRef { $0.interests }
  }

  /// Whether no observer currently wants any event.
  @inline(__always)
  var isUnwatched: Bool { interests.isEmpty }

  @inline(__always)
  func count(_ body: (Counters) -> Void) {
    Unmanaged.passUnretained(instruments)._withUnsafeGuaranteedRef { body($0.counters) }
  }

  // MARK: - Instruments

  /// Reports the plan of a statement that runs for the first time in this store.
  func explain(_ sql: String, contextID: UInt64) {
    guard explained.withLock({ $0.insert(sql).inserted }),
      let reader = try? pool.acquireReader()
    else { return }
    defer { pool.release(reader) }
    guard let plan = try? reader.connection.plan(sql) else { return }
    instruments.didExplain(
      sql: sql,
      plan: plan.map {
        PlanLine(id: $0.id, parent: $0.parent, detail: $0.detail, isTableScan: $0.isTableScan)
      }, contextID: contextID)
  }

  func reportBusyWait(on connection: PooledConnection, contextID: UInt64) {
    if let wait = connection.takeBusyWait(storeID: id) {
      instruments.emit(.busy(wait), contextID: contextID)
    }
  }

  // MARK: - Checkpoints

  /// Moves the write-ahead log into the file once it has grown long.
  func checkpointIfNeeded(contextID: UInt64) {
    guard let writeAheadLog, writeAheadLog.frames >= Self.checkpointFrames else { return }
    // A checkpoint that fails loses nothing: the next one does its work.
    try? checkpoint(.passive, contextID: contextID)
  }

  /// - Parameter mayWait: whether it waits for other connections, or fails at once.
  func checkpoint(
    _ mode: Connection.CheckpointMode, contextID: UInt64, mayWait: Bool = true
  ) throws {
    try pool.withWriter { writer in
      let isWanted = instruments.wants(.events)
      let start = isWanted ? TraceClock.now : 0
      var result = (logFrames: 0, checkpointedFrames: 0)
      if mayWait {
        result = try writer.connection.checkpoint(mode)
      } else {
        try writer.withoutWaiting { result = try writer.connection.checkpoint(mode) }
      }
      let (frames, done) = result
      guard isWanted else { return }
      reportBusyWait(on: writer, contextID: contextID)
      reportIO(contextID: contextID)
      instruments.emit(
        .checkpoint(
          CheckpointDone(
            storeID: id, mode: mode.rawValue, logFrames: UInt64(max(frames, 0)),
            checkpointedFrames: UInt64(max(done, 0)), totalTime: TraceClock.now - start)),
        contextID: contextID)
    }
  }
}
