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
  private var watched: [String: WatchedDatabase] = [:]
  private var listed: ContinuousClock.Instant?
  /// The last incidents, with their folders.
  private var written: [(incident: IncidentV1, folder: String)] = []

  // 16 is arbitrary: the conditions that one event meets are examined one after another.
  private static let maxWritten = 16

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
      for path in OpenDatabases.paths(of: processes.ids)
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
    let time = Self.now()
    for path in watched.keys { sample(path) }
    guard let offender = try? Self.offender(of: snapshot) else { return false }
    if let known = written.lastIndex(where: { $0.incident.offender.isSameEvent(as: offender) }) {
      written[known].incident.condition += " and \(snapshot.condition.text)"
      write(written[known].incident, into: written[known].folder)
      return false
    }
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

  private func write(_ incident: IncidentV1, into folder: String) {
    do {
      try Output.write(JSONText.encoded(incident), toFile: "\(folder)/\(IncidentV1.fileName)")
    } catch {
      // The trace is still kept.
      Output.complain("cannot write \(IncidentV1.fileName) of incident \(incident.number)")
    }
  }

  private static func offender(of snapshot: FlightSnapshot) throws -> Offender? {
    if case .faultStorm(let limit) = snapshot.condition.kind {
      return try Offender(stormIn: snapshot.folder, moreThan: limit)
    }
    return try Offender(in: snapshot.folder, where: snapshot.condition.matches)
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

  private static func now() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}

extension Offender {
  /// Whether two conditions held for the same event: it is one incident.
  fileprivate func isSameEvent(as other: Offender) -> Bool {
    event == other.event && process == other.process && threadID == other.threadID
      && timestamp == other.timestamp
  }
}

extension QueryPlan {
  /// The plan in SQLite's text, one step per line, indented.
  fileprivate var lines: [String] {
    func lines(of node: Node, _ indent: String) -> [String] {
      [indent + node.detail] + node.children.flatMap { lines(of: $0, indent + "  ") }
    }
    return roots.flatMap { lines(of: $0, "") }
  }
}
