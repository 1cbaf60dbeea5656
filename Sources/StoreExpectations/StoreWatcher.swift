// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments
import Synchronization

/// Counts the work of a store, or of one of its contexts, while it watches.
final class StoreWatcher: StoreObserver {
  let interests: Interests = [.events, .sql]
  private let contextID: UInt64?
  private let state = Mutex(StoreCounts())

  init(contextID: UInt64?) { self.contextID = contextID }

  var counts: StoreCounts { state.withLock { $0 } }

  func record(_ event: StoreEvent, contextID: UInt64) {
    guard self.contextID == nil || self.contextID == contextID else { return }
    state.withLock { $0.add(event) }
  }

  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {
    guard self.contextID == nil || self.contextID == contextID else { return }
    state.withLock { $0.texts[StatementID(sql: sql)] = sql }
  }

  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}

/// The counts, by kind and by statement and line.
struct StoreCounts {
  /// The runs of a statement that one line of code requested.
  struct Use: Hashable {
    var statement: StatementID
    var location: StoreEvents.SourceLocation
    var isMiss: Bool
  }

  struct Amount {
    var runs = 0
    var rows: UInt64 = 0
    var fullScanSteps: UInt64 = 0
  }

  var fetches = 0
  var counts = 0
  var rows = 0
  var faults = 0
  var cacheMisses = 0
  var saves = 0
  /// Fetches, counts and misses that stepped through a table without an index.
  var fullScans = 0
  var uses: [Use: Amount] = [:]
  var texts: [StatementID: String] = [:]
  private var locations: [UInt64: StoreEvents.SourceLocation] = [:]
  private var misses: [MissKey: CacheMiss] = [:]

  /// The miss comes before the fault that carries its origin.
  private struct MissKey: Hashable {
    var entity: String
    var pk: Int64
    var relationship: String
  }

  mutating func add(_ event: StoreEvent) {
    switch event {
    case .fetchBegin(let begin): locations[begin.fetchID] = begin.location
    case .fetchEnd(let end): add(end)
    case .cacheMiss(let miss):
      cacheMisses += 1
      if miss.fullScanSteps > 0 { fullScans += 1 }
      misses[MissKey(entity: miss.entity, pk: miss.pk, relationship: miss.relationship)] = miss
    case .fault(let fault): add(fault)
    case .saveEnd: saves += 1
    default: break
    }
  }

  private mutating func add(_ end: FetchEnd) {
    switch end.kind {
    case .count: counts += 1
    case .prefetch, .batch: break
    default:
      fetches += 1
      rows += Int(clamping: end.rows)
    }
    if end.counters.fullScanSteps > 0 { fullScans += 1 }
    let location = locations.removeValue(forKey: end.fetchID) ?? .unknown
    add(end.statementID, location, end.rows, end.counters.fullScanSteps, isMiss: false)
  }

  private mutating func add(_ fault: FaultFired) {
    faults += 1
    let key = MissKey(entity: fault.entity, pk: fault.pk, relationship: fault.relationship)
    guard fault.source == .database, let miss = misses.removeValue(forKey: key) else { return }
    add(miss.statementID, fault.origin, fault.rows, miss.fullScanSteps, isMiss: true)
  }

  private mutating func add(
    _ statement: StatementID, _ location: StoreEvents.SourceLocation, _ rows: UInt64,
    _ fullScanSteps: UInt64, isMiss: Bool
  ) {
    let use = Use(statement: statement, location: location, isMiss: isMiss)
    var amount = uses[use] ?? Amount()
    amount.runs += 1
    amount.rows &+= rows
    amount.fullScanSteps &+= fullScanSteps
    uses[use] = amount
  }
}
