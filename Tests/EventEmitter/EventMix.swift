// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments
import TestSupport

/// Emits the events of a busy program's store, as fast as it can, for traces and logs of any
/// length.
///
///     STORE_SQL_DEBUG=1 STORE_SQL_DEBUG_FILE=log event-emitter mix 10000000
///     trace-report record --lossless -o trace -- event-emitter mix 10000000
///
/// A turn is a fetch of twelve events: begin and end, six cached faults, two cache misses with
/// their faults. Every eighth turn a save of three events follows. Announcements of statements and
/// samples of counters come on top. The same count emits the same events but for their times.
struct EventMix {
  private let instruments: Instruments
  private var generator = SeededGenerator(seed: 1)
  private var fetchID: UInt64 = 0
  private var saveID: UInt64 = 0
  private var emitted: UInt64 = 0

  private static let storeID: UInt64 = 1
  private static let contexts: UInt64 = 4
  private static let entities = ["Stop", "StopTime", "SearchTerm", "Route"]
  /// SQL texts with their ids; as many as a program of some size has.
  private static let fetches = statements(64) { number, table in
    """
    SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME FROM \
    \(table) t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ?)  LIMIT \(number + 100)
    """
  }
  private static let misses = statements(entities.count) { _, table in
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZNAME FROM \(table) t0 WHERE  t0.Z_PK = ? "
  }

  private static func statements(
    _ count: Int, _ text: (Int, String) -> String
  ) -> [(sql: String, id: StatementID)] {
    (0..<count).map { number in
      let sql = text(number, "Z" + entities[number % entities.count].uppercased())
      return (sql, StatementID(sql: sql))
    }
  }

  init(_ instruments: Instruments) { self.instruments = instruments }

  /// Emits at least so many events, to the end of a turn.
  mutating func emit(_ count: UInt64) {
    open()
    while emitted < count {
      fetch()
      if fetchID.isMultiple(of: 8) { save() }
    }
    instruments.emitCounters(contextID: 0)
  }

  private mutating func tell(_ event: StoreEvent) {
    instruments.emit(event, contextID: 1 + fetchID % Self.contexts)
    emitted += 1
  }

  private mutating func open() {
    tell(
      .storeOpened(
        StoreOpened(
          storeID: Self.storeID, path: "/var/lib/mix.sqlite", journalMode: "wal", pageSize: 4096,
          sqliteVersion: "3.40.1", processStart: TraceClock.now, processName: "event-emitter")))
    for context in 1...Self.contexts {
      instruments.emit(
        .contextCreated(
          ContextCreated(storeID: Self.storeID, parentID: 0, queue: "private", contextName: "")),
        contextID: context)
    }
    emitted += Self.contexts
  }

  private mutating func fetch() {
    fetchID += 1
    instruments.counters.countFetch()
    let number = Int(fetchID) % Self.fetches.count
    let statement = Self.fetches[number]
    let entity = Self.entities[number % Self.entities.count]
    let location = SourceLocation(file: "mix/Search.swift", line: 20 + UInt64(number) % 16)
    let contextID = 1 + fetchID % Self.contexts
    tell(
      .fetchBegin(FetchBegin(fetchID: fetchID, parentID: 0, entity: entity, location: location)))
    use(statement, [.real(13.41), .real(13.43)], contextID)
    let step = 20_000 + Int64(generator.next() % 60_000)
    let prepare = 500 + Int64(generator.next() % 2_000)
    tell(
      .fetchEnd(
        FetchEnd(
          fetchID: fetchID, parentID: 0, entity: entity, kind: .objects, statementID: statement.id,
          bindHash: generator.next(), waitTime: 200, prepareTime: prepare, stepTime: step,
          materializeTime: step / 8, connectionTime: prepare + step,
          totalTime: prepare + step + step / 8 + 900, rows: 8,
          counters: StatementCounters(vmSteps: UInt64(step / 60)), limit: 200, offset: 0,
          batchSize: 0,
          error: "")))
    for row: UInt64 in 0..<8 { fault(row, entity, location, contextID) }
  }

  /// The first six rows are in the row cache, the others are not.
  private mutating func fault(
    _ row: UInt64, _ entity: String, _ location: SourceLocation, _ contextID: UInt64
  ) {
    let primaryKey = Int64(fetchID % 100_000 * 8 + row + 1)
    let duration = Int64(100 + generator.next() % 400)
    let isMiss = row >= 6
    if isMiss {
      instruments.counters.countFault()
      instruments.counters.countCacheMiss()
      let statement = Self.misses[Int(fetchID) % Self.entities.count]
      use(statement, [.integer(primaryKey)], contextID)
      tell(
        .cacheMiss(
          CacheMiss(
            entity: entity, pk: primaryKey, relationship: "", duration: duration * 10,
            statementID: statement.id, vmSteps: 12, fullScanSteps: 0, originFetchID: fetchID)))
    } else {
      instruments.counters.countCacheHit()
    }
    tell(
      .fault(
        FaultFired(
          entity: entity, pk: primaryKey, relationship: "", source: isMiss ? .database : .rowCache,
          duration: isMiss ? duration * 11 : duration, rows: 1, originFetchID: fetchID,
          origin: location)))
  }

  private mutating func save() {
    saveID += 1
    instruments.counters.countSave()
    let location = SourceLocation(file: "mix/Editing.swift", line: 77)
    let write = 40_000 + Int64(generator.next() % 40_000)
    tell(
      .saveBegin(
        SaveBegin(saveID: saveID, inserted: 2, updated: 1, deleted: 0, location: location)))
    tell(
      .transaction(
        TransactionEnded(
          storeID: Self.storeID, saveID: saveID, outcome: "commit", waitTime: 300,
          totalTime: write + 30_000)))
    tell(
      .saveEnd(
        SaveEnd(
          saveID: saveID, inserted: 2, updated: 1, deleted: 0, statements: 5, waitTime: 300,
          writeTime: write, commitTime: 30_000, totalTime: write + 31_000, location: location,
          error: "")))
  }

  private func use(
    _ statement: (sql: String, id: StatementID), _ bindings: [BoundValue], _ contextID: UInt64
  ) {
    instruments.announce(
      statement.sql, id: statement.id, storeID: Self.storeID, contextID: contextID)
    instruments.willRun(sql: statement.sql, bindings: bindings, contextID: contextID)
  }
}
