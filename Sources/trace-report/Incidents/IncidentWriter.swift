// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import FoundationEssentials
import Glibc
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceRecording
import TraceRendering

/// Writes `incident.json` beside each snapshot: the offender, its plan, and the locks.
struct IncidentWriter: IncidentExaminer {
  let conditions: [FlightCondition]
  /// The names of the recorded processes: a snapshot may have lost them.
  private var names = ProcessNames()
  private var skipped = SkippedEvents()
  private var watched: [String: WatchedDatabase] = [:]
  private var listed: ContinuousClock.Instant?
  /// The last incidents, with their folders.
  private var written: [(incident: IncidentV1, folder: String)] = []

  // 16 is arbitrary: the conditions that one event meets are examined one after another.
  private static let maxWritten = 16

  init(conditions: [FlightCondition]) { self.conditions = conditions }

  private struct WatchedDatabase {
    var observer: LockObserver
    var history = HoldHistory()
    var state: LockState
  }

  // 32 is arbitrary: of a program with more open databases, only the first ones are observed.
  private static let maxDatabases = 32

  mutating func observe(_ processes: RecordedProcesses) {
    // Finding the open files takes milliseconds; 2 s is arbitrary.
    if listed.map({ .now - $0 > .seconds(2) }) ?? true || watched.isEmpty {
      let ids = processes.ids
      names.add(ids)
      for path in OpenDatabases.paths(of: ids)
      where watched[path] == nil && watched.count < Self.maxDatabases {
        guard let observer = try? LockObserver(path: path) else { continue }
        watched[path] = WatchedDatabase(
          observer: observer, state: LockState(observer.sample()))
      }
      listed = .now
    }
    for path in watched.keys { sample(path) }
  }

  private mutating func sample(_ path: String) {
    guard var database = watched.removeValue(forKey: path) else { return }
    database.state = LockState(database.observer.sample())
    database.history.add(database.state)
    watched[path] = database
  }

  mutating func examine(_ snapshot: FlightSnapshot) -> Bool {
    let time = Clock.now
    for path in watched.keys { sample(path) }
    guard let events = try? events(in: snapshot.folder),
      var offender = try? Self.offender(of: snapshot)
    else { return false }
    offender.process.name = names.name(of: offender.process)
    skipped.add(events)
    skipped.remove(offender)
    if let known = written.lastIndex(where: {
      $0.incident.offender.isSameOccurrence(as: offender)
    }) {
      let names = written[known].incident.condition.components(separatedBy: " and ")
      if !names.contains(snapshot.condition.text) {
        written[known].incident.condition += " and \(snapshot.condition.text)"
      }
      update(known)
      return false
    }
    if !written.isEmpty { update(written.count - 1) }
    var incident = IncidentV1(
      number: snapshot.number, condition: snapshot.condition.text, timeNs: time,
      offender: offender, locks: locks(at: time))
    if incident.offender.database == nil, watched.count == 1 {
      incident.offender.database = watched.keys.first
    }
    explain(&incident)
    write(incident, into: snapshot.folder)
    written = written.suffix(Self.maxWritten - 1) + [(incident, snapshot.folder)]
    return true
  }

  mutating func count(in folder: String) {
    guard let events = try? events(in: folder), !written.isEmpty else { return }
    skipped.add(events)
    update(written.count - 1)
  }

  /// Writes an incident again, unless it was removed for the limit of the disk.
  private mutating func update(_ index: Int) {
    if skipped.count > 0, index == written.count - 1 {
      written[index].incident.skipped = skipped.count
    }
    if access(written[index].folder, F_OK) == 0 {
      write(written[index].incident, into: written[index].folder)
    }
  }

  private func write(_ incident: IncidentV1, into folder: String) {
    do {
      try Output.write(JSONText.encoded(incident), toFile: "\(folder)/\(IncidentV1.fileName)")
    } catch {
      // The trace is still kept.
      Output.complain("cannot write \(IncidentV1.fileName) of incident \(incident.number)")
    }
  }

  /// The events that meet any condition; the faults of a storm are none by themselves.
  private func events(in folder: String) throws -> [Offender] {
    let conditions = conditions.filter { if case .faultStorm = $0.kind { false } else { true } }
    return try Offender.all(in: folder) { event in conditions.contains { $0.matches(event) } }
  }

  private static func offender(of snapshot: FlightSnapshot) throws -> Offender? {
    if case .faultStorm(let limit) = snapshot.condition.kind {
      return try Offender(stormIn: snapshot.folder, moreThan: limit)
    }
    let own = try Offender.all(in: snapshot.folder, where: snapshot.condition.matches)
    var newest = own.last
    newest?.matches = UInt64(own.count)
    return newest
  }

  /// Each database's locks now, with the holds that ended within the last ten seconds.
  private func locks(at time: Int64) -> [LocksV1] {
    watched.values.sorted { $0.state.sample.path < $1.state.sample.path }.map { database in
      LocksV1(
        LocksReport(database.state, database.history),
        past: database.history.past.filter { time - $0.until < 10_000_000_000 && $0.samples > 1 })
    }
  }

  /// Adds the plan, read from the file without writing to it.
  private func explain(_ incident: inout IncidentV1) {
    guard let sql = incident.offender.sql else { return }
    guard let path = incident.offender.database else {
      incident.planError = "the snapshot does not name the database"
      return
    }
    do {
      // Do not wait for a writer that has locked the file.
      let database = try InspectedDatabase(path: path, busyTimeout: 0)
      let explanation = PlanExplainer(database.connection).explain(sql)
      incident.plan = explanation.plan?.lines
      incident.planError = explanation.failure
    } catch {
      incident.planError = "\(error)"
    }
  }
}
