// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// The messages that were taken last from one output of a source.
struct MessageStream {
  private var iterator: OpaquePointer?
  /// Valid until the iterator is advanced.
  private var messages: bt_message_array_const?
  private var next = 0
  private var count = 0
  private(set) var isEnded = false
  /// Of the next message; the earliest there is for one without a time, which waits for no other.
  private(set) var time = Int64.min
  private var hasClock = false

  var isEmpty: Bool { next == count }

  /// Makes it read an input of a sink.
  mutating func open(
    _ port: OpaquePointer?, of sink: OpaquePointer?
  ) -> bt_message_iterator_create_from_sink_component_status {
    bt_message_iterator_create_from_sink_component(sink, port, &iterator)
  }

  mutating func close() {
    bt_message_iterator_put_ref(iterator)
    iterator = nil
  }

  /// Runs inside libbabeltrace2, so it only keeps the array.
  mutating func takeNext() -> bt_message_iterator_next_status {
    // Locals, not `&messages`: nothing may be in use if the call aborts.
    var array: bt_message_array_const?
    var taken: UInt64 = 0
    let status = bt_message_iterator_next(iterator, &array, &taken)
    if status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK {
      messages = array
      next = 0
      count = Int(taken)
    }
    isEnded = status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END
    return status
  }

  /// Passes on and releases the next messages, up to a time.
  mutating func emit(until limit: Int64, _ body: (OpaquePointer) -> Void) {
    while let message = takeFirst() {
      body(message)
      bt_message_put_ref(message)
      // No other stream has a message.
      guard limit != .max else { continue }
      look()
      if time > limit { return }
    }
  }

  /// Finds out the time of the next message.
  mutating func look() {
    guard !isEmpty, let message = messages?[next] else { return }
    time = .min
    switch bt_message_get_type(message) {
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
      let stream = bt_message_stream_beginning_borrow_stream_const(message)
      let streamClass = bt_stream_borrow_class_const(stream)
      hasClock = bt_stream_class_borrow_default_clock_class_const(streamClass) != nil
    case BT_MESSAGE_TYPE_EVENT where hasClock: time = message.eventTime ?? .min
    default: break
    }
  }

  mutating func releaseAll() {
    while let message = takeFirst() { bt_message_put_ref(message) }
  }

  private mutating func takeFirst() -> OpaquePointer? {
    guard next < count else { return nil }
    defer { next += 1 }
    return messages?[next]
  }
}

extension OpaquePointer {
  /// When an event happened, if its message is of a stream with a clock.
  var eventTime: Int64? {
    var time: Int64 = 0
    let clock = bt_message_event_borrow_default_clock_snapshot_const(self)
    let status = bt_clock_snapshot_get_ns_from_origin(clock, &time)
    if status == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK { return time }
    bt_current_thread_clear_error()
    return nil
  }
}
