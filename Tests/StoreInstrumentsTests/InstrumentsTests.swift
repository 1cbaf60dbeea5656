// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments
import Synchronization
import TestSupport
import Testing

@Suite struct InstrumentsTests {
  let observer = RecordingObserver(interests: .events)
  let id = StatementID(sql: "SELECT 1")

  @Test func disabledEventIsNotMade() {
    let instruments = Instruments(observers: [RecordingObserver(interests: [])])
    func unexpected() -> StoreEvent {
      Issue.record("made an event nobody wants")
      return .busy(BusyWaited(storeID: 1, attempts: 0, waitTime: 0, gaveUp: 0))
    }
    instruments.emit(unexpected(), contextID: 1)
    #expect(instruments.counters.statistics.events == 0)
  }

  @Test func announcesAStatementOnceAndAgainAfterItsUses() {
    let instruments = makeInstruments(uses: 3)
    for _ in 1...7 { instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2) }
    let announcement = StoreEvent.statement(
      StatementAnnounced(storeID: 9, statementID: id, sql: "SELECT 1"))
    #expect(observer.events == [announcement, announcement, announcement])
    #expect(instruments.counters.statistics.events == 0)
  }

  @Test func announcesAgainWhenAListenerBegins() {
    let listener = Listener()
    let instruments = Instruments(observers: [listener])
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    #expect(listener.heard.isEmpty)
    listener.listens.store(true, ordering: .relaxed)
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    #expect(listener.heard == [.statement])
    listener.listens.store(false, ordering: .relaxed)
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    listener.listens.store(true, ordering: .relaxed)
    instruments.counters.countFetch()
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    #expect(listener.heard == [.statement, .counters, .statement])
  }

  @Test func samplesTheCountersAfterSoManyEvents() {
    let instruments = makeInstruments(events: 4)
    instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
    instruments.counters.countFetch()
    for _ in 1...4 { instruments.emit(busy, contextID: 2) }
    guard case .counters(let sample) = observer.events.last else {
      Issue.record("no counters: \(observer.events)")
      return
    }
    let expected = CountersSampled(
      storeID: 9, fetches: 1, faults: 0, cacheHits: 0, cacheMisses: 0, saves: 0, events: 4,
      tracingTime: sample.tracingTime)
    #expect(sample == expected)
    #expect(sample.tracingTime > 0)
    instruments.emit(busy, contextID: 2)
    #expect(observer.events.count { $0.kind == .counters } == 1)
    #expect(instruments.counters.statistics.events == 6)
  }

  @Test func lastCountersComeWithTheEndOfTheStore() {
    do {
      let instruments = makeInstruments()
      instruments.announce("SELECT 1", id: id, storeID: 9, contextID: 2)
      instruments.emit(busy, contextID: 2)
      instruments.emitCounters(contextID: 2)
    }
    #expect(observer.events.map(\.kind) == [.statement, .busy, .counters])
  }

  private var busy: StoreEvent {
    .busy(BusyWaited(storeID: 9, attempts: 1, waitTime: 1, gaveUp: 0))
  }

  private func makeInstruments(uses: UInt64 = 1_000, events: UInt64 = 1_000) -> Instruments {
    Instruments(
      observers: [observer], intervals: Intervals(uses: uses, events: events, time: nil))
  }
}

/// Listens now and then.
private final class Listener: StoreObserver {
  let listens = Atomic<Bool>(false)
  private let kinds = Mutex<[StoreEvent.Kind]>([])

  var heard: [StoreEvent.Kind] { kinds.withLock { $0 } }
  var interests: Interests { listens.load(ordering: .relaxed) ? .events : [] }

  func record(_ event: StoreEvent, contextID: UInt64) {
    kinds.withLock { $0.append(event.kind) }
  }
  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}
