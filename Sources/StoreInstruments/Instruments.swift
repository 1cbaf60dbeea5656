// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import Synchronization

/// The instruments of one store: its counters, and the observers of its events.
///
/// Off means free: check ``wants(_:)`` before reading a clock or making an argument. A disabled
/// ``emit(_:contextID:)`` takes 2 to 3 ns (perf over 2,000,000 rounds of the event emitter).
public final class Instruments: Sendable {
  /// Counted always; readable at any moment.
  public let counters = Counters()
  /// Apart from the others: they are called directly and not through the protocol.
  @usableFromInline let tracepoints: Tracepoints?
  private let others: [any StoreObserver]
  @usableFromInline let hasOthers: Bool
  /// Those that watch for a while, and whether there are any: checked before the lock is taken.
  private let watchers = Mutex<[any StoreObserver]>([])
  @usableFromInline let isWatched = Atomic<Bool>(false)
  private let announcements: StatementAnnouncements
  private let sampler: CounterSampler
  private let cost = TracingCost()
  private let values = ValueRecorder()
  /// Whether stores record the values that their statements bind, whatever their options.
  public let recordsValues: Bool
  /// Whether stores record what they read, write and sync.
  public let recordsIO: Bool

  /// - Parameters:
  ///   - observers: In the order in which they are notified, but the tracepoints come first.
  ///   - intervals: When statements are announced again and counters sampled.
  ///   - recordsValues: Whether ``recordValues(of:_:storeID:contextID:)`` is to be called, by every
  ///     store.
  public init(
    observers: [any StoreObserver], intervals: Intervals = .counted, recordsValues: Bool = false,
    recordsIO: Bool = false
  ) {
    self.recordsValues = recordsValues
    self.recordsIO = recordsIO
    tracepoints = observers.lazy.compactMap { $0 as? Tracepoints }.first
    others = observers.filter { !($0 is Tracepoints) }
    hasOthers = !others.isEmpty
    announcements = StatementAnnouncements(intervals)
    sampler = CounterSampler(intervals)
  }

  deinit { emitCounters(contextID: 0) }

  /// What any observer wants right now.
  @inlinable
  public var interests: Interests {
    // Inlined where only the tracepoints can be interested: it is checked for every fault.
    guard hasOthers || isWatched.load(ordering: .relaxed) else {
      return tracepoints == nil ? [] : TraceSessions.interests
    }
    return requestedInterests
  }

  @usableFromInline
  var requestedInterests: Interests {
    var result: Interests = tracepoints == nil ? [] : TraceSessions.interests
    for observer in others { result.formUnion(observer.interests) }
    for observer in watching { result.formUnion(observer.interests) }
    return result
  }

  private var watching: [any StoreObserver] {
    isWatched.load(ordering: .relaxed) ? watchers.withLock { $0 } : []
  }

  /// Lets one more observer watch, until ``unwatch(_:)``; it receives events and SQL.
  public func watch(_ observer: any StoreObserver) {
    watchers.withLock { $0.append(observer) }
    isWatched.store(true, ordering: .relaxed)
  }

  /// Ends what ``watch(_:)`` began.
  public func unwatch(_ observer: any StoreObserver) {
    watchers.withLock { watchers in
      watchers.removeAll { $0 === observer }
      if watchers.isEmpty { isWatched.store(false, ordering: .relaxed) }
    }
  }

  /// Whether any observer wants this right now.
  @inlinable
  public func wants(_ interest: Interests) -> Bool { interests.contains(interest) }

  /// Notifies every observer that wants events; the event is made only then, and once.
  @inlinable
  public func emit(_ event: @autoclosure () -> StoreEvent, contextID: UInt64) {
    if wants(.events) { emitWanted(event(), contextID: contextID) }
  }

  @usableFromInline
  func emitWanted(_ event: @autoclosure () -> StoreEvent, contextID: UInt64) {
    notify(event(), contextID: contextID)
    if sampler.isDue(events: counters.statistics.events) { emitCounters(contextID: contextID) }
  }

  /// Ensures that a reader can find a statement's text by its id.
  ///
  /// To be called whenever a statement is used: it is announced the first time, again at
  /// intervals, and when a listener attaches.
  public func announce(
    _ sql: String, id: StatementID, storeID: UInt64, contextID: UInt64
  ) {
    guard wants(.events) else { return announcements.reset() }
    sampler.storeID = storeID
    noticeNewListener(contextID: contextID)
    guard announcements.isDue(id, storeID: storeID) else { return }
    notify(
      .statement(StatementAnnounced(storeID: storeID, statementID: id, sql: sql)),
      contextID: contextID)
  }

  /// Records and announces everything again if a listener came since the last call.
  private func noticeNewListener(contextID: UInt64) {
    guard announcements.startsListening() else { return }
    values.removeAll()
    emitCounters(contextID: contextID)
  }

  /// Emits what was counted up to now, unless nothing was since it was last emitted.
  ///
  /// To be called when a store is closed; called at intervals and at process exit by itself.
  public func emitCounters(contextID: UInt64) {
    guard wants(.events), let storeID = sampler.storeID else { return }
    let statistics = counters.statistics
    guard sampler.hasChanged(statistics) else { return }
    notify(
      .counters(CountersSampled(statistics, storeID: storeID, tracingTime: cost.time)),
      contextID: contextID)
    sampler.didSample(counters.statistics)
  }

  private func notify(_ event: @autoclosure () -> StoreEvent, contextID: UInt64) {
    cost.measuring {
      let event = event()
      if case .storeOpened(let opened) = event { sampler.storeID = opened.storeID }
      switch event {
      case .statement, .values: break
      default: counters.countEvent()
      }
      if let tracepoints, !TraceSessions.interests.isEmpty {
        tracepoints.record(event, contextID: contextID)
      }
      for observer in others where observer.interests.contains(.events) {
        observer.record(event, contextID: contextID)
      }
      for observer in watching where observer.interests.contains(.events) {
        observer.record(event, contextID: contextID)
      }
    }
  }

  /// Checks the others too, and counts their work as part of the cost of tracing.
  @inline(__always)
  private func notifyOthers(
    interestedIn interest: Interests, _ body: (any StoreObserver, Interests) -> Void
  ) {
    // Empty without a debug log, and then nothing is to be measured.
    guard !others.isEmpty else { return }
    cost.measuring {
      for observer in others {
        let interests = observer.interests
        if interests.contains(interest) { body(observer, interests) }
      }
    }
  }

  /// Reports a statement that is about to run; the bindings are made only for observers that want
  /// them.
  public func willRun(
    sql: String, bindings: @autoclosure () -> [BoundValue], contextID: UInt64
  ) {
    notifyOthers(interestedIn: .sql) { observer, interests in
      observer.willRun(
        sql: sql, bindings: interests.contains(.bindings) ? bindings() : [], contextID: contextID)
    }
    for observer in watching where observer.interests.contains(.sql) {
      observer.willRun(sql: sql, bindings: [], contextID: contextID)
    }
  }

  /// Records the values of a statement that is about to run, if the run is one of the first or of
  /// the sample; for stores whose options or whose instruments enable it.
  public func recordValues(
    of sql: String, _ bindings: [BoundValue], storeID: UInt64, contextID: UInt64
  ) {
    guard wants(.events) else { return }
    noticeNewListener(contextID: contextID)
    guard let event = values.event(sql: sql, bindings: bindings, storeID: storeID) else { return }
    notify(.values(event), contextID: contextID)
  }

  /// Reports which objects a fetch returned.
  public func didReturn(
    _ objectURIs: @autoclosure () -> [String], entity: String, sql: String, contextID: UInt64
  ) {
    notifyOthers(interestedIn: .rows) { observer, _ in
      observer.didReturn(objectURIs(), entity: entity, sql: sql, contextID: contextID)
    }
  }

  /// Reports the plan of a statement that ran for the first time.
  public func didExplain(sql: String, plan: @autoclosure () -> [PlanLine], contextID: UInt64) {
    notifyOthers(interestedIn: .plans) { observer, _ in
      observer.didExplain(sql: sql, plan: plan(), contextID: contextID)
    }
  }

  /// Adds a remark in Core Data's words.
  public func annotate(_ remark: @autoclosure () -> String, contextID: UInt64) {
    notifyOthers(interestedIn: .sql) { observer, _ in
      observer.annotate(remark(), contextID: contextID)
    }
  }

  /// Warns of something that works, but hardly as it was meant.
  public func warn(_ remark: @autoclosure () -> String, contextID: UInt64) {
    notifyOthers(interestedIn: .sql) { observer, _ in
      observer.warn(remark(), contextID: contextID)
    }
  }
}
