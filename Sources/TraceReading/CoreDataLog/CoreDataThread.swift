// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The fetches, faults and saves of one thread of a Core Data log.
///
/// The line after a fetch tells what it was, and prefetches stand inside the fetch they serve:
///
///     sql: SELECT … FROM ZNOTE t0            open
///     annotation: sql connection fetch time  open, may nest
///       sql: SELECT … FROM ZATTACHMENT t0    open within it
///       annotation: total fetch …            completed
///       annotation: Prefetching with key …   given as a prefetch
///     annotation: total fetch …              completed
///     annotation: fault fulfilled …          given as a fault; any other line: as a fetch
final class CoreDataThread {
  private let process: CoreDataProcess
  private let threadID: Int64
  private let clock: CoreDataClock
  private var sql: (text: String, time: Nanoseconds)?
  private var open: [CoreDataFetch] = []
  private var completed: CoreDataFetch?
  private var transactions = CoreDataTransactions()
  private var store: StoreOpened?
  private var lastFetchID: UInt64 = 0
  /// Events that are ready to be given.
  var records: [EventRecord] = []
  /// Fetches that began while another one was in SQLite: another thread's, without its number.
  private(set) var interleaved: UInt64 = 0

  // 64 and 1,024 are arbitrary: fetches without an end, and prefetches of one fetch.
  private static let mostOpen = 64
  private static let mostHeld = 1024

  init(_ process: CoreDataProcess, threadID: Int64, clock: CoreDataClock) {
    self.process = process
    self.threadID = threadID
    self.clock = clock
  }

  // MARK: - Lines

  func read(sql text: String) {
    settle()
    sql = (text, clock.now)
  }

  /// Adds what a wrapped line holds of the statement.
  func read(continuation text: String) {
    guard let begun = sql else { return }
    let isSpaced = begun.text.last == " " || text.first == " "
    sql?.text = begun.text + (isSpaced ? "" : " ") + text
  }

  func read(bind text: UnsafeRawBufferPointer) {
    start()
    if !open.isEmpty, !transactions.isOpen { open[open.count - 1].bind(text) }
  }

  /// Takes the message of an error of SQLite's; false if nothing was running.
  func read(error: String) {
    start()
    guard var fetch = open.popLast() else { return transactions.fail(error) }
    fetch.error = error
    fetch.end = clock.now
    give(fetch)
  }

  /// Takes an annotation; false if it tells of something that the log does not hold.
  func read(_ annotation: CoreDataAnnotation) -> Bool {
    start()
    switch annotation {
    case .connectionTime(let time):
      guard let index = open.lastIndex(where: { $0.connectionTime == nil }) else { return false }
      open[index].connectionTime = time
    case .fetchTime(let time, let rows):
      let index = open.lastIndex { $0.connectionTime != nil } ?? open.indices.last
      return complete(index, time, rows: rows)
    case .countTime(let time, let count):
      return complete(open.lastIndex { $0.kind == .count }, time, rows: count)
    case .fetched(let entity, _): name(entity)
    case .faultFulfilled(let object):
      return giveFault(object.entity, pk: object.pk, relationship: "")
    case .toManyFaultFulfilled(let name, let object, _):
      return giveFault(object.entity, pk: object.pk, relationship: name)
    case .prefetched:
      guard var fetch = completed else { return false }
      completed = nil
      fetch.kind = .prefetch
      give(fetch)
    case .connecting(let path):
      settle()
      openStore()
      store = StoreOpened(
        storeID: StatementID(sql: path).rawValue, path: path, journalMode: "", pageSize: 0,
        sqliteVersion: "", processStart: 0,
        processName: process.identity.name)
    case .checkpoint:
      settle()
      let done = CheckpointDone(
        storeID: 0, mode: "truncate", logFrames: 0, checkpointedFrames: 0, totalTime: 0)
      give([(clock.now, .checkpoint(done))])
    case .executionTime, .countRequest, .boundArray, .maintenance: break
    }
    return true
  }

  /// Gives what is still held; a fetch without its end has only its beginning.
  func finish() {
    settle()
    openStore()
    while !open.isEmpty { abandonOldest() }
  }

  // MARK: - Statements

  private func settle() {
    start()
    if let fetch = completed {
      completed = nil
      give(fetch)
    }
  }

  private func start() {
    guard let (line, time) = sql else { return }
    sql = nil
    let sql = process.sql(line)
    switch sql.statement {
    case .fetch(let kind, let table): begin(sql, kind, table, at: time)
    case .begin:
      openStore()
      transactions.begin(at: time)
    case .commit, .rollback:
      give(transactions.end(isCommit: sql.statement == .commit, process: process, clock: clock))
    case .housekeeping where sql.text.hasPrefix("pragma journal_mode="):
      store?.journalMode = sql.text.dropFirst("pragma journal_mode=".count).lowercased()
    default: transactions.run(sql.statement, at: time)
    }
  }

  private func begin(_ sql: CoreDataSQL, _ kind: FetchKind, _ table: String, at time: Nanoseconds) {
    openStore()
    if let last = open.last, last.connectionTime == nil { interleaved += 1 }
    if open.count >= Self.mostOpen { abandonOldest() }
    let outer = open.last { $0.connectionTime != nil }
    open.append(
      CoreDataFetch(
        id: process.nextFetchID(), parentID: outer?.id ?? 0, sql: sql, table: table, kind: kind,
        entity: process.entity(ofTable: table), begin: time, end: time))
  }

  private func name(_ entity: String) {
    guard let index = open.lastIndex(where: { $0.connectionTime != nil }) else { return }
    process.learn(entity, table: open[index].table)
    open[index].entity = entity
  }

  private func complete(_ index: Int?, _ time: Nanoseconds, rows: UInt64) -> Bool {
    guard let index else { return false }
    if let fetch = completed { give(fetch) }
    var fetch = open.remove(at: index)
    clock.advance(to: fetch.begin + time)
    fetch.totalTime = time
    fetch.rows = rows
    fetch.end = clock.now
    completed = fetch
    return true
  }

  private func openStore() {
    guard let store else { return }
    self.store = nil
    give([(clock.now, .storeOpened(store))])
  }

  // MARK: - Events

  private func give(_ events: [(Nanoseconds, StoreEvent)]) {
    records += events.map { record($1, at: $0) }
  }

  private func give(_ fetch: CoreDataFetch) {
    let end = record(.fetchEnd(fetch.ending), at: fetch.end)
    hold(beginning(of: fetch) + fetch.held + [end], within: fetch.parentID)
    if fetch.parentID == 0 { lastFetchID = fetch.id }
  }

  private func beginning(of fetch: CoreDataFetch) -> [EventRecord] {
    guard !fetch.hasBegun else { return [] }
    return announcement(of: fetch) + [record(.fetchBegin(fetch.beginning), at: fetch.begin)]
  }

  private func announcement(of fetch: CoreDataFetch) -> [EventRecord] {
    guard process.announces(fetch.statementID) else { return [] }
    let announced = StatementAnnounced(
      storeID: 0, statementID: fetch.statementID, sql: fetch.sql.text)
    return [record(.statement(announced), at: fetch.begin)]
  }

  /// Core Data does not tell which fetch made an object: the last one is the likeliest.
  private func giveFault(_ entity: String, pk: Int64, relationship: String) -> Bool {
    guard let fetch = completed else { return false }
    completed = nil
    let duration = fetch.ending.totalTime
    let miss = CacheMiss(
      entity: entity, pk: pk, relationship: relationship, duration: duration,
      statementID: fetch.statementID, vmSteps: 0, fullScanSteps: 0, originFetchID: lastFetchID)
    let fault = FaultFired(
      entity: entity, pk: pk, relationship: relationship, source: .database, duration: duration,
      rows: fetch.rows, originFetchID: lastFetchID, origin: .unknown)
    hold(
      announcement(of: fetch) + fetch.held
        + [record(.cacheMiss(miss), at: fetch.end), record(.fault(fault), at: fetch.end)],
      within: fetch.parentID)
    return true
  }

  /// Keeps events until the fetch they are part of is known to be one.
  private func hold(_ events: [EventRecord], within parentID: UInt64) {
    guard let index = open.firstIndex(where: { $0.id == parentID }) else {
      records += events
      return
    }
    open[index].held += events
    guard open[index].held.count > Self.mostHeld else { return }
    let fetch = open[index]
    open[index].held = []
    open[index].hasBegun = true
    hold(beginning(of: fetch) + fetch.held, within: fetch.parentID)
  }

  private func abandonOldest() {
    let fetch = open.removeFirst()
    records += beginning(of: fetch) + fetch.held
  }

  private func record(_ event: StoreEvent, at time: Nanoseconds) -> EventRecord {
    EventRecord(
      timestamp: time, process: process.identity, threadID: threadID, contextID: 0, event: event)
  }
}
