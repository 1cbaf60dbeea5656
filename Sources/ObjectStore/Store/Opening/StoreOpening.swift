// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Opens a file, makes the tables that a new one needs, and compares those of an existing one with
/// the model.
struct StoreOpening {
  let path: String
  let model: ManagedObjectModel
  let options: StoreOptions

  /// What was found, or made.
  struct Result {
    /// Nil for a read-only store.
    var writer: PooledConnection?
    var readerMode: Connection.Mode
    var uuid: String
    var journalMode: String
    var pageSize: Int64
    /// What was done to the file because the model had changed.
    var migrationSteps: [String] = []
    var tracksHistory = false
    let externalData: ExternalDataFolder
  }

  func open() throws -> Result {
    do {
      return options.isReadOnly ? try openReadOnly() : try openReadWrite()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path, waited: options.busyTimeout)
    }
  }

  private func connect(_ mode: Connection.Mode) throws(SQLiteError) -> PooledConnection {
    try PooledConnection(
      path: path, mode: mode, options: options, entityCount: model.entities.count)
  }

  private func openReadWrite() throws -> Result {
    let writer = try connect(.create)
    let connection = writer.connection
    let tables = try tableNames(connection)
    if tables.isEmpty {
      try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2")
    } else if !tables.contains("Z_METADATA") {
      throw StoreError.notAStore(path: path, tables: tables)
    }
    let journalMode = try text(connection, "PRAGMA journal_mode = WAL")
    // The log is synced at checkpoints: a power cut may lose the last saves, never the file.
    try connection.execute("PRAGMA synchronous = NORMAL")
    if options.maximumPageCount > 0 {
      try connection.execute("PRAGMA max_page_count = \(options.maximumPageCount)")
    }
    let folder = ExternalDataFolder(store: path)
    try connection.execute("BEGIN EXCLUSIVE")
    let externalData = ExternalDataTransaction(folder)
    var isCommitting = false
    do {
      if try tableNames(connection).isEmpty { try create(connection) }
      let (uuid, steps) = try adopt(connection, externalData)
      try updateIndexes(connection)
      var tracksHistory = try HistorySchema.exists(in: connection)
      if options.tracksHistory, !tracksHistory {
        try HistorySchema.create(in: connection)
        tracksHistory = true
      }
      // Nothing is asked of the file behind the commit, so that an opening that fails has changed
      // nothing: who writes from then on is noticed, and which files are used no more.
      _ = try writer.sawForeignWrites()
      let pageSize = try integer(connection, "PRAGMA page_size")
      try folder.replaced.watch(model, on: connection)
      let sweeps = model.allowsExternalData || !steps.isEmpty
      if sweeps { folder.doubtful.insert(try folder.orphans(in: connection)) }
      try externalData.willCommit(connection)
      isCommitting = true
      try connection.execute("COMMIT")
      externalData.didCommit()
      return Result(
        writer: writer, readerMode: .readOnly, uuid: uuid, journalMode: journalMode,
        pageSize: pageSize, migrationSteps: steps, tracksHistory: tracksHistory,
        externalData: folder)
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      if isCommitting {
        externalData.commitDidFail(connection)
      } else {
        externalData.didRollBack()
      }
      throw error
    }
  }

  private func openReadOnly() throws -> Result {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError.cannotOpen(path: path, reason: "no such file")
    }
    do {
      return try openReadOnly(.readOnly)
    } catch let error as SQLiteError where error.code == 14 || error.code == 8 {
      // A store in WAL mode on a read-only disk: without a log, the file alone is the whole truth.
      guard !FileManager.default.fileExists(atPath: path + "-wal") else { throw error }
      return try openReadOnly(.immutable)
    }
  }

  private func openReadOnly(_ mode: Connection.Mode) throws -> Result {
    let connection = try connect(mode).connection
    let tables = try tableNames(connection)
    guard tables.contains("Z_METADATA") else {
      throw StoreError.notAStore(path: path, tables: tables)
    }
    return Result(
      writer: nil, readerMode: mode, uuid: try adopt(connection, nil).uuid,
      journalMode: try text(connection, "PRAGMA journal_mode"),
      pageSize: try integer(connection, "PRAGMA page_size"),
      tracksHistory: try HistorySchema.exists(in: connection),
      externalData: ExternalDataFolder(store: path))
  }

  // MARK: - A new file

  private func create(_ connection: Connection) throws {
    for sql in StoreSchema(model: model).statements { try connection.execute(sql) }
    for entity in model.entities {
      let statement = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
      statement.bind(entity.entityID, at: 1)
      statement.bind(entity.name, at: 2)
      statement.bind(entity.superentity?.entityID ?? 0, at: 3)
      try statement.run()
    }
    let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
    statement.bind(UUID().uuidString, at: 1)
    try StoreMetadata(model).data().withUnsafeBytes { statement.bind(blob: $0, at: 2) }
    try statement.run()
  }

  // MARK: - An existing file

  /// Takes over the file's UUID and entity numbers, and migrates its tables if the model has
  /// changed.
  ///
  /// - Parameter externalData: nil for a read-only store.
  private func adopt(
    _ connection: Connection, _ externalData: ExternalDataTransaction?
  ) throws -> (uuid: String, steps: [String]) {
    let uuid = try text(connection, "SELECT Z_UUID FROM Z_METADATA")
    let numbers = try EntityNumbers(model, in: connection)
    try model.renumber(numbers.ofModel, storeUUID: uuid)
    var metadata = try StoreMetadata(connection)
    let moved = try metadata.movedAttributes(model, in: connection)
    let differences =
      try SchemaComparison(model: model, entityIDs: numbers.inFile).differences(in: connection)
      + moved.map(\.difference)
    let changed = metadata.changedEntities(model)
    guard !differences.isEmpty || !changed.isEmpty || options.migrationPolicy == .exact else {
      return (uuid, [])
    }
    guard let externalData, options.migrationPolicy != .refuse else {
      guard differences.isEmpty else {
        throw StoreError.schemaMismatch(path: path, differences: differences)
      }
      return (uuid, [])
    }
    var migration = try StoreMigration(model, changed: changed, on: connection)
    try migration.migrateEntities(numbers)
    try migration.migrateTables()
    try migration.move(moved, externalData, threshold: options.externalDataThreshold)
    try migration.fillRequired()
    guard migration.obstacles.isEmpty else {
      throw StoreError.schemaMismatch(
        path: path,
        differences: differences + migration.obstacles.filter { !differences.contains($0) })
    }
    if options.migrationPolicy == .exact { try migration.dropTheRest(numbers) }
    if !migration.remarks.isEmpty || !changed.isEmpty {
      metadata.setModel(model)
      try metadata.write(to: connection)
    }
    return (uuid, migration.remarks)
  }

  /// An index with the same columns will do, whatever its name: Core Data's own have other ones.
  private func updateIndexes(_ connection: Connection) throws {
    for entity in model.roots {
      let present = try SchemaComparison.indexes(of: entity.table, in: connection)
      for index in entity.indexes where !present.values.contains(index.columns) {
        try connection.execute("DROP INDEX IF EXISTS \(index.name)")
        try connection.execute(StoreSchema.createIndex(index, on: entity.table))
      }
      guard options.indexPolicy == .exact else { continue }
      let declared = Set(entity.indexes.map(\.columns))
      for (name, columns) in present where !declared.contains(columns) {
        try connection.execute("DROP INDEX \(SchemaComparison.quoted(name))")
      }
    }
  }

  // MARK: - Single values

  private func tableNames(_ connection: Connection) throws(SQLiteError) -> [String] {
    let statement = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  private func text(_ connection: Connection, _ sql: String) throws(SQLiteError) -> String {
    let statement = try connection.prepare(sql)
    return try statement.step() ? statement.string(0) : ""
  }

  private func integer(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try connection.prepare(sql)
    return try statement.step() ? statement.int64(0) : 0
  }
}
