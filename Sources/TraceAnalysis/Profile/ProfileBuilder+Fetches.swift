// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ProfileBuilder {
  /// A fetch that began and has not ended.
  struct PendingFetch {
    var location: SourceLocation
    /// Whether the fetch it serves was still running, so that its time is in that one's.
    var isNested: Bool
    /// Whether as many other threads fetched when it began as a store has readers by default.
    var isContended: Bool
    /// The time of the fetches that served it and have ended.
    var nestedTime: Nanoseconds = 0
  }

  // 100_000 is far above the number that runs at once, and bounds the cost of fetches without an
  // end.
  static let maxPendingFetches = 100_000

  mutating func begin(_ event: FetchBegin, on thread: Key) {
    let process = thread.process
    if pendingFetches.count >= Self.maxPendingFetches { abandonPendingFetches() }
    let parent =
      event.parentID == 0 ? nil : pendingFetches[Key(process: process, id: event.parentID)]
    let fetch = PendingFetch(
      location: event.location.file.isEmpty ? parent?.location ?? .unknown : event.location,
      isNested: parent != nil, isContended: concurrency.beginFetch(event, on: thread))
    _ = pendingFetches.insert(fetch, for: Key(process: process, id: event.fetchID))
  }

  mutating func end(_ event: FetchEnd, on thread: Key) {
    let process = thread.process
    concurrency.endFetch(event, on: thread)
    let fetch = pendingFetches.remove(Key(process: process, id: event.fetchID))
    if event.parentID != 0 { addNested(event, in: process) }
    let measures = currentMeasures
    if !measures.contains(.cacheHits), event.parentID == 0 {
      lastFetches[process] = (event.fetchID, event.entity)
    }
    measured.formUnion(measures.intersection(.fetch))
    io.end(event, texts[event.statementID], at: fetch?.location ?? .unknown, on: thread)
    guard filter.includes(event, from: fetch?.location ?? .unknown) else { return }
    totals.connectionTime.add(event.connectionTime)
    if fetch?.isNested != true { totals.totalTime.add(event.totalTime) }
    if !event.error.isEmpty { totals.errors.add(1) }
    switch event.kind {
    case .count: totals.counts.add(1)
    case .prefetch, .batch: totals.nestedFetches.add(1)
    case .objects, .ids, .dictionaries:
      totals.fetches.add(1)
      totals.rows.add(event.rows)
    }
    let location = fetch?.location ?? .unknown
    let ownTime = max(event.totalTime &- (fetch?.nestedTime ?? 0), 0)
    timeline?.add(event, ownTime: ownTime, from: location, isNested: fetch?.isNested == true)
    addBatch(event, from: location, in: process)
    let values = RepeatTally.Values(process: process, hash: event.bindHash)
    let generation = process < commits.count ? commits[process] : 0
    var event = event
    event.totalTime = ownTime
    let isContended = fetch?.isContended == true
    addForm(event.statementID, from: origin(ofContext: currentContext)) {
      $0.add(event, isContended: isContended, measures)
    }
    statements.update(event.statementID) {
      StatementTally(entity: event.entity)
    } _: {
      $0.add(
        event, from: location, values: values, generation: generation,
        isContended: isContended, measures)
    }
    contexts.update(currentContext, make: ContextTally.init) { $0.add(event, measures) }
  }

  /// Excludes the time of a nested fetch from the statement that it served.
  private mutating func addNested(_ event: FetchEnd, in process: Int) {
    let key = Key(process: process, id: event.parentID)
    guard var parent = pendingFetches[key] else { return }
    parent.nestedTime.add(event.totalTime)
    _ = pendingFetches.insert(parent, for: key)
  }

  /// Fetches without an end are counted per process and discarded.
  mutating func abandonPendingFetches() {
    for key in pendingFetches.keys { processes.abandonFetch(at: key.process) }
    pendingFetches.removeAll()
  }
}

/// The runs of a statement while they are being counted.
struct StatementTally {
  var entity: String
  // No set: there is one kind, and it would be hashed for each run.
  var kinds: [FetchKind] = []
  var repeats = RepeatTally()
  /// Runs that the probe reported.
  var observedRuns: UInt64 = 0
  /// The connection that compiled it last.
  var lastCompiled: ProfileBuilder.Key?
  var callers = TallyTable<SourceLocation, CallerTally>(capacity: Bounds.callers, rest: .unknown)

  init(entity: String) { self.entity = entity }

  mutating func add(
    _ fetch: FetchEnd, from location: SourceLocation, values: RepeatTally.Values,
    generation: UInt64, isContended: Bool, _ measures: Measures
  ) {
    if !kinds.contains(fetch.kind) { kinds.append(fetch.kind) }
    // The probe reports the same statement without an entity.
    if entity.isEmpty { entity = fetch.entity }
    repeats.add(values, generation: generation, time: fetch.totalTime)
    callers.update(location, make: CallerTally.init) {
      $0.add(fetch, isContended: isContended, measures)
    }
  }

  mutating func add(
    _ miss: CacheMiss, rows: UInt64, from location: SourceLocation, _ measures: Measures
  ) {
    callers.update(location, make: CallerTally.init) { $0.add(miss, rows: rows, measures) }
  }

  func finished(id: StatementID, sql: String?) -> StatementProfile {
    let isRest = id == Bounds.restOfStatements
    var profile = StatementProfile(id: id, sql: sql, entity: isRest ? "" : entity)
    profile.kinds = FetchKind.allCases.filter { kinds.contains($0) }
    profile.repeats = repeats.repeats
    if observedRuns > 0 { profile.observedRuns = observedRuns }
    profile.callers = zip(callers.keys, callers.values).map { $1.finished(at: $0) }
      .sorted(by: { $0.work.totalTime }, then: { "\($0.location.file):\($0.location.line)" })
    profile.work = profile.callers.map(\.work).sum(from: StatementCounts())
    profile.misses = profile.callers.map(\.misses).sum(from: 0)
    profile.latency = .merged(profile.callers.map(\.latency))
    return profile
  }
}

/// The runs of a statement of one line of code, while they are being counted.
struct CallerTally {
  var work = StatementCounts()
  var misses: UInt64 = 0
  var durations = Durations()

  mutating func add(_ fetch: FetchEnd, isContended: Bool, _ measures: Measures) {
    work.add(fetch, measures)
    if isContended { work.contended.add(1) }
    if measures.contains(.totalTime) { durations.record(fetch.totalTime) }
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, _ measures: Measures) {
    misses.add(1)
    work.add(miss, rows: rows, measures)
    if measures.contains(.totalTime) { durations.record(miss.duration) }
  }

  func finished(at location: SourceLocation) -> CallerProfile {
    var profile = CallerProfile(location: location)
    profile.work = work
    profile.misses = misses
    profile.latency = Latency(durations.histogram)
    return profile
  }
}
