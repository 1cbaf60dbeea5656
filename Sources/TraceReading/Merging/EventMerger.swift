// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Merges several sources into one stream, in the order of their timestamps.
///
/// Holds one batch of each source, never a whole source, and nothing of one that starts later. Events of
/// one source keep their order, like the lines of a log; events of the same nanosecond keep the order of
/// the sources.
struct EventMerger {
  private let sources: [any EventSource]

  init(_ sources: [any EventSource]) { self.sources = sources }

  /// Returns all events.
  ///
  /// - Returns: false if an interruption ended it early.
  func readAll(_ body: (EventRecord) throws -> Void) throws -> Bool {
    if sources.count == 1 {
      while !ReadingInterruption.isRequested {
        if try !sources[0].readBatch(body) { return true }
      }
      return false
    }
    var queues: [Queue] = []
    // The earliest one last. Sources of the same time stay in their order.
    var waiting = sources.enumerated().sorted {
      ($0.element.start ?? .min, $0.offset) > ($1.element.start ?? .min, $1.offset)
    }.map(\.element)
    while !ReadingInterruption.isRequested {
      let earliest = queues.indices.min(by: { queues[$0].time < queues[$1].time })
      if let next = waiting.last, earliest.map({ next.start ?? .min <= queues[$0].time }) ?? true {
        var queue = Queue(source: waiting.removeLast())
        if try queue.refill() { queues.append(queue) }
        continue
      }
      guard let earliest else { return true }
      try body(queues[earliest].popFirst())
      if queues[earliest].isEmpty, try !queues[earliest].refill() {
        queues.remove(at: earliest)
      }
    }
    return false
  }

  /// A source and the part of its last batch that is still to be given.
  private struct Queue {
    let source: any EventSource
    private var records: [EventRecord] = []
    private var head = 0
    /// The timestamp of the first record.
    private(set) var time: Nanoseconds = 0

    init(source: any EventSource) { self.source = source }

    var isEmpty: Bool { head == records.count }

    mutating func popFirst() -> EventRecord {
      let record = records[head]
      head += 1
      if head < records.count { time = records[head].timestamp }
      return record
    }

    /// Reads batches until there is a record; false at the end of the source.
    mutating func refill() throws -> Bool {
      records.removeAll(keepingCapacity: true)
      head = 0
      while records.isEmpty {
        if try !source.readBatch({ records.append($0) }), records.isEmpty { return false }
      }
      time = records[0].timestamp
      return true
    }
  }
}
