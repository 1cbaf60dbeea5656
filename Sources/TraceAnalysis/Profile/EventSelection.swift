// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The events of a stream that pass a filter, one by one, as ``Profile`` counts them.
///
///     fetch_begin ─────────────▶ given: others refer to it
///     fetch_end ───────────────▶ passed if its caller, entity and duration pass
///     cache_miss · fault ──────▶ both passed if the fault passes, which has the caller
public struct EventSelection {
  private var filter: EventFilter
  private var locations = PendingTable<Key, SourceLocation>()
  private var misses = PendingTable<Key, EventRecord>()
  private var callers = CallerNames()

  // 100,000 is far above the number that runs at once, and bounds the cost of fetches without an
  // end.
  private static let maxPending = 100_000

  private struct Key: Hashable {
    var pid: Int64
    var host: String
    /// The state of a fetch, or of a thread.
    var id: UInt64
  }

  /// Makes a selection by a filter.
  public init(_ filter: EventFilter) { self.filter = filter }

  /// Adds an event, and returns the events that pass, in order.
  public mutating func add(
    _ record: EventRecord, _ body: (EventRecord) throws -> Void
  ) rethrows {
    guard !filter.isEmpty else { return try body(record) }
    filter.move(to: record.timestamp)
    let thread = key(record, UInt64(bitPattern: record.threadID))
    let miss = misses.remove(thread)
    if case .fault(let fault) = record.event {
      guard filter.includes(fault) else { return }
      if let miss { try body(miss) }
      return try body(record)
    }
    if let miss, case .cacheMiss(let orphan) = miss.event, filter.includes(orphan, from: .unknown) {
      try body(miss)
    }
    if case .cacheMiss = record.event {
      if misses.count >= Self.maxPending { misses.removeAll() }
      _ = misses.insert(record, for: thread)
    } else if passes(record) {
      try body(record)
    }
  }

  /// Returns the misses without a fault.
  public mutating func finish(_ body: (EventRecord) throws -> Void) rethrows {
    for record in misses.values.sorted(by: { $0.timestamp < $1.timestamp }) {
      guard case .cacheMiss(let miss) = record.event, filter.includes(miss, from: .unknown) else {
        continue
      }
      try body(record)
    }
    misses.removeAll()
  }

  private mutating func passes(_ record: EventRecord) -> Bool {
    switch record.event {
    case .fetchBegin(let fetch):
      if locations.count >= Self.maxPending { locations.removeAll() }
      let parent = fetch.parentID == 0 ? nil : locations[key(record, fetch.parentID)]
      let location = fetch.location.file.isEmpty ? parent ?? .unknown : fetch.location
      _ = locations.insert(location, for: key(record, fetch.fetchID))
      return true
    case .fetchEnd(let fetch):
      let location = locations.remove(key(record, fetch.fetchID)) ?? .unknown
      return filter.includes(fetch, from: location)
    case .saveEnd(let save): return filter.includes(save)
    case .checkpoint(let checkpoint):
      return filter.includesUnattributed(duration: checkpoint.totalTime)
    case .busy(let wait): return filter.includesUnattributed(duration: wait.waitTime)
    case .counters, .transaction, .statementIO, .commitIO: return filter.includesUnattributed()
    case .statementRun(let run):
      return filter.includes(run, from: callers.location(of: run, in: record))
    case .caller(let caller):
      callers.add(caller, of: record)
      return true
    case .statement, .values, .storeOpened, .contextCreated, .saveBegin, .fault, .cacheMiss,
      .connectionOpened, .connectionClosed, .copyNotObserved, .databaseFileTouched,
      .poolWaited:
      return true
    }
  }

  private func key(_ record: EventRecord, _ id: UInt64) -> Key {
    Key(pid: record.process.id, host: record.process.host, id: id)
  }
}
