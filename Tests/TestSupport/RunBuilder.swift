// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Writes the events of a run by hand; ids and timestamps count up by themselves.
public struct RunBuilder {
  public var process = ProcessIdentity(id: 2367, name: "transit")
  public var records: [EventRecord] = []
  private var nextFetch: UInt64 = 1

  public mutating func append(_ event: StoreEvent, thread: Int64 = 1) {
    records.append(
      EventRecord(
        timestamp: Int64(records.count) * 1000, process: process, threadID: thread, contextID: 1,
        event: event))
  }

  public mutating func open(path: String = "transit.sqlite", start: Nanoseconds = 1) {
    append(
      .storeOpened(
        StoreOpened(
          storeID: 1, path: path, journalMode: "wal", pageSize: 4096, sqliteVersion: "3.40.1",
          processStart: start, processName: process.name)))
  }

  public mutating func announce(_ sql: String) {
    append(
      .statement(StatementAnnounced(storeID: 1, statementID: StatementID(sql: sql), sql: sql)))
  }

  @discardableResult
  public mutating func begin(
    _ entity: String = "Stop", parent: UInt64 = 0, at location: SourceLocation = .search,
    thread: Int64 = 1
  ) -> UInt64 {
    defer { nextFetch += 1 }
    append(
      .fetchBegin(
        FetchBegin(fetchID: nextFetch, parentID: parent, entity: entity, location: location)),
      thread: thread)
    return nextFetch
  }

  public mutating func end(
    _ id: UInt64, _ sql: String, entity: String = "Stop", kind: FetchKind = .objects,
    parent: UInt64 = 0, rows: UInt64 = 1, connection: Nanoseconds = 800,
    total: Nanoseconds = 1000, vmSteps: UInt64 = 10, fullScanSteps: UInt64 = 0,
    sorts: UInt64 = 0, autoIndexRows: UInt64 = 0, limit: UInt64 = 0, offset: UInt64 = 0,
    batchSize: UInt64 = 0, bindHash: UInt64 = 0, wait: Nanoseconds = 0, error: String = "",
    thread: Int64 = 1
  ) {
    append(
      .fetchEnd(
        FetchEnd(
          fetchID: id, parentID: parent, entity: entity, kind: kind,
          statementID: StatementID(sql: sql), bindHash: bindHash, waitTime: wait, prepareTime: 0,
          stepTime: connection, materializeTime: 0, connectionTime: connection, totalTime: total,
          rows: rows,
          counters: StatementCounters(
            vmSteps: vmSteps, fullScanSteps: fullScanSteps, sorts: sorts,
            autoIndexRows: autoIndexRows), limit: limit, offset: offset, batchSize: batchSize,
          error: error)), thread: thread)
  }

  /// A whole fetch, its statement announced.
  @discardableResult
  public mutating func fetch(
    _ sql: String, entity: String = "Stop", kind: FetchKind = .objects, parent: UInt64 = 0,
    at location: SourceLocation = .search, rows: UInt64 = 1, connection: Nanoseconds = 800,
    total: Nanoseconds = 1000, vmSteps: UInt64 = 10, fullScanSteps: UInt64 = 0,
    sorts: UInt64 = 0, autoIndexRows: UInt64 = 0, limit: UInt64 = 0, offset: UInt64 = 0,
    batchSize: UInt64 = 0, bindHash: UInt64 = 0, wait: Nanoseconds = 0
  ) -> UInt64 {
    announce(sql)
    let id = begin(entity, parent: parent, at: location)
    end(
      id, sql, entity: entity, kind: kind, parent: parent, rows: rows, connection: connection,
      total: total, vmSteps: vmSteps, fullScanSteps: fullScanSteps, sorts: sorts,
      autoIndexRows: autoIndexRows, limit: limit, offset: offset, batchSize: batchSize,
      bindHash: bindHash, wait: wait)
    return id
  }

  /// A fault, and the miss behind it if the database was queried.
  public mutating func fault(
    _ entity: String = "Stop", relationship: String = "", pk: Int64 = 1,
    source: FaultSource = .database, origin: UInt64 = 1, at location: SourceLocation = .search,
    rows: UInt64 = 1, duration: Nanoseconds = 5000, fullScanSteps: UInt64 = 0, thread: Int64 = 1
  ) {
    if source == .database {
      append(
        .cacheMiss(
          CacheMiss(
            entity: entity, pk: pk, relationship: relationship, duration: duration,
            statementID: StatementID(sql: Self.faultSQL), vmSteps: 12,
            fullScanSteps: fullScanSteps, originFetchID: origin)), thread: thread)
    }
    append(
      .fault(
        FaultFired(
          entity: entity, pk: pk, relationship: relationship, source: source, duration: duration,
          rows: rows, originFetchID: origin, origin: location)), thread: thread)
  }

  public static let faultSQL = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.Z_PK = ?"

  public mutating func save(
    inserted: UInt64 = 1, updated: UInt64 = 2, deleted: UInt64 = 3, wait: Nanoseconds = 1000,
    write: Nanoseconds = 5000, commit: Nanoseconds = 3000, total: Nanoseconds? = nil,
    error: String = "", thread: Int64 = 1
  ) {
    append(
      .saveEnd(
        SaveEnd(
          saveID: 1, inserted: inserted, updated: updated, deleted: deleted, statements: 8,
          waitTime: wait, writeTime: write, commitTime: commit,
          totalTime: total ?? wait + write + commit, location: .search, error: error)),
      thread: thread)
  }

  public mutating func commit() {
    append(
      .transaction(
        TransactionEnded(storeID: 1, saveID: 1, outcome: "commit", waitTime: 0, totalTime: 0)))
  }

  public mutating func checkpoint(
    _ done: UInt64, of frames: UInt64, time: Nanoseconds = 3_000_000
  ) {
    append(
      .checkpoint(
        CheckpointDone(
          storeID: 1, mode: "passive", logFrames: frames, checkpointedFrames: done,
          totalTime: time)))
  }

  public mutating func busy(_ time: Nanoseconds, gaveUp: Bool = false) {
    append(
      .busy(BusyWaited(storeID: 1, attempts: 3, waitTime: time, gaveUp: gaveUp ? 1 : 0)))
  }

  /// The counters of a store that emitted all of the events so far, and some that went missing.
  public mutating func close(missing: UInt64 = 0, tracingTime: Nanoseconds = 0) {
    let emitted = records.filter {
      $0.event.kind != .statement && $0.event.kind != .caller && $0.process == process
    }.count
    append(
      .counters(
        CountersSampled(
          storeID: 1, fetches: 0, faults: 0, cacheHits: 0, cacheMisses: 0, saves: 0,
          events: UInt64(emitted) + missing, tracingTime: tracingTime)))
  }

  public init(_ write: (inout RunBuilder) -> Void = { _ in }) { write(&self) }
}

extension SourceLocation {
  public static let search = SourceLocation(file: "transit/Search.swift", line: 42)
}
