// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceReading

extension ProfileBuilder {
  /// Closes open items, and sorts the counts.
  public consuming func profile(of reading: ReadingReport) -> Profile {
    finish(reading)
    return finishedProfile(of: reading)
  }

  /// The profile, and the timeline if it was requested.
  public consuming func timedProfile(of reading: ReadingReport) -> TimedProfile {
    finish(reading)
    let profile = finishedProfile(of: reading)
    let pins = filter.isEmpty ? locks.sites.pins : []
    self.timeline?.add(pins)
    var timeline = self.timeline?.timeline { lane in
      profile.processes.count == 1
        ? lane.label : "\(profile.name(of: lane.process)) \(lane.label)"
    }
    timeline?.measures = profile.measures
    timeline?.pins = pins.map {
      Timeline.Pin(
        process: profile.name(of: $0.connection.process), location: $0.site.location,
        duration: $0.end &- $0.start)
    }.sorted(by: \.duration, then: \.location.sortKey)
    return TimedProfile(profile: profile, timeline: timeline)
  }

  private mutating func finish(_ reading: ReadingReport) {
    abandonPendingFetches()
    for source in reading.sources { processes.excuse(source.uncountedProcesses) }
    for thread in pendingMisses.keys {
      if let miss = pendingMisses[thread] { add(orphan: miss, in: thread.process) }
    }
    timeline?.record(totals)
  }

  private mutating func finishedProfile(of reading: ReadingReport) -> Profile {
    let names = entityNames
    let texts = texts
    let statements = zip(statements.keys, statements.values)
      .map { $1.finished(id: $0, sql: texts[$0]) }
      .map { statement in
        var statement = statement
        statement.entity = names[statement.entity] ?? statement.entity
        return statement
      }
      .sorted(by: { $0.work.totalTime }, then: \.id.rawValue)
    let faults = faults.values.map(\.profile)
      .sorted(by: { Int64(clamping: $0.misses) }, then: \.origin.sortKey)
    let others = texts.texts(without: Set(statements.map(\.id))).filter { TestMarker($0) == nil }
    let programs = processes.profiles.map(\.identity.name)
    // With a part of the events, a holder may be missing.
    let locks =
      filter.isEmpty ? locks.finish { programs.indices.contains($0) ? programs[$0] : "" } : nil
    var profile = Profile(
      totals: totals, statements: statements, faults: faults, batches: batchProfiles,
      saves: saves.values.map(\.finished)
        .sorted(by: \.totalTime, then: { "\($0.location.file):\($0.location.line)" }),
      contexts: zip(contexts.keys, contexts.values).map { $1.finished($0) }
        .sorted { ($0.process, $0.id) < ($1.process, $1.id) },
      entities: Profile.entities(of: statements, faults: faults), stores: stores, waits: waits,
      processes: processes.profiles, reading: bounded(reading), observed: observed.finish(),
      locks: locks, io: io.finished, values: values)
    // 1,000 is arbitrary: a model of hundreds of entities writes that many.
    if !others.isEmpty { profile.otherSQL = Array(others.prefix(1000)) }
    let sequences = (sequences.finish() ?? []) + loggedLoops.finish()
    profile.sequences = sequences.isEmpty ? nil : sequences
    profile.databases = databases.pathsByStatement
    profile.databaseRuns = databases.unequalRuns
    profile.openedFiles = openedFiles
    profile.unended = filter.isEmpty ? unendedRuns : []
    let labels = reading.commonLabels
    profile.measured = measured
    profile.origin = origins.origin(forms.onlyOrigin)?.labelled(labels)
    profile.forms = forms.finish(origins, texts, labels: labels)
    return profile
  }

  /// In processes that closed their databases, these are cursors that the program left open.
  private var unendedRuns: [UnendedRun] {
    let end = processes.profiles.compactMap(\.lastEvent).max() ?? 0
    let runs = locks.unended.all.filter { locks.databases.isKnown($0.connection) }
    return runs.compactMap { run -> UnendedRun? in
      let process = processes.profiles[run.connection.process]
      guard case .uncounted = process.coverage, let own = process.lastEvent else { return nil }
      return UnendedRun(
        site: run.site, process: process.identity.title, timeInProcess: own &- run.start,
        time: end &- run.start)
    }
  }

  /// The entities of tables: Core Data's log names one or the other.
  private var entityNames: [String: String] {
    let names = Set(faults.keys.map(\.entity)).union(statements.values.map(\.entity))
    return Dictionary(
      names.map { ("Z\($0.uppercased())", $0) }, uniquingKeysWith: { min($0, $1) })
  }
}

extension Profile {
  static func entities(
    of statements: [StatementProfile], faults: [FaultProfile]
  ) -> [EntityProfile] {
    var entities: [String: EntityProfile] = [:]
    for statement in statements {
      let name = statement.entity
      var entity = entities[name] ?? EntityProfile(name: name)
      entity.fetches.add(statement.work.count - min(statement.misses, statement.work.count))
      entity.rows.add(statement.work.rows)
      entity.totalTime.add(statement.work.totalTime)
      entity.measured = entity.measured + statement.work.measures
      entities[name] = entity
    }
    for fault in faults {
      let name = fault.origin.entity
      var entity = entities[name] ?? EntityProfile(name: name)
      entity.faults.add(fault.hits)
      entity.faults.add(fault.misses)
      entity.cacheMisses.add(fault.misses)
      entity.measured = entity.measured + fault.measures
      entities[name] = entity
    }
    return entities.values.sorted(by: \.totalTime, then: \.name)
  }
}

extension FaultProfile.Origin {
  var sortKey: String {
    "\(location.file):\(location.line) \(entity).\(relationship)"
  }
}

extension Sequence {
  /// Sorts by an amount, largest first; a tie is broken by a key, so that the order is the same
  /// in every run.
  func sorted(by amount: (Element) -> Int64, then key: (Element) -> some Comparable) -> [Element] {
    sorted { a, b in
      let (x, y) = (amount(a), amount(b))
      return x != y ? x > y : key(a) < key(b)
    }
  }
}
