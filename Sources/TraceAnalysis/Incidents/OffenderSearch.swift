// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

/// Reads a snapshot to its end and keeps the names of its events' parts.
struct OffenderSearch {
  private var texts: [StatementID: String] = [:]
  private var callers = CallerNames()
  /// The databases of connections and of stores, by process and id.
  private var databases: [Owner: String] = [:]
  /// The lines of fetches that have begun, by process.
  private var fetches: [Owner: SourceLocation] = [:]
  private var found: [Offender] = []

  private struct Owner: Hashable {
    var pid: Int64
    var kind: Kind
    var id: UInt64
    enum Kind { case connection, store, context, fetch }
  }

  static func all(in folder: String, where condition: (StoreEvent) -> Bool) throws -> [Offender] {
    var search = OffenderSearch()
    _ = try TraceReader.read([folder]) { record in
      search.record(record)
      guard condition(record.event), let offender = search.offender(record) else { return }
      search.found.append(offender)
    }
    return search.found.map(\.named)
  }

  static func storm(in folder: String, moreThan limit: UInt64) throws -> Offender? {
    var search = OffenderSearch()
    var times: [Nanoseconds] = []
    _ = try TraceReader.read([folder]) { record in
      search.record(record)
      guard case .cacheMiss = record.event else { return }
      times.append(record.timestamp)
      times.removeFirst(times.prefix { record.timestamp - $0 > 1_000_000_000 }.count)
      guard times.count > limit else { return }
      guard var offender = search.offender(record) else { return }
      offender.rows = UInt64(times.count)
      search.found = [offender]
    }
    return search.found.last?.named
  }

  private mutating func record(_ record: EventRecord) {
    let pid = record.process.id
    switch record.event {
    case .statement(let event): texts[event.statementID] = event.sql
    case .caller(let event): callers.add(event, of: record)
    case .connectionOpened(let event):
      databases[Owner(pid: pid, kind: .connection, id: event.connectionID)] = event.path
    case .storeOpened(let event):
      databases[Owner(pid: pid, kind: .store, id: event.storeID)] = event.path
    case .contextCreated(let event):
      let store = databases[Owner(pid: pid, kind: .store, id: event.storeID)]
      databases[Owner(pid: pid, kind: .context, id: record.contextID)] = store
    case .fetchBegin(let event):
      fetches[Owner(pid: pid, kind: .fetch, id: event.fetchID)] = event.location
    case .statementRun(let event): complete(event, record)
    case .fault(let event):
      // It follows the cache miss on the same thread.
      guard let last = found.last, last.event == "cache_miss", last.threadID == record.threadID
      else { return }
      found[found.count - 1].location = event.origin
    default: break
    }
  }

  /// A busy wait is emitted before the statement that waited.
  private mutating func complete(_ run: StatementRun, _ record: EventRecord) {
    let location = callers.location(of: run, in: record)
    guard var wait = found.last, wait.event == "busy", wait.sql == nil,
      wait.process.id == record.process.id, wait.threadID == record.threadID
    else { return }
    wait.sql = texts[run.statementID]
    wait.location = location
    if !run.error.isEmpty { wait.error = run.error }
    found[found.count - 1] = wait
  }

  private mutating func offender(_ record: EventRecord) -> Offender? {
    let pid = record.process.id
    switch record.event {
    case .statementRun(let run):
      var offender = Offender(record, duration: run.stepTime)
      offender.sql = texts[run.statementID]
      offender.location = callers.location(of: run, in: record)
      offender.database = databases[Owner(pid: pid, kind: .connection, id: run.connectionID)]
      offender.count(rows: run.rows, run.counters, run.error)
      return offender
    case .fetchEnd(let fetch):
      var offender = Offender(record, duration: fetch.connectionTime)
      offender.sql = texts[fetch.statementID]
      offender.location = fetches[Owner(pid: pid, kind: .fetch, id: fetch.fetchID)] ?? .unknown
      offender.database = databases[Owner(pid: pid, kind: .context, id: record.contextID)]
      offender.entity = fetch.entity
      offender.count(rows: fetch.rows, fetch.counters, fetch.error)
      return offender
    case .cacheMiss(let miss):
      var offender = Offender(record, duration: miss.duration)
      offender.sql = texts[miss.statementID]
      offender.location = fetches[Owner(pid: pid, kind: .fetch, id: miss.originFetchID)] ?? .unknown
      offender.database = databases[Owner(pid: pid, kind: .context, id: record.contextID)]
      offender.entity = miss.entity
      return offender
    case .saveEnd(let save):
      var offender = Offender(record, duration: save.totalTime)
      offender.location = save.location
      offender.database = databases[Owner(pid: pid, kind: .context, id: record.contextID)]
      if !save.error.isEmpty { offender.error = save.error }
      return offender
    case .transaction(let transaction):
      var offender = Offender(record, duration: transaction.totalTime)
      offender.database = database(pid, transaction.storeID)
      return offender
    case .busy(let wait):
      var offender = Offender(record, duration: wait.waitTime)
      offender.attempts = wait.attempts
      offender.database = database(pid, wait.storeID)
      if wait.gaveUp != 0 { offender.error = "SQLITE_BUSY" }
      return offender
    case .databaseFileTouched(let touch):
      var offender = Offender(record, duration: 0)
      offender.location = callers.location(ofCaller: touch.callerID, in: record)
      offender.database = database(pid, touch.connectionID) ?? touch.path
      offender.error = "\(touch.operation) of \(touch.path)"
      return offender
    default: return nil
    }
  }

  /// The database of a connection that the probe observes, or of a store.
  private func database(_ pid: Int64, _ id: UInt64) -> String? {
    databases[Owner(pid: pid, kind: .connection, id: id)]
      ?? databases[Owner(pid: pid, kind: .store, id: id)]
  }
}

extension Offender {
  /// Without the parts that the snapshot leaves empty.
  fileprivate var named: Offender {
    var offender = self
    if offender.database == "" { offender.database = nil }
    return offender
  }

  fileprivate mutating func count(
    rows: UInt64, _ counters: StatementCounters, _ error: String
  ) {
    (self.rows, vmSteps, fullScanSteps) = (rows, counters.vmSteps, counters.fullScanSteps)
    if !error.isEmpty { self.error = error }
  }
}
