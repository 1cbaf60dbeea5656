// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The fetches, faults and saves of one thread of a Core Data log.
///
/// The line after a fetch identifies it, and prefetches are within the fetch that they serve:
///
///     sql: SELECT … FROM ZNOTE t0            open
///     annotation: sql connection fetch time  open, may nest
///       sql: SELECT … FROM ZATTACHMENT t0    open within it
///       annotation: total fetch …            completed
///       annotation: Prefetching with key …   given as a prefetch
///     annotation: total fetch …              completed
///     annotation: fault fulfilled …          given as a fault; any other line: as a fetch
final class CoreDataThread {
  let process: CoreDataProcess
  let threadID: Int64
  let clock: CoreDataClock
  /// Whether its lines have the thread's number, so that no other thread's are among them.
  private let isNumbered: Bool
  private var sql: (text: String, time: Nanoseconds)?
  var open: [CoreDataFetch] = []
  var completed: CoreDataFetch?
  private var transactions = CoreDataTransactions()
  private var store: StoreOpened?
  var lastFetchID: UInt64 = 0
  /// A statement that is no fetch of entities, unless its times follow.
  private var other: (sql: CoreDataSQL, values: CoreDataValues)?
  /// Whether any line had a time.
  private var hasTimes = false
  /// Events that are ready to be given.
  var records: [EventRecord] = []
  /// Fetches that began within another one and are no part of it, or took less time than their part
  /// in SQLite: another thread's lines, without its number.
  var interleaved: UInt64 { hasTimes ? displaced : 0 }
  private var displaced: UInt64 = 0
  /// Fetches without their SQL in the log.
  private(set) var nameless: UInt64 = 0
  /// Transactions without the line of their end.
  var unended: UInt64 { transactions.unended }
  /// Whether a statement or a transaction has begun and has not ended.
  var isBusy: Bool { sql != nil || !open.isEmpty || completed != nil || transactions.isOpen }
  var lastLine: UInt64 = 0

  // 64 and 1,024 are arbitrary: fetches without an end, and prefetches of one fetch.
  private static let maxOpen = 64
  static let maxHeld = 1024
  // Of the two times, each to 0.1 ms.
  private static let rounding: Nanoseconds = 100_000

  /// - Parameter threadID: nil where the lines have none.
  init(_ process: CoreDataProcess, threadID: Int64?, clock: CoreDataClock) {
    self.process = process
    self.threadID = threadID ?? 0
    isNumbered = threadID != nil
    self.clock = clock
  }

  // MARK: - Lines

  func read(sql text: String) {
    endStatement()
    sql = (text, clock.now)
  }

  /// The text of the statement that is being read.
  var sqlText: String? { sql?.text }

  /// Adds the statement's part of a wrapped line.
  func read(continuation text: String, isSpaced: Bool) {
    guard let begun = sql else { return }
    sql?.text = begun.text + (isSpaced ? " " : "") + text
  }

  func read(bind text: UnsafeRawBufferPointer) {
    start()
    if other != nil {
      other?.values.add(text)
    } else if !open.isEmpty, !transactions.isOpen {
      open[open.count - 1].values.add(text)
    }
  }

  /// Handles an error message of SQLite; false if nothing was running.
  func read(error: String) -> Bool {
    start()
    guard var fetch = open.popLast() else { return transactions.fail(error) }
    fetch.error = error
    fetch.end = clock.now
    emit(fetch)
    return true
  }

  /// Handles an annotation; false if it refers to an object that is not in the log.
  func read(_ annotation: CoreDataAnnotation) -> Bool {
    start()
    switch annotation {
    case .connectionTime(let time):
      hasTimes = true
      if let index = open.lastIndex(where: { $0.connectionTime == nil }) {
        open[index].connectionTime = time
      } else {
        beginOther(.objects)
        open[open.count - 1].connectionTime = time
      }
    case .fetchTime(let time, let rows):
      hasTimes = true
      if let index = open.lastIndex(where: { $0.connectionTime != nil }) ?? open.indices.last {
        return complete(index, time, rows: rows)
      }
      // A line of level 2 completed it, or the line of its SQL is missing.
      if completed?.totalTime == nil, completed?.hasRows == true {
        completed?.totalTime = time
        completed?.rows = rows
        return true
      }
      beginOther(.objects)
      return complete(open.indices.last, time, rows: rows)
    case .countTime(let time, let count):
      hasTimes = true
      if let index = open.lastIndex(where: { $0.kind == .count }) {
        return complete(index, time, rows: count, isOfRows: false)
      }
      beginOther(.count)
      return complete(open.indices.last, time, rows: count, isOfRows: false)
    case .fetched(let entity, let sql, let rows, _): read(fetchOf: entity, sql, rows: rows)
    case .faultFulfilled(let object):
      guard let entity = object?.entity ?? completed?.entity else { return false }
      return emitFault(entity, pk: object?.pk ?? 0, relationship: "")
    case .toManyFaultFulfilled(let name, let object, _):
      return emitFault(object.entity, pk: object.pk, relationship: name)
    case .prefetched:
      guard var fetch = completed else { return countIfLate() }
      completed = nil
      fetch.kind = .prefetch
      emit(fetch)
    case .connecting(let path):
      endStatement()
      openStore()
      store = StoreOpened(
        storeID: StatementID(sql: path).rawValue, path: path, journalMode: "", pageSize: 0,
        sqliteVersion: "", processStart: 0,
        processName: process.identity.name)
    case .checkpoint:
      endStatement()
      let done = CheckpointDone(
        storeID: 0, mode: "truncate", logFrames: 0, checkpointedFrames: 0, totalTime: 0)
      emit([(clock.now, .checkpoint(done))])
    case .executionTime, .countRequest, .boundArray, .maintenance: break
    }
    return true
  }

  /// Handles a line of level 2 or 3, which has entity, SQL and rows of a fetch.
  private func read(fetchOf entity: String, _ sql: String, rows: UInt64?) {
    let table = "Z" + entity.uppercased()
    let index =
      open.lastIndex { sql.isEmpty ? $0.connectionTime != nil : $0.sql.text == sql }
      ?? open.lastIndex { $0.connectionTime != nil && !$0.hasRows && $0.table == table }
    if let index {
      process.learn(entity, table: open[index].table)
      open[index].entity = entity
      if let rows {
        open[index].rows = rows
        open[index].hasRows = true
      }
      return
    }
    // The line of its SQL is missing, and perhaps the lines of its times.
    guard let rows, !sql.isEmpty else { return name(entity) }
    endStatement()
    let statement = process.sql(sql)
    begin(statement, statement.fetch.kind, statement.fetch.table, at: clock.now)
    var fetch = open.removeLast()
    process.learn(entity, table: fetch.table)
    fetch.entity = entity
    fetch.rows = rows
    fetch.hasRows = true
    completed = fetch
  }

  /// Begins the fetch that times belong to where its SQL reads another table than an entity, or is not in the log.
  private func beginOther(_ kind: FetchKind) {
    let other = other
    endStatement()
    guard let other else {
      nameless += 1
      return begin(process.sql(""), kind, "", at: clock.now)
    }
    let fetch = other.sql.fetch
    begin(other.sql, kind == .count ? kind : fetch.kind, fetch.table, at: clock.now)
    open[open.count - 1].values = other.values
  }

  /// Emits the remaining events; a fetch that was cut within its times has only its beginning.
  ///
  /// - Returns: whether the log ends with a statement without its times, and others have theirs.
  func finish() -> Bool {
    let isCut = sql.map { process.sql($0.text).statement.isFetch } ?? false
    endStatement()
    openStore()
    while !open.isEmpty { abandonOldest() }
    emit(transactions.finish(process: process, clock: clock))
    return isCut && hasTimes
  }

  // MARK: - Statements

  private func endStatement() {
    start(until: sql?.time)
    other = nil
    if let fetch = completed {
      completed = nil
      countIfForeign(fetch)
      emit(fetch)
    }
  }

  /// - Parameter end: when it ended at the latest, if the line that is read is none about it.
  private func start(until end: Nanoseconds? = nil) {
    guard let (line, time) = sql else { return }
    sql = nil
    other = nil
    let sql = process.sql(line)
    switch sql.statement {
    case .fetch(let kind, let table): begin(sql, kind, table, at: time)
    case .begin:
      openStore()
      emit(transactions.begin(at: time, process: process, clock: clock))
    case .commit, .rollback:
      emit(
        transactions.end(
          isCommit: sql.statement == .commit, at: end ?? clock.now, process: process,
          isTimed: clock.isReal))
    case .housekeeping where sql.journalMode != nil:
      store?.journalMode = sql.journalMode ?? ""
    default:
      transactions.run(sql.statement, at: time)
      if sql.statement == .housekeeping, sql.isSelect { other = (sql, CoreDataValues()) }
    }
  }

  private func begin(_ sql: CoreDataSQL, _ kind: FetchKind, _ table: String, at time: Nanoseconds) {
    openStore()
    if let last = open.last, last.connectionTime == nil { displaced += 1 }
    if open.count >= Self.maxOpen { abandonOldest() }
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

  private func complete(
    _ index: Int?, _ time: Nanoseconds, rows: UInt64, isOfRows: Bool = true
  ) -> Bool {
    guard let index else { return false }
    if let fetch = completed {
      countIfForeign(fetch)
      emit(fetch)
    }
    var fetch = open.remove(at: index)
    if let part = fetch.connectionTime, part > time + Self.rounding { displaced += 1 }
    clock.advance(to: fetch.begin + time)
    fetch.totalTime = time
    fetch.rows = rows
    fetch.end = clock.now
    // `SELECT COUNT( t1.Z_PK) … LEFT OUTER JOIN` returns dictionaries.
    if isOfRows, fetch.kind == .count { fetch.kind = .dictionaries }
    completed = fetch
    return true
  }

  /// Counts a fetch within another one that is neither a prefetch nor a fault of it.
  private func countIfForeign(_ fetch: CoreDataFetch) {
    if fetch.parentID != 0, fetch.kind != .prefetch, !isNumbered { displaced += 1 }
  }

  /// Removes the statement before a fault in a log without times, in which no other line ends it.
  func popUntimed() -> CoreDataFetch? { hasTimes ? nil : open.popLast() }

  /// Counts a line on a fetch that comes after the next fetch has begun.
  ///
  /// - Returns: whether there is one.
  func countIfLate() -> Bool {
    if !open.isEmpty { displaced += 1 }
    return !open.isEmpty
  }

  private func openStore() {
    guard let store else { return }
    self.store = nil
    emit([(clock.now, .storeOpened(store))])
  }
}
