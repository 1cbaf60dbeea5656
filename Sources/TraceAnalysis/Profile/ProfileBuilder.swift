// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Folds events into a ``Profile``, one by one and in the order of their timestamps.
///
///     fetch_begin(7) ── pending[7] ── fetch_end(7) ──▶ statement × caller
///     cache_miss ── pending miss of its thread ── fault(database) ──▶ statement × origin
public struct ProfileBuilder {
  var totals = Profile.Totals()
  var statements = TallyTable<StatementID, StatementTally>(
    capacity: Bounds.statements, rest: Bounds.restOfStatements)
  var texts = StatementTexts()
  var values = StatementValues()
  var databases = StatementDatabases()
  var faults = TallyTable<FaultProfile.Origin, FaultTally>(
    capacity: Bounds.faults, rest: Bounds.restOfFaults)
  var saves = TallyTable<SourceLocation, SaveTally>(capacity: Bounds.callers, rest: .unknown)
  var stores: [StoreProfile] = []
  var openedFiles: [OpenedDatabase] = []
  var waits = WaitProfile()
  var processes = ProcessTable()
  var contexts = TallyTable<Key, ContextTally>(
    capacity: Bounds.contexts, rest: Key(process: 0, id: 0))
  var currentContext = Key(process: 0, id: 0)
  /// The measures of the source of the event that is being folded.
  var currentMeasures = Measures.all
  /// The measures of all events so far.
  var measured = Measures()
  var filter: EventFilter
  /// Nil unless it was requested.
  var timeline: TimelineBuilder?
  // Each event is checked, and the optional is a kilobyte from which its case has to be computed.
  private let isTimed: Bool
  private var hasUndatedTimeline = false
  var pendingFetches = PendingTable<Key, PendingFetch>()
  var pendingMisses = PendingTable<Key, CacheMiss>()
  /// By thread: its lock waits since its last statement, or since its save began.
  var pendingBusy = PendingTable<Key, LockWaits>()
  /// By process: the last fetch of a log that has no lines of code, by its id, and its entity.
  var lastFetches: [Int: (id: UInt64, entity: String)] = [:]
  var concurrency = Concurrency()
  /// Batched fetches with batches that may still come.
  var batchedFetches: [Key: BatchKey] = [:]
  var batches: [BatchKey: BatchProfile] = [:]
  var observed = ObservedTally()
  /// Of fetches without counters.
  var sequences = FetchSequences()
  var loggedLoops = LoggedLoops()
  var locks = LockJoin()
  var io = IOTally()
  var origins = OriginTable()
  var forms = FormTable()
  /// By process; after a commit the same statement may find other rows.
  var commits: [UInt64] = []

  /// Something that is unique within a process: a fetch by its id, a thread by its id.
  struct Key: Hashable {
    var process: Int
    var id: UInt64

    // A single word is hashed at once, and processes are few.
    func hash(into hasher: inout Hasher) {
      hasher.combine(id &+ UInt64(truncatingIfNeeded: process) << 48)
    }
  }

  /// - Parameters:
  ///   - filter: which events the profile is of; all of them count for its completeness.
  ///   - isTimed: whether a timeline is wanted as well.
  public init(_ filter: EventFilter = EventFilter(), isTimed: Bool = false) {
    self.filter = filter
    self.isTimed = isTimed
    if isTimed { timeline = TimelineBuilder() }
  }

  /// Folds one event.
  public mutating func add(_ record: EventRecord) {
    let content = record.event
    let role = ProcessTable.Role(content)
    let process = processes.index(of: record, as: role)
    processes.count(record, as: role, at: process)
    currentContext = Key(process: process, id: record.contextID)
    currentMeasures = record.measures
    filter.move(to: record.timestamp)
    if isTimed { moveTimeline(to: record) }
    switch content {
    case .storeOpened(let event):
      add(event)
      locks.databases.add(event, on: record.process.host, in: process)
      origins.add(event, record, in: process)
    case .statement(let event):
      texts.add(event)
      locks.unended.begin(event, record, in: process)
    case .values(let event): values.add(event)
    case .fetchBegin(let event):
      begin(event, on: Key(thread: record, in: process))
    case .fetchEnd(let event):
      let thread = Key(thread: record, in: process)
      end(event, on: thread)
      if event.counters.vmSteps == 0, event.parentID == 0, event.error.isEmpty, filter.isEmpty {
        sequences.add(
          .init(fetch: event, rows: event.rowsReturned, end: record.timestamp), on: thread)
      }
    case .cacheMiss(let event):
      add(event, on: Key(thread: record, in: process))
    case .fault(let event):
      add(event, at: record.timestamp, on: Key(thread: record, in: process))
    case .contextCreated(let event):
      origins.add(event, currentContext)
      contexts.update(currentContext, make: ContextTally.init) { $0.add(event) }
      timeline?.add(event, as: currentContext)
    case .saveBegin(let event):
      locks.begin(event, in: process)
      pendingBusy.remove(Key(thread: record, in: process))
    case .statementIO(let event):
      guard filter.includesUnattributed() else { break }
      io.add(event, on: Key(thread: record, in: process))
    case .commitIO(let event):
      guard filter.includesUnattributed() else { break }
      io.add(
        event, on: Key(thread: record, in: process),
        save: locks.location(ofSave: event.saveID, in: process))
    case .saveEnd(let event):
      locks.end(event, record, in: process)
      add(event, at: record.timestamp, on: Key(thread: record, in: process))
    case .transaction(let event):
      add(event, in: process)
      locks.add(event, record, in: process)
    case .checkpoint(let event):
      add(event)
      locks.add(event, record, in: process)
    case .busy(let event):
      let thread = Key(thread: record, in: process)
      _ = pendingBusy.insert((pendingBusy[thread] ?? LockWaits()).adding(event), for: thread)
      add(event)
      locks.add(event, record, in: process)
    case .connectionOpened(let event):
      add(event)
      if databases.add(event, in: process) { countRunsOfFirstDatabase() }
      locks.databases.add(event, on: record.process.host, in: process)
      locks.risks.add(
        event, of: locks.databases[Key(process: process, id: event.connectionID)],
        at: observed.callers.location(ofCaller: event.callerID, in: record),
        on: record.process.host, in: process)
      locks.touches.open(event, in: process)
      origins.add(event, record, in: process)
    case .caller(let event):
      observed.callers.add(event, of: record)
      locks.unended.add(event, record, in: process)
    case .statementRun(let event): add(event, of: record, in: process)
    case .copyNotObserved(let event): observed.add(event)
    case .databaseFileTouched(let event):
      locks.add(
        event, at: observed.callers.location(ofCaller: event.callerID, in: record), record,
        in: process)
    case .connectionClosed(let event):
      locks.risks.close(Key(process: process, id: event.connectionID))
      locks.pools.close(Key(process: process, id: event.connectionID))
    case .poolWaited(let event):
      locks.pools.add(
        event, at: observed.callers.location(ofCaller: event.callerID, in: record),
        on: Key(thread: record, in: process), until: record.timestamp)
    case .counters: break
    }
  }

  /// Events without a date come first, and have no position among dated events.
  private mutating func moveTimeline(to record: EventRecord) {
    let isDated = record.measures.contains(.timeOfDay)
    if isDated, hasUndatedTimeline { timeline = TimelineBuilder() }
    hasUndatedTimeline = !isDated
    timeline?.move(to: record.timestamp, in: currentContext, after: totals)
  }

  private mutating func add(_ event: StoreOpened) {
    measured.formUnion(currentMeasures.intersection(.fetch))
    let store = StoreProfile(
      path: event.path, journalMode: event.journalMode, pageSize: event.pageSize,
      sqliteVersion: event.sqliteVersion)
    if stores.count < Bounds.stores, !stores.contains(store) { stores.append(store) }
  }

  private mutating func add(_ event: SaveEnd, at end: Nanoseconds, on thread: Key) {
    let waits = pendingBusy.remove(thread)
    let isContended = concurrency.endSave(at: end, totalTime: event.totalTime, on: thread)
    measured.formUnion(currentMeasures.intersection(.fetch))
    guard filter.includes(event) else { return }
    let measures = currentMeasures
    contexts.update(currentContext, make: ContextTally.init) { $0.add(event) }
    timeline?.add(event)
    totals.saves.add(1)
    totals.saveTime.add(event.totalTime)
    if !event.error.isEmpty { totals.errors.add(1) }
    saves.update(event.location, from: SaveTally.init(location:)) {
      $0.add(event, measures, at: end, in: thread.process)
      if let waits { $0.profile.busyAttempts.add(waits.attempts) }
      if isContended { $0.profile.contended.add(1) }
    }
  }

  private mutating func add(_ event: TransactionEnded, in process: Int) {
    // A transaction that only read changes nothing, and ends with COMMIT as well. Vocabulary 1 has neither field.
    let hasWritten =
      event.outcome != "rollback" && (event.writerTime >= 0 || event.kind.isEmpty)
    defer { if hasWritten { countCommit(of: process) } }
    guard filter.includesUnattributed() else { return }
    timeline?.add(event)
    guard event.outcome != "rollback" else { return waits.rollbacks.add(1) }
    if hasWritten { waits.commits.add(1) }
  }

  mutating func countCommit(of process: Int) {
    while commits.count <= process { commits.append(0) }
    commits[process].add(1)
  }

  private mutating func add(_ event: CheckpointDone) {
    guard filter.includesUnattributed(duration: event.totalTime) else { return }
    timeline?.add(event)
    waits.checkpoints.add(1)
    waits.longestCheckpoint = max(waits.longestCheckpoint, event.totalTime)
    waits.largestLog = max(waits.largestLog, event.logFrames)
    if event.checkpointedFrames < event.logFrames { waits.unfinishedCheckpoints.add(1) }
    waits.checkpointedFrames.add(event.checkpointedFrames)
    waits.checkpointTime.add(event.totalTime)
  }

  private mutating func add(_ event: BusyWaited) {
    guard filter.includesUnattributed(duration: event.waitTime) else { return }
    timeline?.add(event)
    waits.busyWaits.add(1)
    waits.busyTime.add(event.waitTime)
    waits.longestBusy = max(waits.longestBusy, event.waitTime)
    if event.gaveUp != 0 { waits.busyFailures.add(1) }
  }
}

/// The saves of a line while they are being counted.
struct SaveTally {
  var profile: SaveProfile
  var durations = Durations()
  /// The length and the end of the last sequence of each process.
  private var sequences: [Int: (count: UInt64, end: Nanoseconds)] = [:]

  init(location: SourceLocation) { profile = SaveProfile(location: location) }

  mutating func add(
    _ save: SaveEnd, _ measures: Measures, at time: Nanoseconds, in process: Int
  ) {
    profile.add(save)
    let last = sequences[process].flatMap {
      time &- save.totalTime &- $0.end < Bounds.pause ? $0.count : nil
    }
    let count = (last ?? 0) + 1
    sequences[process] = (count, time)
    profile.longestSequence = max(profile.longestSequence ?? 0, count)
    profile.measured = profile.measured + measures.intersection(.fetch)
    if measures.contains(.saveTime) { durations.record(save.totalTime) }
  }

  var finished: SaveProfile {
    var profile = profile
    profile.latency = Latency(durations.histogram)
    return profile
  }
}

extension ProfileBuilder.Key {
  init(thread record: EventRecord, in process: Int) {
    self.init(process: process, id: UInt64(bitPattern: record.threadID))
  }
}
