// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Joins the waits of each database with the transactions that held its lock, over all processes.
///
///     process A   BEGIN IMMEDIATE ─ UPDATE ─────────── COMMIT        transaction: writer from … to …
///     process B           INSERT ── waits ──────────────┘ busy       overlaps A's the longest
///
/// A transaction is reported when it ends: after the wait that it caused, or before. So both are
/// kept, in bounded memory, and each wait has the longest overlap seen so far.
struct LockJoin {
  typealias Key = ProfileBuilder.Key
  // Arbitrary: far more than people look at. Later waits are counted by `WaitProfile` alone.
  private static let maxWaits = 10_000
  private static let maxOpen = 10_000
  // Transactions that ended before a wait did: the busy handler sleeps for 0.1 s at most.
  private static let maxRecent = 256
  // 10 ms is arbitrary: shorter reads are many, and a commit waits longer for its next attempt.
  private static let minReadTime: Nanoseconds = 10_000_000

  var databases = LockDatabases()
  private var open: [Key: OpenTransaction] = [:]
  /// By database: the open transactions that became writers, of which no later writer is seen.
  private var openWriters: [String: [Key]] = [:]
  private var saves: [Key: SourceLocation] = [:]
  private var recent: [String: [LockInterval]] = [:]
  /// The same of transactions that only read.
  private var recentReads: [String: [LockInterval]] = [:]
  private var waits: [LockedWait] = []
  /// By thread: the wait that belongs to the next statement, or to a transaction that the next
  /// statement ends.
  private var namelessWaits: [Key: Int] = [:]
  private var namelessTransactions: [Key: LockInterval] = [:]
  /// By thread: the transaction that the next statement ends, and its writer; 0 for a save.
  private var endedTransactions: [Key: Ended] = [:]
  var sites = LockSites()
  var unended = UnendedRuns()
  private var transactions = TransactionTally()
  private var temporaryTables = TemporaryTables()
  private var failures = FailureTally()
  private var logs = LogWatch()
  var risks = RiskTally()
  var touches = FileTouchTally()
  var pools = PoolWaitTally()

  private struct Ended {
    var id: UInt64
    var writer: LockSite?
    var form: UInt64
    var steps: [LockSite]
    var changes: UInt64
    var writes: UInt64
    var received: UInt64
    var start: Nanoseconds
  }

  mutating func begin(_ save: SaveBegin, in process: Int) {
    if saves.count >= Self.maxOpen { saves.removeAll() }
    saves[Key(process: process, id: save.saveID)] = save.location
  }

  /// The line of a save that did not end yet.
  func location(ofSave id: UInt64, in process: Int) -> SourceLocation? {
    saves[Key(process: process, id: id)]
  }

  mutating func add(_ wait: BusyWaited, _ record: EventRecord, in process: Int) {
    guard waits.count < Self.maxWaits else { return }
    let connection = databases.waiter(wait.storeID, record, in: process)
    var locked = LockedWait(
      database: databases[connection], connection: connection, process: record.process.name,
      start: record.timestamp &- max(wait.waitTime, 0), end: record.timestamp, event: wait)
    locked.compare(ended(in: locked.database))
    namelessWaits[Key(thread: record, in: process)] = waits.count
    waits.append(locked)
  }

  mutating func add(_ transaction: TransactionEnded, _ record: EventRecord, in process: Int) {
    let isStore = transaction.saveID != 0
    let id = Key(process: process, id: transaction.transactionID)
    let steps = isStore || id.id == 0 ? nil : open.removeValue(forKey: id)
    endedTransactions[Key(thread: record, in: process)] = Ended(
      id: isStore ? 0 : id.id, writer: steps?.writer, form: steps?.writerForm ?? 0,
      steps: steps?.steps ?? [],
      changes: transaction.outcome == "commit" ? steps?.changes ?? 0 : 0,
      writes: transaction.outcome == "commit" ? steps?.writes ?? 0 : 0,
      received: transaction.received, start: record.timestamp &- transaction.totalTime)
    let connection =
      isStore
      ? LockDatabases.store(transaction.storeID, in: process)
      : Key(process: process, id: transaction.storeID)
    if !isStore {
      sites.endRead(of: connection, in: databases[connection], at: record.timestamp)
    }
    if let steps { keepRead(steps, until: record.timestamp, of: record.process.name) }
    // Vocabulary 1 has no kind; the transactions of its saves wrote.
    guard transaction.writerTime >= 0 || (transaction.kind.isEmpty && isStore) else { return }
    let save = saves.removeValue(forKey: Key(process: process, id: transaction.saveID))
    let interval = LockInterval(
      connection: connection, start: record.timestamp &- transaction.heldTime,
      end: record.timestamp,
      holder: LockHolder(
        process: record.process.name, kind: transaction.kind,
        location: steps?.writerLocation ?? save ?? .unknown, statements: steps?.steps ?? [],
        time: transaction.totalTime, idleTime: transaction.idleTime))
    endWriters(of: databases[connection], before: interval.start)
    if transaction.kind == LockHolder.autocommitting {
      namelessTransactions[Key(thread: record, in: process)] = interval
    } else {
      keep(interval)
    }
    if transaction.outcome == "commit" {
      logs.commit(transaction, in: databases[connection], by: connection)
      sites.commit(in: databases[connection], by: connection, at: record.timestamp)
    }
  }

  mutating func add(_ checkpoint: CheckpointDone, _ record: EventRecord, in process: Int) {
    let connection = databases.waiter(checkpoint.storeID, record, in: process)
    let isStore = connection.id != checkpoint.storeID
    logs.checkpoint(
      checkpoint, in: databases[connection], on: isStore ? nil : Key(thread: record, in: process))
  }

  /// Ends the transactions that were writers before another one became the writer: their own ends may
  /// never come, as of a process that was killed.
  private mutating func endWriters(of database: String, before start: Nanoseconds) {
    guard let ids = openWriters.removeValue(forKey: database) else { return }
    var others: [Key] = []
    for id in ids {
      guard let since = open[id]?.writerStart else { continue }
      if since < start { open[id]?.writerEnd = start } else { others.append(id) }
    }
    if !others.isEmpty { openWriters[database] = others }
  }

  /// Keeps a read for which a commit or a checkpoint may have waited.
  private mutating func keepRead(
    _ transaction: OpenTransaction, until end: Nanoseconds, of process: String
  ) {
    guard let read = transaction.read, end &- read.start >= Self.minReadTime else { return }
    keep(
      LockInterval(
        connection: transaction.connection, start: read.start, end: end,
        holder: LockHolder(
          process: process, kind: LockHolder.reading, location: read.site.location,
          statements: transaction.steps)))
  }

  /// The transactions that ended lately.
  private func ended(in database: String) -> [LockInterval] {
    (recent[database] ?? []) + (recentReads[database] ?? [])
  }

  private mutating func keep(_ interval: LockInterval) {
    let database = databases[interval.connection]
    if interval.holder.kind == LockHolder.reading {
      recentReads.append(interval, of: database, max: Self.maxRecent)
    } else {
      recent.append(interval, of: database, max: Self.maxRecent)
    }
    // Waits are in the order of their ends.
    for index in waits.indices.reversed() {
      guard waits[index].end >= interval.start else { break }
      if waits[index].database == database { waits[index].compare(interval) }
    }
  }

  mutating func add(
    _ run: StatementRun, _ sql: String?, at location: SourceLocation, _ record: EventRecord,
    in process: Int, form: UInt64
  ) {
    let thread = Key(thread: record, in: process)
    let site = LockSite(statement: run.statementID, sql: sql, location: location, count: 1)
    let id = Key(process: process, id: run.transactionID)
    let before = run.transactionID == 0 ? nil : open[id]
    var start = record.timestamp &- max(run.openTime, 0)
    var isUpgrade = false
    if !namelessWaits.isEmpty, let index = namelessWaits.removeValue(forKey: thread) {
      // It has the lock since then.
      start = max(start, waits[index].end)
      waits[index].waiter = site
      waits[index].earliest = min(
        waits[index].start, record.timestamp &- max(run.openTime, 0))
      waits[index].isAutocommit = run.transactionID == 0 && run.isReadOnly == 0
      waits[index].compare(ended(in: waits[index].database))
      let wait = waits[index].event
      if wait.gaveUp != 0, wait.attempts == 0 {
        isUpgrade = before?.hasOnlyRead == true
        isUpgrade ? sites.recordUpgrade(site) : sites.recordRefusal(site)
      }
    }
    if !namelessTransactions.isEmpty,
      var interval = namelessTransactions.removeValue(forKey: thread)
    {
      interval.holder.location = location
      interval.holder.statements = [site]
      keep(interval)
    }
    let connection = Key(process: process, id: run.connectionID)
    let database = databases[connection]
    touches.use(connection, of: database)
    pools.use(
      connection, at: site, on: thread, for: run.stepTime, until: record.timestamp)
    let last = endedTransactions.removeValue(forKey: thread)
    logs.end(
      last?.writer ?? site,
      isCommit: run.isReadOnly == 0 || site.isTransactionControl,
      in: database, by: connection, on: thread)
    sites.record(
      run, site, form: form, isUpgrade: isUpgrade, thread: thread, connection: connection,
      database: database, at: record.timestamp)
    count(run, site, form: form, last, on: connection, record)
    guard run.transactionID != 0 else {
      guard record.timestamp &- start >= Self.minReadTime else { return }
      var read = OpenTransaction(connection: connection)
      read.add(run, site, form: form, from: start)
      return keepRead(read, until: record.timestamp, of: record.process.name)
    }
    guard last?.id != run.transactionID, open.count < Self.maxOpen || before != nil else { return }
    open[id, default: OpenTransaction(connection: connection)].add(
      run, site, form: form, from: start)
    guard before?.writerStart == nil, let since = open[id]?.writerStart else { return }
    endWriters(of: database, before: since)
    openWriters[database, default: []].append(id)
  }

  /// Counts the transaction that a run ends, and its failure.
  private mutating func count(
    _ run: StatementRun, _ site: LockSite, form: UInt64, _ ended: Ended?, on connection: Key,
    _ record: EventRecord
  ) {
    var writer: LockSite?
    if run.error.hasPrefix("SQLITE_LOCKED") {
      writer = open.values.filter {
        $0.connection.process == connection.process && $0.connection != connection
      }.compactMap(\.writer).min { $0.sortKey < $1.sortKey }
    }
    let id = Key(process: connection.process, id: run.transactionID)
    failures.add(
      run, site, on: connection, isInMemory: databases.isInMemory(connection), writer: writer,
      first: run.error.isEmpty ? nil : open[id]?.steps.first, at: record.timestamp)
    if FailureSite.isFromFile(run.error) {
      failures.setCauses(
        of: run, site, to: touches.before(of: databases[connection]), at: record.timestamp)
    }
    guard run.error.isEmpty else { return }
    temporaryTables.add(run, site.sql, on: connection)
    if run.isReadOnly != 0, run.rows == 1 { transactions.addRow(run, site.sql, on: connection) }
    if run.isReadOnly == 0, run.changes == 0, site.sql.map(StatementCommand.creates) == true {
      transactions.endSequences(of: writingThread(of: record, on: connection))
    }
    let isEnd = ended.map { $0.id != 0 && $0.id == run.transactionID } ?? false
    guard isEnd || run.transactionID == 0 && run.isReadOnly == 0 && run.changes > 0 else { return }
    // The log of a library names no database, and has no rows.
    let isLogged = !record.measures.contains(.changes)
    let inFile = isLogged || databases.isInFile(connection)
    var transaction = TransactionTally.Transaction(
      writer: site, form: form, steps: [site], rows: run.changes, commitTime: run.stepTime,
      inFile: inFile,
      received: ended?.received ?? 0, start: ended?.start ?? record.timestamp,
      end: record.timestamp)
    if let ended, isEnd {
      guard ended.changes > 0 || isLogged && ended.writes > 0, let writer = ended.writer else {
        return
      }
      (transaction.writer, transaction.form) = (writer, ended.form)
      transaction.steps = ended.steps
      transaction.rows = ended.changes
      transaction.writes = isLogged ? ended.writes : nil
    } else {
      // The probe reports a transaction where a trigger writes to a file as well.
      guard ended != nil || !temporaryTables.isWritten(by: site.sql, on: connection)
      else { return }
      transaction.isAutocommit = true
    }
    transactions.add(
      transaction, on: connection, of: writingThread(of: record, on: connection))
  }

  private func writingThread(
    of record: EventRecord, on connection: Key
  ) -> TransactionTally.Thread {
    TransactionTally.Thread(
      id: Key(thread: record, in: connection.process), database: databases[connection])
  }

  mutating func add(
    _ event: DatabaseFileTouched, at location: SourceLocation, _ record: EventRecord,
    in process: Int
  ) {
    touches.add(
      event, at: location, record, of: databases[Key(process: process, id: event.connectionID)],
      in: process)
  }

  /// Sets the line of a save's wait.
  mutating func end(_ save: SaveEnd, _ record: EventRecord, in process: Int) {
    guard let index = namelessWaits.removeValue(forKey: Key(thread: record, in: process)) else {
      return
    }
    waits[index].waiter.location = save.location
  }

  /// If no transaction held the lock: two waiting statements can block each other.
  ///
  /// BEGIN IMMEDIATE takes a snapshot, then the lock. If its snapshot is no longer current, it
  /// releases the lock and waits again. That lasts for one attempt, so a statement that failed two
  /// attempts waited for something else.
  private mutating func nameOtherWaiters() {
    for index in waits.indices where !waits[index].hasHolder && waits[index].wasBrief {
      // Waits are in the order of their ends.
      let wait = waits[index]
      let before = waits[..<index].suffix(Self.maxRecent).filter { $0.end >= wait.earliest }
      let after = waits[(index + 1)...].prefix(Self.maxRecent).filter { $0.earliest <= wait.end }
      for other in before + after where other.database == wait.database {
        waits[index].compare(other.asInterval)
      }
    }
  }

  /// The waits by line and holder; nil if there is nothing to report.
  mutating func finish(process name: (Int) -> String) -> LockProfile? {
    let open = open.values.sorted {
      ($0.connection.process, $0.connection.id) < ($1.connection.process, $1.connection.id)
    }
    for transaction in open {
      // A transaction that was still open when the recording or its process ended.
      let process = name(transaction.connection.process)
      if let read = transaction.read {
        let end = end(ofReadSince: read.start, on: transaction.connection)
        keepRead(transaction, until: end, of: process)
      }
      guard let start = transaction.writerStart else { continue }
      keep(
        LockInterval(
          connection: transaction.connection, start: start, end: transaction.writerEnd,
          holder: LockHolder(
            process: process, kind: "",
            location: transaction.writerLocation ?? .unknown, statements: transaction.steps)))
    }
    for connection in sites.readingConnections {
      sites.endRead(of: connection, in: databases[connection], at: nil)
    }
    for run in unended.all where databases.isKnown(run.connection) {
      sites.endRun(run, in: databases[run.connection])
      keep(
        LockInterval(
          connection: run.connection, start: run.start,
          end: end(ofReadSince: run.start, on: run.connection),
          holder: LockHolder(
            process: name(run.connection.process), kind: LockHolder.reading,
            location: run.site.location, statements: [run.site])))
    }
    nameOtherWaiters()
    var profile = sites.finished
    profile.transactions = transactions.finished
    profile.failures = failures.finished
    // A statement of its own connection was in its way: a busy timeout has no effect.
    let obstructed = profile.obstructed
    profile.refusals.removeAll { obstructed.contains($0.key) }
    risks.finish(&profile) { logs.hasLog($0) }
    profile.touches = touches.finished
    profile.poolWaits = pools.finished
    logs.finish(&profile) { databases.path(of: $0) }
    profile.waits = waits.map {
      $0.profile(databases.path(of: $0.database), hasLog: logs.hasLog($0.database))
    }.merged(by: \.key) { $0.add($1) }.sorted(by: LockWait.order)
    // Databases on two hosts may have the same path.
    return profile == LockProfile() ? nil : .merged([profile])
  }

  /// With a rollback journal nothing is committed while a connection reads.
  private func end(ofReadSince start: Nanoseconds, on connection: Key) -> Nanoseconds {
    let database = databases[connection]
    guard !logs.hasLog(database) else { return .max }
    return sites.firstCommit(in: database, after: start, notBy: connection) ?? .max
  }
}

extension [String: [LockInterval]] {
  /// Appends an interval of a database; at least its last `max` intervals are kept.
  fileprivate mutating func append(_ interval: LockInterval, of database: String, max: Int) {
    self[database, default: []].append(interval)
    if self[database]?.count ?? 0 > 2 * max { self[database]?.removeFirst(max) }
  }
}

extension TransactionEnded {
  /// The time during which other connections could not write.
  ///
  /// A store's transaction starts with the lock, so its time does not include the wait.
  var heldTime: Nanoseconds {
    let total = max(totalTime, 0)
    return saveID != 0 ? total : max(total &- max(writerTime, 0), 0)
  }
}

/// A time during which a connection kept others from writing.
struct LockInterval {
  var connection: ProfileBuilder.Key
  var start: Nanoseconds
  var end: Nanoseconds
  var holder: LockHolder
}

/// A wait, and the transaction that overlaps it the longest.
struct LockedWait {
  var database: String
  var connection: ProfileBuilder.Key
  var process: String
  var start: Nanoseconds
  var end: Nanoseconds
  var event: BusyWaited
  var waiter = LockSite(
    statement: StatementID(rawValue: 0), sql: nil, location: .unknown, count: 1)
  /// Whether its statement is a write that commits by itself.
  var isAutocommit = false
  /// When its statement began.
  ///
  /// On a busy machine more time passes than the sleeps that are counted: the holder may have ended
  /// before the last of them.
  var earliest: Nanoseconds
  private var holder: LockHolder?
  private var overlap: Nanoseconds = -1
  private var earlyHolder: LockHolder?
  private var earlyOverlap: Nanoseconds = -1
  private var reader: LockHolder?
  private var readerOverlap: Nanoseconds = 0

  init(
    database: String, connection: ProfileBuilder.Key, process: String, start: Nanoseconds,
    end: Nanoseconds, event: BusyWaited
  ) {
    self.database = database
    self.connection = connection
    self.process = process
    self.start = start
    earliest = start
    self.end = end
    self.event = event
  }

  mutating func compare(_ interval: LockInterval) {
    guard interval.connection != connection else { return }
    let last = min(end, interval.end)
    guard interval.holder.kind != LockHolder.reading else {
      let common = last &- max(earliest, interval.start)
      if common > readerOverlap {
        readerOverlap = common
        reader = interval.holder
      }
      return
    }
    let common = last &- max(start, interval.start)
    if common > overlap {
      overlap = common
      holder = interval.holder
    }
    let early = last &- max(earliest, interval.start)
    if early > earlyOverlap {
      earlyOverlap = early
      earlyHolder = interval.holder
    }
  }

  mutating func compare(_ intervals: [LockInterval]) {
    for interval in intervals { compare(interval) }
  }

  /// Whether it may have waited for the end of reads: in WAL mode only a checkpoint waits for them,
  /// or a change of the mode; with a rollback journal every commit does, and BEGIN EXCLUSIVE.
  private func waitsForReads(hasLog: Bool) -> Bool {
    guard let sql = waiter.sql else { return false }
    switch StatementCommand.name(of: sql) {
    case "PRAGMA":
      return ["wal_checkpoint", "journal_mode"].contains(StatementCommand.pragma(of: sql))
    case "COMMIT", "END", "RELEASE": return !hasLog
    case "BEGIN": return !hasLog && StatementCommand.beginsExclusively(sql)
    default: return !hasLog && isAutocommit
    }
  }

  var hasHolder: Bool { holder != nil || earlyHolder != nil }
  var wasBrief: Bool { event.attempts <= 1 && event.gaveUp == 0 }

  /// As a candidate for another wait.
  var asInterval: LockInterval {
    LockInterval(
      connection: connection, start: earliest, end: end,
      holder: LockHolder(
        process: process, kind: LockHolder.waiting, location: waiter.location, statements: [waiter])
    )
  }

  func profile(_ path: String, hasLog: Bool) -> LockWait {
    LockWait(
      database: path, waiter: waiter, waiterProcess: process,
      holder: holder ?? earlyHolder ?? (waitsForReads(hasLog: hasLog) ? reader : nil), count: 1,
      failures: event.gaveUp != 0 ? 1 : 0, time: event.waitTime, longest: event.waitTime)
  }
}

/// A transaction without an observed end.
struct OpenTransaction {
  var connection: ProfileBuilder.Key
  private(set) var steps: [LockSite] = []
  /// Rows that it has changed.
  private(set) var changes: UInt64 = 0
  /// Statements that change a database.
  private(set) var writes: UInt64 = 0
  private(set) var writerStart: Nanoseconds?
  private(set) var writer: LockSite?
  /// The hash of its form.
  private(set) var writerForm: UInt64 = 0
  var writerLocation: SourceLocation? { writer?.location }
  /// When another connection was the writer, so that this one no longer was.
  var writerEnd = Nanoseconds.max
  /// Its first read.
  private(set) var read: (site: LockSite, start: Nanoseconds)?
  private static let maxSteps = 8

  init(connection: ProfileBuilder.Key) { self.connection = connection }

  /// Whether it has a snapshot that a write would have to upgrade.
  var hasOnlyRead: Bool { read != nil && writerStart == nil }

  mutating func add(
    _ run: StatementRun, _ site: LockSite, form: UInt64, from start: Nanoseconds
  ) {
    if let index = steps.firstIndex(where: { $0.key == site.key }) {
      steps[index].count.add(1)
    } else if steps.count < Self.maxSteps {
      steps.append(site)
    }
    guard run.error.isEmpty else { return }
    changes.add(run.changes)
    if run.isReadOnly == 0 { writes.add(1) }
    if run.isReadOnly == 0, writerStart == nil {
      writerStart = start
      writer = site
      writerForm = form
    }
    if read == nil, run.isReadOnly != 0, !site.isTransactionControl { read = (site, start) }
  }
}

extension StatementCommand {
  /// Whether it creates a table or an index that the file did not have.
  fileprivate static func creates(_ sql: String) -> Bool {
    name(of: sql) == "CREATE"
      && !SQLTokenizer.tokens(of: sql, max: 6).contains { $0.isWord("EXISTS") }
  }
}
