// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ProfileBuilder {
  /// Stores a miss until the fault of its thread that caused it, which has the origin.
  mutating func add(_ event: CacheMiss, on thread: Key) {
    if let orphan = pendingMisses.insert(event, for: thread) {
      add(orphan: orphan, in: thread.process)
    }
  }

  /// Counts a miss without a fault.
  mutating func add(orphan miss: CacheMiss, in process: Int) {
    guard filter.includes(miss, from: .unknown) else { return }
    add(miss, rows: 0, from: .unknown, in: Key(process: process, id: 0))
  }

  mutating func add(_ event: FaultFired, at time: Nanoseconds, on thread: Key) {
    let isIncluded = filter.includes(event)
    let measures = currentMeasures
    measured.formUnion(measures.intersection(.fetch))
    var statement: StatementID?
    // Not an optional miss: it has strings, which are checked wherever it ends.
    if event.source == .database, let miss = popMiss(behind: event, on: thread) {
      statement = miss.statementID
      if isIncluded { add(miss, rows: event.rows, from: event.origin, in: currentContext) }
    }
    guard isIncluded else { return }
    contexts.update(currentContext, make: ContextTally.init) { $0.add(event) }
    if event.relationship.isEmpty {
      totals.faults.add(1)
    } else {
      totals.relationshipFaults.add(1)
    }
    if event.source == .rowCache { totals.cacheHits.add(1) }
    totals.faultTime.add(event.duration)
    let isOfFetched = measures.contains(.cacheHits) ? nil : isOfLastFetch(event, in: thread.process)
    // Mostly the objects of one fetch, one after the other.
    let last = faults.updateLast(where: { $0.isOrigin(of: event) }) {
      $0.add(event, at: time, in: thread.process, statement, isOfFetched: isOfFetched, measures)
    }
    let index =
      last
      ?? faults.update(FaultProfile.Origin(event), from: FaultTally.init(origin:)) {
        $0.add(event, at: time, in: thread.process, statement, isOfFetched: isOfFetched, measures)
      }
    timeline?.add(event, originIndex: faults.isFull ? nil : index)
  }

  /// Whether the fetch before a fault was of its entity, which may have been known by its table alone.
  private func isOfLastFetch(_ fault: FaultFired, in process: Int) -> Bool {
    guard let last = lastFetches[process], last.id == fault.originFetchID else { return false }
    return [fault.entity, "Z" + fault.entity.uppercased()].contains(last.entity)
  }

  private mutating func popMiss(behind fault: FaultFired, on thread: Key) -> CacheMiss? {
    let isItsOwn = pendingMisses.holds(thread) { miss in
      miss.pk == fault.pk && miss.entity == fault.entity && miss.relationship == fault.relationship
    }
    return isItsOwn ? pendingMisses.remove(thread) : nil
  }

  mutating func add(
    _ miss: CacheMiss, rows: UInt64, from location: SourceLocation, in context: Key
  ) {
    let measures = currentMeasures
    addForm(miss.statementID, from: origin(ofContext: context)) {
      $0.add(miss, rows: rows, measures)
    }
    totals.cacheMisses.add(1)
    timeline?.add(miss, rows: rows, from: location)
    statements.update(miss.statementID) {
      StatementTally(entity: miss.entity)
    } _: {
      $0.add(miss, rows: rows, from: location, measures)
    }
  }
}

extension FaultProfile.Origin {
  init(_ fault: FaultFired) {
    self.init(
      entity: fault.entity, relationship: fault.relationship, location: fault.origin)
  }

  func isOrigin(of fault: FaultFired) -> Bool {
    entity == fault.entity && relationship == fault.relationship && location == fault.origin
  }
}

/// The faults of an origin while they are being counted.
struct FaultTally {
  var profile: FaultProfile
  private var missesByFetch = BoundedCounts<ProfileBuilder.Key>()
  private var lastMiss: (fetch: ProfileBuilder.Key, time: Nanoseconds, isCounted: Bool)?

  init(origin: FaultProfile.Origin) { profile = FaultProfile(origin: origin) }

  mutating func add(
    _ fault: FaultFired, at time: Nanoseconds, in process: Int, _ statement: StatementID?,
    isOfFetched: Bool?, _ measures: Measures
  ) {
    profile.measured = profile.measured + measures.intersection(.fetch)
    guard fault.source == .database else {
      profile.hits.add(1)
      profile.hitTime.add(fault.duration)
      return
    }
    profile.misses.add(1)
    profile.missTime.add(fault.duration)
    profile.rows.add(fault.rows)
    if let isOfFetched {
      profile.missesOfFetched = (profile.missesOfFetched ?? 0).saturatingSum(isOfFetched ? 1 : 0)
    }
    profile.statement = profile.statement ?? statement
    count(ProfileBuilder.Key(process: process, id: fault.originFetchID), at: time)
  }

  /// Counts a miss, unless a second separates it from those before and after it: a user's clicks open one object each.
  private mutating func count(_ fetch: ProfileBuilder.Key, at time: Nanoseconds) {
    var most: UInt64 = 1
    let isNear = lastMiss.map { time &- $0.time < Bounds.pause } ?? false
    if isNear, let last = lastMiss {
      if !last.isCounted { most = missesByFetch.count(last.fetch) }
      most = max(most, missesByFetch.count(fetch))
    }
    lastMiss = (fetch, time, isNear)
    profile.mostMissesPerFetch = max(profile.mostMissesPerFetch, most)
  }
}
