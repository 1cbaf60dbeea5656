// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

/// One transaction of a save, and its events.
struct SaveOperation {
  private let store: PersistentStore
  private let origin: SaveOrigin
  private var inserted: UInt64
  private var updated: UInt64
  private var deleted: UInt64
  private let location: SourceLocation
  private let interests: Interests
  private var saveID: UInt64 = 0
  private var statements: UInt64 = 0
  private var waitTime: Nanoseconds = 0
  private var writeTime: Nanoseconds = 0
  private var commitTime: Nanoseconds = 0
  /// Rows with derived attributes that the save has computed.
  private(set) var derived: [DerivedRowKeys] = []

  /// A save of that many objects; a batch learns how many while it runs.
  init(
    of store: PersistentStore, by origin: SaveOrigin, inserting inserted: Int = 0,
    updating updated: Int = 0, deleting deleted: Int = 0, location: SourceLocation
  ) {
    self.store = store
    self.origin = origin
    self.inserted = UInt64(max(inserted, 0))
    self.updated = UInt64(updated)
    self.deleted = UInt64(deleted)
    self.location = location
    interests = store.interests
  }

  private var isMeasured: Bool { interests.contains(.events) }

  /// Runs the writes within a transaction that is rolled back if they throw.
  mutating func run(_ writes: (inout SaveWriter) throws -> Void) throws {
    guard !store.isReadOnly else { throw StoreError.readOnly(path: store.path) }
    try measure { try $0.transaction(writes) }
  }

  /// Counts a save, and reports its begin and its end.
  mutating func measure(_ save: (inout SaveOperation) throws -> Void) throws {
    store.instruments.counters.countSave()
    guard isMeasured else { return try save(&self) }
    saveID = ProcessCounter.nextSaveID()
    let start = TraceClock.now
    emit(
      .saveBegin(
        SaveBegin(
          saveID: saveID, inserted: inserted, updated: updated, deleted: deleted,
          location: location)))
    do {
      try save(&self)
      reportEnd(start, error: "")
    } catch {
      reportEnd(start, error: "\(error)")
      throw error
    }
  }

  /// Runs the writes; observers are notified only of the transaction.
  mutating func transaction(_ writes: (inout SaveWriter) throws -> Void) throws {
    try commit(writes)
    for rows in derived { store.cache.evict(rows.keys, rows.tableIndex) }
    store.commits.send(())
  }

  private mutating func commit(_ writes: (inout SaveWriter) throws -> Void) throws {
    let start = isMeasured ? TraceClock.now : 0
    try store.pool.withWriter { pooled in
      let connection = pooled.connection
      var writer = SaveWriter(
        store: store, origin: origin, connection: connection, interests: interests)
      var (began, written) = (Nanoseconds(0), Nanoseconds(0))
      store.reportIO(contextID: origin.contextID)
      var io = store.recordsIO && isMeasured ? SaveIO(connection) : nil
      do {
        try writer.externalData.run(
          .exclusive, on: connection, execute: { try writer.execute($0) },
          willCommit: { io?.willCommit() }
        ) {
          began = isMeasured ? TraceClock.now : 0
          waitTime = began - start
          store.reportBusyWait(on: pooled, contextID: origin.contextID)
          _ = store.derivedRows.drain()
          pooled.triggeredRows.removeAll()
          try writes(&writer)
          try writer.writeDerivedColumns()
          writer.outcome.derived += pooled.triggeredRows.drain(store.model)
          try writer.writeHistory()
          written = isMeasured ? TraceClock.now : 0
          writeTime = written - began
        }
      } catch {
        let waited = isMeasured ? TraceClock.now - start : 0
        store.reportBusyWait(on: pooled, contextID: origin.contextID)
        statements = writer.statementCount
        if began > 0 { emitTransaction("rollback", began) }
        guard let error = error as? SQLiteError else { throw error }
        throw StoreError(
          error, path: store.path, waited: .nanoseconds(waited), model: store.model)
      }
      commitTime = isMeasured ? TraceClock.now - written : 0
      adopt(writer)
      io?.didCommit(
        commitIO(began), commit: commitTime, on: connection, of: store,
        contextID: origin.contextID)
      emitTransaction("commit", began)
      if interests.contains(.plans) {
        for sql in writer.explained { store.explain(sql, contextID: origin.contextID) }
      }
    }
  }

  private mutating func adopt(_ writer: borrowing SaveWriter) {
    statements = writer.statementCount
    derived = writer.outcome.derived
    guard let counts = writer.counts else { return }
    inserted = UInt64(counts.inserted)
    updated = UInt64(counts.updated)
    deleted = UInt64(counts.deleted)
  }

  private func emit(_ event: StoreEvent) {
    store.instruments.emit(event, contextID: origin.contextID)
  }

  private func emitTransaction(_ outcome: String, _ began: Nanoseconds) {
    guard isMeasured else { return }
    emit(
      .transaction(
        TransactionEnded(
          storeID: store.id, saveID: saveID, outcome: outcome, waitTime: waitTime,
          totalTime: TraceClock.now - began, transactionID: saveID, kind: "exclusive",
          writerTime: waitTime, statements: statements)))
  }

  private func commitIO(_ began: Nanoseconds) -> CommitIO {
    CommitIO(
      storeID: store.id, transactionID: saveID, saveID: saveID, waitTime: waitTime,
      totalTime: TraceClock.now - began + waitTime, changes: inserted + updated + deleted)
  }

  private func reportEnd(_ start: Nanoseconds, error: String) {
    emit(
      .saveEnd(
        SaveEnd(
          saveID: saveID, inserted: inserted, updated: updated, deleted: deleted,
          statements: statements, waitTime: waitTime, writeTime: writeTime,
          commitTime: commitTime, totalTime: TraceClock.now - start, location: location,
          error: error)))
  }
}

/// Who writes, for events and for the history.
struct SaveOrigin {
  let contextID: UInt64
  /// "" for a context without a name.
  var contextName = ""
  var author: String?
}
