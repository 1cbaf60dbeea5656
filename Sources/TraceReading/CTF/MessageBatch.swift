// SPDX-License-Identifier: Apache-2.0

import CAbortGuard
import CBabeltrace

/// The messages that the sink took last.
final class MessageBatch {
  private var messages: bt_message_array_const?
  private var next = 0
  private var count = 0

  /// Lets the graph's sink take its next messages; `nil` if libbabeltrace2 aborted.
  func run(_ graph: OpaquePointer) -> bt_graph_run_once_status? {
    var call = (graph: graph, status: BT_GRAPH_RUN_ONCE_STATUS_ERROR)
    let cameBack = withUnsafeMutablePointer(to: &call) { call in
      CAbortGuard_run(
        { context in
          let call = context?.assumingMemoryBound(
            to: (graph: OpaquePointer, status: bt_graph_run_once_status).self)
          if let call { call.pointee.status = bt_graph_run_once(call.pointee.graph) }
        }, call)
    }
    guard cameBack else {
      bt_current_thread_clear_error()
      return nil
    }
    return call.status
  }

  /// Runs inside libbabeltrace2, so it only keeps the array: it is valid until the next call.
  func take(
    from iterator: OpaquePointer
  ) -> bt_graph_simple_sink_component_consume_func_status {
    // Locals, not `&messages`: the runtime would keep a record of the access to the property on
    // this stack, which is gone if the call aborts.
    var array: bt_message_array_const?
    var taken: UInt64 = 0
    switch bt_message_iterator_next(iterator, &array, &taken) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
      messages = array
      next = 0
      count = Int(taken)
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR
    default:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
    }
  }

  /// Gives each message, and releases all of them even if `body` throws.
  func removeAll(_ body: (OpaquePointer) throws -> Void) rethrows {
    defer { releaseAll() }
    while next < count {
      guard let message = messages?[next] else { return }
      next += 1
      defer { bt_message_put_ref(message) }
      try body(message)
    }
  }

  func releaseAll() {
    while next < count {
      bt_message_put_ref(messages?[next])
      next += 1
    }
  }
}
