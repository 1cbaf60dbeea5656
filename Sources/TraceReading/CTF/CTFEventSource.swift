// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// The events of one CTF trace.
final class CTFEventSource: LiveSource {
  private let graph: CTFGraph
  private let salvage: CTFSalvage?
  private let ledger: SourceLedger
  private let folder: String
  private let strings = StringCache()
  /// Compared one by one, those first that come often: hashing a pointer takes longer.
  private var schemas: [EventClassSchema] = []
  /// The schema of the last event: faults come in storms.
  private var last: EventClassSchema?
  private var processes = ProcessTable()
  private var isAtEnd = false

  /// Opens a trace, or what is undamaged of it; `nil`, with a problem noted, if nothing is.
  init?(_ trace: CTFTrace, ledger: SourceLedger) {
    folder = trace.folders[0]
    self.ledger = ledger
    do {
      // Without its index, which the salvaged trace has not, all of it may be readable.
      guard trace.folders.allSatisfy(PacketIndex.isSound) else {
        throw BabeltraceError("its index does not fit its packets")
      }
      guard trace.folders.allSatisfy(StreamFile.areWhole) else {
        throw BabeltraceError("its packets do not have the lengths that they tell")
      }
      graph = try CTFGraph(.folders(trace.folders))
      salvage = nil
    } catch {
      guard let salvage = try? CTFSalvage(trace),
        let graph = try? CTFGraph(.folders(salvage.trace.folders))
      else {
        ledger.addProblem("the trace in \(LogText.quoted(folder)) is damaged: \(error)")
        return nil
      }
      for problem in salvage.problems { ledger.addProblem(problem) }
      self.graph = graph
      self.salvage = salvage
    }
  }

  /// Joins a live session.
  ///
  /// - Throws: ``TraceReadingError`` if nobody answers there, or there is no such session.
  init(session url: String, ledger: SourceLedger) throws(TraceReadingError) {
    folder = url
    self.ledger = ledger
    salvage = nil
    do {
      graph = try CTFGraph(.session(url))
      try graph.takeFirst()
    } catch {
      throw .unreadable(url, reason: "\(error)")
    }
  }

  /// Whether a live session has nothing more yet.
  var isDry: Bool { graph.isDry }

  deinit {
    // The schemas hold event classes of the graph's trace: they go first.
    last = nil
    schemas = []
  }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    guard !isAtEnd else { return false }
    do {
      isAtEnd = try !graph.readBatch { try read($0, body) }
    } catch let error as BabeltraceError {
      isAtEnd = true
      ledger.addProblem(
        "the trace in \(LogText.quoted(folder)) is damaged, its events after that place were not "
          + "read: \(error)")
    }
    return !isAtEnd
  }

  private func read(_ message: OpaquePointer, _ body: (EventRecord) throws -> Void) throws {
    switch bt_message_get_type(message) {
    case BT_MESSAGE_TYPE_EVENT:
      guard let record = record(message) else { return }
      ledger.countEvent()
      try body(record)
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      var count: UInt64 = 0
      let known = bt_message_discarded_events_get_count(message, &count)
      // At least one, where the tracer does not say how many.
      ledger.countLost(known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      var count: UInt64 = 0
      let known = bt_message_discarded_packets_get_count(message, &count)
      ledger.countLost(known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
      ledger.addProblem(
        "the trace in \(LogText.quoted(folder)) lost whole packets, each of many events; record "
          + "again with more or larger buffers")
    default: break
    }
  }

  private func record(_ message: OpaquePointer) -> EventRecord? {
    guard let event = bt_message_event_borrow_event_const(message) else { return nil }
    let schema = schema(of: event)
    guard let kind = schema.kind else { return unrecognized(schema, "not of this vocabulary") }
    guard schema.hasClock, let time = Self.time(of: message) else {
      return unrecognized(schema, "no timestamp")
    }
    guard let payload = bt_event_borrow_payload_field_const(event) else {
      return unrecognized(schema, "no fields")
    }
    do throws(EventFieldError) {
      let (contextID, storeEvent) = try decode(kind, payload, schema)
      let threadID = processes.threadID(of: event, schema.contexts)
      var process = processes.process(of: event, schema.contexts, threadID: threadID)
      if case .storeOpened(let opened) = storeEvent, opened.processName != "" {
        process = processes.rename(process, to: opened.processName)
      }
      return EventRecord(
        timestamp: time, process: process, threadID: threadID, contextID: contextID,
        event: storeEvent)
    } catch {
      return unrecognized(schema, error.sentence)
    }
  }

  private func decode(
    _ kind: StoreEvent.Kind, _ payload: OpaquePointer, _ schema: EventClassSchema
  ) throws(EventFieldError) -> (UInt64, StoreEvent) {
    if schema.isInOrder {
      var fields = InOrderFieldReader(payload, strings: strings)
      return (fields.uint64("context_id"), try StoreEvent(kind, from: &fields))
    }
    var fields = ByNameFieldReader(payload, members: schema.members, strings: strings)
    let event = try StoreEvent(kind, from: &fields)
    schema.learnOrder(fields.asked)
    return (try fields.uint64("context_id"), event)
  }

  private func schema(of event: OpaquePointer) -> EventClassSchema {
    let eventClass = bt_event_borrow_class_const(event)
    guard let eventClass else { preconditionFailure("libbabeltrace2: an event without its class") }
    if let last, last.eventClass == eventClass { return last }
    if let place = schemas.firstIndex(where: { $0.eventClass == eventClass }) {
      let schema = schemas[place]
      // Those that come often move to the front.
      schemas.swapAt(place, place / 2)
      last = schema
      return schema
    }
    let schema = EventClassSchema(eventClass)
    schemas.append(schema)
    last = schema
    return schema
  }

  private static func time(of message: OpaquePointer) -> Nanoseconds? {
    var time: Int64 = 0
    let clock = bt_message_event_borrow_default_clock_snapshot_const(message)
    let status = bt_clock_snapshot_get_ns_from_origin(clock, &time)
    if status == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK { return time }
    bt_current_thread_clear_error()
    return nil
  }

  private func unrecognized(_ schema: EventClassSchema, _ reason: String) -> EventRecord? {
    ledger.countUnrecognized("\(schema.name): \(reason)")
    return nil
  }
}

extension EventFieldError {
  /// The fact as words, to stand after the event's name.
  var sentence: String {
    switch self {
    case .missing(let field): "field '\(field)' is missing"
    case .malformed(let field, let value): "field '\(field)' cannot be '\(value)'"
    case .unknownEvent(let name): "event '\(name)' is unknown"
    }
  }
}
