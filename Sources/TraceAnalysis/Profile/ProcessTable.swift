// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The processes of a trace by small numbers, and what their stores counted.
struct ProcessTable {
  private(set) var profiles: [ProcessProfile] = []
  private var starts: [Nanoseconds?] = []
  /// By store: the last `counters` of each process.
  private var counters: [[UInt64: CountersSampled]] = []
  private var indexes: [ID: Int] = [:]
  private var last: (id: ID, index: Int)?

  /// The name is left out: a trace may tell a thread's until the process opens its store.
  private struct ID: Hashable {
    var pid: Int64
    var host: String
  }

  /// Finds the process of an event.
  ///
  /// A process id that opens a store with another start time was used again: it is a new process.
  mutating func index(of record: EventRecord) -> Int {
    let id = ID(pid: record.process.id, host: record.process.host)
    var index: Int
    if let last, last.id == id {
      index = last.index
    } else {
      index = indexes[id] ?? append(record.process)
    }
    if case .storeOpened(let event) = record.event {
      if let start = starts[index], start != event.processStart { index = append(record.process) }
      starts[index] = event.processStart
      profiles[index].identity = record.process
    }
    indexes[id] = index
    last = (id, index)
    return index
  }

  private mutating func append(_ identity: ProcessIdentity) -> Int {
    profiles.append(ProcessProfile(identity: identity))
    starts.append(nil)
    counters.append([:])
    return profiles.count - 1
  }

  mutating func count(_ event: StoreEvent, at index: Int) {
    if case .statement = event { return }
    profiles[index].eventsSeen.add(1)
    profiles[index].eventsUncounted.add(1)
    guard case .counters(let sample) = event else { return }
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

  /// Notes the processes that no `counters` event can be expected of.
  mutating func excuse(_ identities: [ProcessIdentity]) {
    for index in profiles.indices where identities.contains(profiles[index].identity) {
      profiles[index].countsEvents = false
    }
  }

  mutating func abandonFetch(at index: Int) { profiles[index].unfinishedFetches.add(1) }
}
