// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents
import TraceReading

/// The events of one trace or live session, as libbabeltrace2 decodes them.
final class BabeltraceSource: LiveSource {
  private let graph: BabeltraceGraph
  private let ledger: SourceLedger
  private let folder: String
  private let strings = StringCache()
  private var processes = ProcessTable()
  private var isAtEnd = false
  /// Kept referenced, so that no address is used for another class.
  private var classes: [OpaquePointer: EventClassSchema] = [:]

  init(_ graph: BabeltraceGraph, _ folder: String, _ ledger: SourceLedger) {
    self.graph = graph
    self.folder = folder
    self.ledger = ledger
  }

  deinit {
    // They are of the graph's trace: they go first.
    for pointer in classes.keys { bt_event_class_put_ref(pointer) }
  }

  /// Whether a live session has nothing more yet.
  var isDry: Bool { graph.isDry }

  /// Nil, since libbabeltrace2 does not report its position in a file.
  func extent(after elapsed: Nanoseconds) -> ReadingExtent? { nil }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    guard !isAtEnd else { return false }
    // The library's messages are released before the body may throw.
    var records: [EventRecord] = []
    do {
      isAtEnd = try !graph.readBatch { message in
        if let record = record(message) { records.append(record) }
      }
    } catch {
      isAtEnd = true
      recordDamage("\(error)")
    }
    for record in records {
      ledger.count(record)
      try body(record)
    }
    return !isAtEnd
  }

  private func recordDamage(_ damage: String) {
    let name = LogText.quoted(folder)
    let reason = SystemErrorText.descriptorShortage(of: 2)?.sentence
    ledger.addProblem(
      reason.map { "the trace in \(name) was not read to its end: \($0)" }
        ?? "the trace in \(name) is damaged, its events after that place were not read: \(damage)")
  }

  private func record(_ message: OpaquePointer) -> EventRecord? {
    var count: UInt64 = 0
    switch bt_message_get_type(message) {
    case BT_MESSAGE_TYPE_EVENT:
      return bt_message_event_borrow_event_const(message).flatMap { record($0, of: message) }
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      let known = bt_message_discarded_events_get_count(message, &count)
      // At least one, if the tracer does not state how many.
      ledger.countLost(known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      let known = bt_message_discarded_packets_get_count(message, &count)
      ledger.countLost(known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
      ledger.addProblem(
        "the trace in \(LogText.quoted(folder)) lost whole packets, each of many events; record "
          + "again with more or larger buffers")
    default: break
    }
    return nil
  }

  private func record(_ event: OpaquePointer, of message: OpaquePointer) -> EventRecord? {
    let schema = schema(of: event)
    guard let kind = schema.kind else { return unrecognized(schema, "not of this vocabulary") }
    guard schema.hasClock, let time = message.eventTime else {
      return unrecognized(schema, "no timestamp")
    }
    guard let payload = bt_event_borrow_payload_field_const(event) else {
      return unrecognized(schema, "no fields")
    }
    do throws(EventFieldError) {
      var fields = BabeltraceFieldReader(payload, schema.members, strings)
      let storeEvent = try StoreEvent(kind, from: &fields)
      let contextID = try fields.uint64("context_id")
      let contexts = schema.contexts(of: event)
      var process = processes.process(contexts, in: schema.environment)
      if let name = storeEvent.processName { process = processes.rename(process, to: name) }
      return EventRecord(
        timestamp: time, process: process, threadID: contexts.threadID ?? process.id,
        contextID: contextID, event: storeEvent)
    } catch {
      return unrecognized(schema, error.sentence)
    }
  }

  private func schema(of event: OpaquePointer) -> EventClassSchema {
    guard let pointer = bt_event_borrow_class_const(event) else {
      preconditionFailure("libbabeltrace2: an event without its class")
    }
    if let known = classes[pointer] { return known }
    bt_event_class_get_ref(pointer)
    let schema = EventClassSchema(pointer, of: event)
    classes[pointer] = schema
    return schema
  }

  private func unrecognized(_ schema: EventClassSchema, _ reason: String) -> EventRecord? {
    ledger.countUnrecognized("\(schema.name): \(reason)")
    return nil
  }
}
