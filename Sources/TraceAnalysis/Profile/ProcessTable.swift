// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The processes of a trace by small numbers, and their stores' counts.
struct ProcessTable {
  private(set) var profiles: [ProcessProfile] = []
  private var starts: [Nanoseconds?] = []
  /// By store: the last `counters` event of each process.
  private var counters: [[UInt64: CountersSampled]] = []
  private var indexes: [ID: Int] = [:]
  /// The process of the last event; the index is -1 before the first one.
  private var lastID = ID(pid: 0, host: "")
  private var lastIndex = -1
  /// Whether there were more processes than are counted separately.
  private(set) var isFull = false

  /// The name is left out: a trace may contain a thread's until the process opens its store.
  private struct ID: Hashable {
    var pid: Int64
    var host: String

    init(pid: Int64, host: String) {
      self.pid = pid
      self.host = host
    }

    init(_ process: ProcessIdentity) { self.init(pid: process.id, host: process.host) }
  }

  /// The meaning of an event for the table.
  enum Role {
    /// It may contain when its process started.
    case start
    /// It is not among the events that `counters` count: it explains others, and may be repeated.
    case announcement
    case counters
    case other

    init(_ event: StoreEvent) {
      switch event {
      case .storeOpened, .connectionOpened: self = .start
      // A log of level 2 has the values of every run.
      case .statement, .caller, .values: self = .announcement
      case .counters: self = .counters
      default: self = .other
      }
    }
  }

  /// Finds the process of an event.
  ///
  /// A process id that opens a store with another start time was used again: it is a new process.
  ///
  /// - Parameter role: that of the event, which is copied where it is looked at.
  mutating func index(of record: EventRecord, as role: Role) -> Int {
    guard role == .start, let start = record.event.processStart else {
      if lastID.pid == record.process.id, lastIndex >= 0, lastID.host == record.process.host {
        return lastIndex
      }
      return recordIndex(indexes[ID(record.process)] ?? append(record.process), for: record.process)
    }
    var index = indexes[ID(record.process)] ?? append(record.process)
    if let known = starts[index], known != start { index = append(record.process) }
    if index < Bounds.processes {
      starts[index] = start
      profiles[index].start = start
      profiles[index].identity = record.process
    }
    return recordIndex(index, for: record.process)
  }

  private mutating func recordIndex(_ index: Int, for process: ProcessIdentity) -> Int {
    if index < Bounds.processes { indexes[ID(process)] = index }
    (lastID, lastIndex) = (ID(process), index)
    return index
  }

  /// Beyond the bound all processes are one.
  private mutating func append(_ identity: ProcessIdentity) -> Int {
    guard !isFull else { return Bounds.processes }
    isFull = profiles.count == Bounds.processes
    let rest = ProcessIdentity(id: 0, name: "other processes")
    var profile = ProcessProfile(identity: isFull ? rest : identity)
    profile.countsEvents = !isFull
    profiles.append(profile)
    starts.append(nil)
    counters.append([:])
    return profiles.count - 1
  }

  mutating func count(_ record: EventRecord, as role: Role, at index: Int) {
    if role == .announcement { return }
    profiles[index].count(record)
    guard role == .counters, case .counters(let sample) = record.event, index < Bounds.processes
    else { return }
    profiles[index].eventsUncounted = 0
    counters[index][sample.storeID] = sample
    var (emitted, tracingTime): (UInt64, Nanoseconds) = (0, 0)
    for sample in counters[index].values {
      // The counters event itself was emitted too.
      emitted.add(sample.events)
      emitted.add(1)
      tracingTime.add(sample.tracingTime)
    }
    profiles[index].eventsEmitted = emitted
    profiles[index].tracingTime = tracingTime > 0 ? tracingTime : nil
  }

  /// Records the processes that cannot have a `counters` event.
  mutating func excuse(_ identities: [ProcessIdentity]) {
    for index in profiles.indices where identities.contains(profiles[index].identity) {
      profiles[index].countsEvents = false
    }
  }

  mutating func abandonFetch(at index: Int) { profiles[index].unfinishedFetches.add(1) }
}

extension ProcessProfile {
  fileprivate mutating func count(_ record: EventRecord) {
    eventsSeen.add(1)
    eventsUncounted.add(1)
    guard record.measures.contains(.timeOfDay) else { return }
    firstEvent = min(firstEvent ?? .max, record.timestamp)
    lastEvent = max(lastEvent ?? .min, record.timestamp)
  }
}

extension StoreEvent {
  /// When its process started, if the event contains it.
  fileprivate var processStart: Nanoseconds? {
    switch self {
    case .storeOpened(let event): event.processStart
    case .connectionOpened(let event): event.processStart
    default: nil
    }
  }
}

/// The cost of tracing in the traced programs' time, which they measured for a sample of their
/// events.
///
/// The cost of the tracer's own processes is not included.
public struct TracingCost: Hashable, Sendable {
  /// The time that tracing took.
  public var time: Nanoseconds
  /// The mean of all events.
  public var timePerEvent: Nanoseconds
}

extension Profile {
  /// Nil if it is unknown for a process: it is of an older version, or was killed early.
  public var tracingCost: TracingCost? {
    var (time, events): (Nanoseconds, UInt64) = (0, 0)
    for process in processes {
      guard let part = process.tracingTime, let emitted = process.eventsEmitted else { return nil }
      time.add(part)
      events.add(emitted)
    }
    guard events > 0 else { return nil }
    return TracingCost(time: time, timePerEvent: time / Int64(clamping: events))
  }
}
