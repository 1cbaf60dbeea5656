// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SQLiteDriver

/// Opens a file, makes the tables that a new one needs, and adapts an existing one to the model.
///
/// The file is read first. The lock that writers wait for is taken only for changes.
struct StoreOpening {
  let path: String
  let model: ManagedObjectModel
  var options: StoreOptions

  /// Thrown for a file of another library that the program does not open for writing.
  private struct GuestFile: Error {}

  /// The state that was found or created.
  struct Result {
    /// Nil for a read-only store.
    var writer: PooledConnection?
    var readerMode: Connection.Mode
    /// The identity of the file; nil for a store in memory.
    var file: FileIdentity?
    var uuid: String
    var journalMode: String
    var pageSize: Int64
    /// The changes of the file because of a changed model.
    var migrationSteps: [String] = []
    /// The columns of the history; nil for a store without history.
    var history: ChangedColumns?
    let externalData: ExternalDataFolder
    var derivedRows = DerivedRows()
  }

  func open() throws -> Result {
    guard options.encryptionKey == nil || Connection.canEncrypt else {
      throw StoreError.noEncryption(path: path)
    }
    if !options.isInMemory, let fault = FileFault(path, forWriting: options.isReadOnly != true) {
      throw StoreError.cannotOpen(path: path, reason: "\(fault)")
    }
    do {
      return options.isReadOnly == true ? try openReadOnly() : try openReadWrite()
    } catch is GuestFile {
      return try openGuest()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path, waited: options.busyTimeout)
    }
  }

  private func connect(_ mode: Connection.Mode) throws(SQLiteError) -> PooledConnection {
    try PooledConnection(
      path: path, mode: mode, options: options, entityCount: model.entities.count)
  }

  // MARK: - Read-write

  private func openGuest() throws -> Result {
    var opening = self
    opening.options.isReadOnly = true
    do { return try opening.open() } catch StoreError.incompatibleModel(let path, let differences) {
      let hint = "a file of Core Data is adapted only where StoreOptions.isReadOnly is false"
      throw StoreError.incompatibleModel(path: path, differences: differences + [hint])
    }
  }

  private func openReadWrite() throws -> Result {
    do { try checkAccess() } catch {
      if options.isReadOnly == nil { try checkReadOnly() }
      throw error
    }
    // To close a connection that may write moves a log into the file, even if the model is refused.
    if hasLog { try checkReadOnly() }
    let writer = try connect(.create)
    let connection = writer.connection
    let folder = ExternalDataFolder(store: path)
    let fit = try reading(connection) { try findFit(connection) }
    if fit == nil { try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2") }
    var journalMode = try text(connection, "PRAGMA journal_mode")
    if journalMode != "wal" {
      journalMode = try text(connection, "PRAGMA journal_mode = WAL")
    }
    // The log is synced at checkpoints: a power cut may lose the last saves, never the file.
    try connection.execute("PRAGMA synchronous = NORMAL")
    if options.maximumPageCount > 0 {
      try connection.execute("PRAGMA max_page_count = \(options.maximumPageCount)")
    }
    if let fit, !mustWrite(fit) {
      let derivedRows = try reading(connection) {
        _ = try writer.sawForeignWrites()
        try folder.replaced.watch(model, on: connection)
        return try DerivedRows(model, on: connection)
      }
      try writer.withoutWaiting { try tidy(connection, fit, folder) }
      return Result(
        writer: writer, readerMode: .readOnly, file: connection.fileIdentity, uuid: fit.uuid,
        journalMode: journalMode,
        pageSize: try integer(connection, "PRAGMA page_size"),
        history: fit.history, externalData: folder, derivedRows: derivedRows)
    }
    return try write(writer, journalMode, folder)
  }

  private var hasLog: Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// - Throws: ``StoreError/notWritable(path:reason:)``.
  private func checkAccess() throws {
    guard options.vfs == nil, access(path, F_OK) == 0 else { return }
    if access(path, W_OK) != 0 {
      throw StoreError.notWritable(path: path, reason: String(cString: strerror(errno)))
    }
    let file = realpath(path, nil)
    defer { free(file) }
    if let file, access(dirname(file), W_OK) != 0 {
      throw StoreError.notWritable(
        path: path, reason: "its folder cannot be written: " + String(cString: strerror(errno)))
    }
  }

  /// Refuses a file that does not fit the model, by a connection that changes neither the file nor
  /// its log.
  private func checkReadOnly() throws {
    let connection: Connection
    do {
      connection = try connect(.guarded).connection
      try connection.execute("SELECT 1 FROM sqlite_master")
    } catch {
      return
    }
    _ = try reading(connection) { try findFit(connection) }
  }

  /// Reads in one transaction, so that all reads see one snapshot.
  private func reading<R>(_ connection: Connection, _ body: () throws -> R) throws -> R {
    try connection.transaction(.deferred, body)
  }

  /// A store that was found, with the numbers and columns that the model now has.
  private struct Fit {
    let uuid: String
    let history: ChangedColumns?
    /// The required steps; nil if the seal shows that there are none.
    var plan: StorePlan?
    var seal: StoreSeal?
  }

  /// Nil for an empty file.
  private func findFit(_ connection: Connection) throws -> Fit? {
    let seal = try StoreSeal(connection)
    let isExact = options.migrationPolicy == .exact || options.indexPolicy == .exact
    if let seal, !isExact, try seal.fits(model) {
      return Fit(
        uuid: seal.uuid, history: seal.hasHistory ? try HistorySchema.columns(in: connection) : nil)
    }
    return try makePlan(connection).map {
      Fit(uuid: $0.file.uuid, history: $0.file.history, plan: $0, seal: seal)
    }
  }

  /// The required steps; nil for an empty file.
  private func makePlan(_ connection: Connection) throws -> StorePlan? {
    let file = try FileStructure(connection)
    guard !file.isEmpty else { return nil }
    guard file.isStore else {
      throw StoreError.notAStore(path: path, tables: file.tables.keys.sorted())
    }
    if options.isReadOnly == nil, file.metadata.isGuest { throw GuestFile() }
    let plan = try StorePlan(
      model, file, connection, externalDataThreshold: options.externalDataThreshold,
      mayAdapt: options.isReadOnly != true && options.migrationPolicy != .refuse)
    let refusal = refusal(of: plan)
    guard refusal.isEmpty else {
      throw StoreError.incompatibleModel(path: path, differences: refusal)
    }
    return plan
  }

  private func refusal(of plan: StorePlan) -> [String] {
    if options.isReadOnly == true { return plan.differences }
    switch options.migrationPolicy {
    case .refuse:
      let differences = plan.differences + plan.leftoverDifferences
      guard differences.isEmpty else { return differences }
      return plan.metadata.changedEntities(model).sorted().map {
        "\($0) is kept in another way than when the file was made"
      }
    case .automatic:
      let isUnaccounted = plan.changesStructure && !plan.unaccounted.isEmpty
      guard isUnaccounted || !plan.obstacles.isEmpty else { return [] }
      return (isUnaccounted ? plan.unaccounted : []) + plan.differences
    case .exact:
      guard plan.unaccounted.isEmpty, plan.obstacles.isEmpty else {
        return plan.unaccounted + plan.differences
      }
      return []
    }
  }

  /// Whether the file must be changed before it can be used.
  private func mustWrite(_ fit: Fit) -> Bool {
    if options.tracksHistory, fit.history == nil { return true }
    guard let plan = fit.plan else { return false }
    if options.migrationPolicy == .refuse { return hasMissingIndexes(plan) }
    return !plan.steps.isEmpty
      || (options.migrationPolicy == .exact && !plan.leftoverDifferences.isEmpty)
      || (options.indexPolicy == .exact && plan.hasOtherIndexes)
  }

  private func hasMissingIndexes(_ plan: StorePlan) -> Bool {
    plan.steps.contains { !$0.changesStructure }
      || (options.indexPolicy == .exact && plan.hasOtherIndexes)
  }

  // MARK: - With the write lock

  private func write(
    _ writer: PooledConnection, _ journalMode: String, _ folder: ExternalDataFolder
  ) throws -> Result {
    let connection = writer.connection
    let externalData = ExternalDataTransaction(folder)
    let result = try externalData.run(.exclusive, on: connection) {
      let (uuid, steps, leftovers) = try makeOrAdapt(connection, externalData)
      var history = try HistorySchema.columns(in: connection)
      if options.tracksHistory, history == nil {
        try HistorySchema.create(in: connection)
        history = .names
      }
      if let leftovers { try StoreSeal.write(model, leftovers, to: connection) }
      // The file is not read after the commit, so that an opening that fails has changed
      // nothing: later writes and unused files are noticed.
      _ = try writer.sawForeignWrites()
      let pageSize = try integer(connection, "PRAGMA page_size")
      try folder.replaced.watch(model, on: connection)
      let derivedRows = try DerivedRows(model, on: connection)
      return Result(
        writer: writer, readerMode: .readOnly, file: connection.fileIdentity, uuid: uuid,
        journalMode: journalMode,
        pageSize: pageSize, migrationSteps: steps, history: history,
        externalData: folder, derivedRows: derivedRows)
    }
    if model.allowsExternalData || !result.migrationSteps.isEmpty {
      tidyExternalData(connection, folder)
    }
    return result
  }

  /// - Returns: with the leftovers if the metadata were set to the model.
  private func makeOrAdapt(
    _ connection: Connection, _ externalData: ExternalDataTransaction
  ) throws -> (uuid: String, steps: [String], leftovers: [String]?) {
    // Another process may have written since the file was read.
    guard let plan = try makePlan(connection) else { return (try create(connection), [], []) }
    var migration = StoreMigration(model, externalData, on: connection)
    var leftovers: [String]?
    if options.migrationPolicy == .refuse {
      try migration.addIndexes()
      try migration.addSearchIndexes()
    } else {
      try migration.run(plan, isExact: options.migrationPolicy == .exact)
      guard migration.obstacles.isEmpty else {
        throw StoreError.incompatibleModel(
          path: path,
          differences: migration.obstacles
            + plan.differences.filter { !migration.obstacles.contains($0) })
      }
      var metadata = plan.metadata
      metadata.setModel(
        model, changesStructure: plan.changesStructure || options.migrationPolicy == .exact,
        leftovers: options.migrationPolicy == .exact ? [] : plan.recordedLeftovers)
      try metadata.write(to: connection)
      leftovers = options.migrationPolicy == .exact ? [] : plan.leftoverDifferences
    }
    if options.indexPolicy == .exact {
      try migration.dropOtherIndexes()
      try migration.dropOtherSearchIndexes()
    }
    return (plan.file.uuid, migration.remarks, leftovers)
  }

  /// Stores the model that the file fits, and cleans up the folder of external storage.
  ///
  /// Both can wait: nothing is done while another connection writes.
  private func tidy(
    _ connection: Connection, _ fit: Fit, _ folder: ExternalDataFolder
  ) throws {
    if model.allowsExternalData { tidyExternalData(connection, folder) }
    guard let plan = fit.plan, let seal = fit.seal, options.migrationPolicy != .refuse,
      plan.mustRecord || !seal.isValid(for: model, plan.leftoverDifferences)
    else { return }
    do {
      try ExternalDataTransaction(folder).run(.immediate, on: connection) {
        guard let now = try StoreSeal(connection), now.hasContents(of: seal) else { return }
        var metadata = plan.metadata
        metadata.setModel(
          model, changesStructure: false, leftovers: plan.recordedLeftovers)
        try metadata.write(to: connection)
        try StoreSeal.write(model, plan.leftoverDifferences, to: connection)
      }
    } catch let error as SQLiteError where error.isBusy {}
  }

  /// Needs no lock, and changes nothing in the file: a step that fails now is repeated at the next
  /// opening.
  private func tidyExternalData(_ connection: Connection, _ folder: ExternalDataFolder) {
    guard !options.isInMemory else { return }
    try? folder.tidy(
      connection, owner: ExternalDataFolder.owner(connection),
      gracePeriod: options.externalDataGracePeriod)
  }

  // MARK: - Read-only

  private func openReadOnly() throws -> Result {
    guard access(path, F_OK) == 0 else {
      throw StoreError.cannotOpen(path: path, reason: "no such file; check its path")
    }
    do {
      let connection = try connect(.guarded).connection
      return try reading(connection) {
        guard let fit = try findFit(connection) else {
          throw StoreError.notAStore(path: path, tables: [])
        }
        return Result(
          writer: nil, readerMode: .guarded, file: connection.fileIdentity, uuid: fit.uuid,
          journalMode: try text(connection, "PRAGMA journal_mode"),
          pageSize: try integer(connection, "PRAGMA page_size"),
          history: fit.history, externalData: ExternalDataFolder(store: path))
      }
    } catch let error as SQLiteError where error.isReadOnly {
      throw StoreError.cannotOpen(
        path: path,
        reason:
          "a program ended within a transaction, and its journal has to be rolled back; open it once for writing"
      )
    }
  }

  // MARK: - A new file

  /// - Returns: the store's UUID.
  private func create(_ connection: Connection) throws -> String {
    let uuid = UUID().uuidString
    try model.renumber([:], storeUUID: uuid)
    for sql in StoreSchema(model: model).statements { try connection.execute(sql) }
    for entity in model.entities {
      let statement = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
      statement.bind(entity.entityID, at: 1)
      statement.bind(entity.name, at: 2)
      statement.bind(entity.superentity?.entityID ?? 0, at: 3)
      try statement.run()
    }
    let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
    statement.bind(uuid, at: 1)
    try StoreMetadata(model).data().withUnsafeBytes { statement.bind(blob: $0, at: 2) }
    try statement.run()
    return uuid
  }

  // MARK: - Single values

  private func text(_ connection: Connection, _ sql: String) throws(SQLiteError) -> String {
    let statement = try connection.prepare(sql)
    return try statement.step() ? statement.string(0) : ""
  }

  private func integer(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try connection.prepare(sql)
    return try statement.step() ? statement.int64(0) : 0
  }
}
