// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

extension Profile {
  /// A profile without events.
  public static var empty: Profile { .merged([]) }

  /// One profile of several runs, as if their traces had been read together.
  ///
  /// The order of the profiles decides the order of processes and sources alone.
  ///
  /// - Parameters:
  ///   - profiles: the profiles to add up.
  ///   - maxForms: how many rows of forms by place are kept; the rest are one row.
  public static func merged(_ profiles: [Profile], maxForms: Int = Bounds.forms) -> Profile {
    guard profiles.count != 1 else { return profiles[0].withForms(limit: maxForms) }
    var totals = Totals()
    var waits = WaitProfile()
    for profile in profiles {
      totals.add(profile.totals)
      waits.add(profile.waits)
    }
    let statements = profiles.flatMap(\.statements).merged(by: \.id) { $0.add($1) }
      .sorted(by: { $0.work.totalTime }, then: \.id.rawValue)
    let faults = profiles.flatMap(\.faults).merged(by: \.origin) { $0.add($1) }
      .sorted(by: { Int64(clamping: $0.misses) }, then: \.origin.sortKey)
    var merged = Profile(
      totals: totals, statements: statements, faults: faults,
      batches: profiles.flatMap(\.batches).merged(by: \.key) { $0.add($1) }
        .sorted(by: \.batchTime, then: \.sortKey),
      saves: profiles.flatMap(\.saves).merged(by: \.location) { $0.add($1) }
        .sorted(by: \.totalTime, then: { "\($0.location.file):\($0.location.line)" }),
      contexts: contexts(of: profiles), entities: entities(of: statements, faults: faults),
      stores: profiles.flatMap(\.stores).merged(by: \.self) { _, _ in },
      waits: waits, processes: profiles.flatMap(\.processes),
      reading: ReadingReport(sources: profiles.flatMap(\.reading.sources)),
      selection: profiles.flatMap(\.selection).merged(by: \.self) { _, _ in },
      observed: .merged(profiles.compactMap(\.observed)),
      locks: .merged(profiles.compactMap(\.locks)), io: .merged(profiles.compactMap(\.io)))
    merged.measured = profiles.reduce(nil) { $0 + $1.measures }
    let sequences = profiles.compactMap(\.sequences)
    if !sequences.isEmpty { merged.sequences = .merged(sequences) }
    let others = Set(profiles.flatMap { $0.otherSQL ?? [] }).sorted()
    // 1,000 is the bound of a trace.
    if !others.isEmpty { merged.otherSQL = Array(others.prefix(1000)) }
    merged.mergeForms(of: profiles, limit: maxForms)
    merged.bound()
    return merged
  }

  /// The contexts, their processes counted on through all profiles.
  private static func contexts(of profiles: [Profile]) -> [ContextProfile] {
    var first = 0
    return profiles.flatMap { profile in
      defer { first += profile.processes.count }
      return profile.contexts.map { context in
        var context = context
        context.process += first
        return context
      }
    }
  }
}

extension Array {
  /// Folds the elements of each key into its first one; the order is that of the first ones.
  func merged<Key: Hashable>(
    by key: (Element) -> Key, _ add: (inout Element, Element) -> Void
  ) -> Self {
    var places: [Key: Int] = [:]
    var result: Self = []
    for element in self {
      if let place = places[key(element)] {
        add(&result[place], element)
      } else {
        places[key(element)] = result.count
        result.append(element)
      }
    }
    return result
  }
}

extension [CallerProfile] {
  /// Each line once, by total time.
  static func merged(_ callers: [CallerProfile]) -> Self {
    callers.merged(by: \.location) { $0.add($1) }
      .sorted(by: { $0.work.totalTime }, then: { "\($0.location.file):\($0.location.line)" })
  }
}

extension CallerProfile {
  mutating func add(_ other: Self) {
    work.add(other.work)
    misses.add(other.misses)
    latency = .merged([latency, other.latency])
  }
}

extension StatementProfile {
  mutating func add(_ other: Self) {
    sql = sql ?? other.sql
    if entity.isEmpty { entity = other.entity }
    kinds = FetchKind.allCases.filter { kinds.contains($0) || other.kinds.contains($0) }
    work.add(other.work)
    misses.add(other.misses)
    repeats.add(other.repeats)
    if let runs = other.observedRuns {
      var sum = observedRuns ?? 0
      sum.add(runs)
      observedRuns = sum
    }
    latency = .merged([latency, other.latency])
    callers = .merged(callers + other.callers)
  }
}

extension Repeats {
  fileprivate mutating func add(_ other: Self) {
    runs.add(other.runs)
    time.add(other.time)
    mostOfOneValue = max(mostOfOneValue, other.mostOfOneValue)
  }
}

extension BatchProfile {
  fileprivate var key: ProfileBuilder.BatchKey {
    ProfileBuilder.BatchKey(location: location, statement: statement)
  }

  fileprivate mutating func add(_ other: Self) {
    batchSize = max(batchSize, other.batchSize)
    fetches.add(other.fetches)
    rows.add(other.rows)
    batches.add(other.batches)
    rowsLoaded.add(other.rowsLoaded)
    batchTime.add(other.batchTime)
  }
}

extension FaultProfile {
  mutating func add(_ other: Self) {
    hits.add(other.hits)
    misses.add(other.misses)
    rows.add(other.rows)
    hitTime.add(other.hitTime)
    missTime.add(other.missTime)
    mostMissesPerFetch = max(mostMissesPerFetch, other.mostMissesPerFetch)
    if let added = other.missesOfFetched {
      missesOfFetched = (missesOfFetched ?? 0).saturatingSum(added)
    }
    statement = statement ?? other.statement
    measured = measured + other.measured
  }
}

extension SaveProfile {
  fileprivate mutating func add(_ other: Self) {
    count.add(other.count)
    errors.add(other.errors)
    inserted.add(other.inserted)
    updated.add(other.updated)
    deleted.add(other.deleted)
    statements.add(other.statements)
    waitTime.add(other.waitTime)
    writeTime.add(other.writeTime)
    commitTime.add(other.commitTime)
    totalTime.add(other.totalTime)
    latency = .merged([latency, other.latency])
    if let attempts = other.busyAttempts { busyAttempts = (busyAttempts ?? 0) &+ attempts }
    if let saves = other.contended { contended = (contended ?? 0) &+ saves }
    measured = measured + other.measured
  }
}

extension WaitProfile {
  fileprivate mutating func add(_ other: Self) {
    commits.add(other.commits)
    rollbacks.add(other.rollbacks)
    busyWaits.add(other.busyWaits)
    busyFailures.add(other.busyFailures)
    busyTime.add(other.busyTime)
    checkpoints.add(other.checkpoints)
    checkpointedFrames.add(other.checkpointedFrames)
    checkpointTime.add(other.checkpointTime)
    longestBusy = max(longestBusy, other.longestBusy)
    longestCheckpoint = max(longestCheckpoint, other.longestCheckpoint)
    unfinishedCheckpoints.add(other.unfinishedCheckpoints)
    largestLog = max(largestLog, other.largestLog)
  }
}

extension Profile.Totals {
  fileprivate mutating func add(_ other: Self) {
    fetches.add(other.fetches)
    counts.add(other.counts)
    nestedFetches.add(other.nestedFetches)
    rows.add(other.rows)
    faults.add(other.faults)
    relationshipFaults.add(other.relationshipFaults)
    cacheHits.add(other.cacheHits)
    cacheMisses.add(other.cacheMisses)
    saves.add(other.saves)
    connectionTime.add(other.connectionTime)
    totalTime.add(other.totalTime)
    faultTime.add(other.faultTime)
    saveTime.add(other.saveTime)
    errors.add(other.errors)
  }
}
