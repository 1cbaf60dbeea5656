// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// Copies the events of a trace out of libbabeltrace2, batch by batch.
///
/// Unchecked: one thread after the other uses it, never two at once.
final class CTFEventReader: @unchecked Sendable {
  private let graph: CTFGraph
  // Unchecked: one thread at a time, and the checks are a twentieth of our part.
  /// Compared one by one, those first that come often: hashing a pointer takes longer.
  @exclusivity(unchecked) private var classes: [EventClass] = []

  private struct EventClass {
    /// Kept referenced, so that its address is not used for another one.
    let pointer: OpaquePointer
    let number: Int
    let schema: EventClassSchema
  }

  init(_ graph: CTFGraph) { self.graph = graph }

  deinit {
    // They are of the graph's trace: they go first.
    for eventClass in classes { bt_event_class_put_ref(eventClass.pointer) }
  }

  /// Whether a live session has nothing more yet.
  var isDry: Bool { graph.isDry }

  // The library returns 15 messages of a stream at once; 256 times so many are more than a batch
  // holds, but for those without events.
  private static let maxRounds = 256

  /// Fills a batch with the next few messages of the library, or with as many as fit.
  func fill(_ batch: EventBatch, toTheBrim: Bool) {
    do {
      for _ in 0..<(toTheBrim ? Self.maxRounds : 1) where !batch.isFull && !batch.isLast {
        batch.isLast = try !graph.readBatch { copy($0, to: batch) }
      }
    } catch {
      batch.damage = error as? BabeltraceError ?? BabeltraceError("\(error)")
      batch.isLast = true
    }
  }

  private func copy(_ message: OpaquePointer, to batch: EventBatch) {
    switch bt_message_get_type(message) {
    case BT_MESSAGE_TYPE_EVENT:
      guard let event = bt_message_event_borrow_event_const(message) else { return }
      copy(event, of: message, to: batch)
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      var count: UInt64 = 0
      let known = bt_message_discarded_events_get_count(message, &count)
      // At least one, if the tracer does not state how many.
      batch.addLost(events: known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      var count: UInt64 = 0
      let known = bt_message_discarded_packets_get_count(message, &count)
      batch.addLostPackets(known == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1)
    default: break
    }
  }

  private func copy(_ event: OpaquePointer, of message: OpaquePointer, to batch: EventBatch) {
    let place = place(ofClassOf: event, batch)
    let number = classes[place].number
    // The list keeps it.
    Unmanaged.passUnretained(classes[place].schema)._withUnsafeGuaranteedRef { schema in
      guard schema.kind != nil else { return batch.addEvent(ofClass: number, .unknown) }
      guard schema.hasClock, let time = message.eventTime else {
        return batch.addEvent(ofClass: number, .untimed)
      }
      guard let payload = bt_event_borrow_payload_field_const(event) else {
        return batch.addEvent(ofClass: number, .empty)
      }
      batch.addEvent(ofClass: number, .whole, time: time) { batch in
        schema.contexts.copy(of: event, to: batch)
        batch.append(payload, schema.types)
      }
    }
  }

  /// Where in the list the class of an event is.
  private func place(ofClassOf event: OpaquePointer, _ batch: EventBatch) -> Int {
    let pointer = bt_event_borrow_class_const(event)
    guard let pointer else { preconditionFailure("libbabeltrace2: an event without its class") }
    for place in classes.indices where classes[place].pointer == pointer {
      // Those that come often move to the front.
      if place > 0 { classes.swapAt(place, place / 2) }
      return place / 2
    }
    bt_event_class_get_ref(pointer)
    let eventClass = EventClass(
      pointer: pointer, number: classes.count, schema: EventClassSchema(pointer, of: event))
    batch.add(eventClass.schema)
    classes.append(eventClass)
    return classes.count - 1
  }
}
