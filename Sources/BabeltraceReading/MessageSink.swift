// SPDX-License-Identifier: Apache-2.0

import CAbortGuard
import CBabeltrace

/// A sink with an input for each output of a source, which returns their messages in the order of
/// their time.
///
/// libbabeltrace2's muxer does the same, through a queue for each input.
final class MessageSink {
  // No array: a call that aborts would leave a record of its access behind.
  private let streams: UnsafeMutableBufferPointer<MessageStream>

  init(inputs: Int) {
    streams = .allocate(capacity: inputs)
    streams.initialize(repeating: MessageStream())
  }

  deinit { streams.deallocate() }

  /// Lets the sink take what it needs; `nil` if libbabeltrace2 aborted.
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

  /// Passes on and releases the messages that no later one can come before.
  func emitMessages(_ body: (OpaquePointer) -> Void) {
    if streams.count > 1 {
      for index in streams.indices { streams[index].look() }
    }
    while let (first, limit) = earliest() { streams[first].emit(until: limit, body) }
  }

  /// The stream with the earliest message, and until when it is; `nil` if one has to be polled for
  /// more before that is known, or all have ended.
  private func earliest() -> (index: Int, until: Int64)? {
    var first: Int?
    var (time, limit) = (Int64.max, Int64.max)
    for index in streams.indices where !(streams[index].isEnded && streams[index].isEmpty) {
      guard !streams[index].isEmpty else { return nil }
      if first == nil || streams[index].time < time {
        (first, limit, time) = (index, time, streams[index].time)
      } else {
        limit = min(limit, streams[index].time)
      }
    }
    return first.map { ($0, limit) }
  }

  func releaseAll() {
    for index in streams.indices { streams[index].releaseAll() }
  }

  // MARK: - The component

  /// Makes a sink in a graph, which keeps it.
  static func make(
    inputs: Int, in graph: OpaquePointer
  ) throws(BabeltraceError) -> (MessageSink, component: OpaquePointer) {
    let sink = MessageSink(inputs: inputs)
    let componentClass = makeClass()
    defer { bt_component_class_sink_put_ref(componentClass) }
    var component: OpaquePointer?
    let status = bt_graph_add_sink_component_with_initialize_method_data(
      graph, componentClass, "events", nil, Unmanaged.passUnretained(sink).toOpaque(),
      BT_LOGGING_LEVEL_NONE, &component)
    guard status == BT_GRAPH_ADD_COMPONENT_STATUS_OK, let component else {
      throw BabeltraceError(doing: "making the sink")
    }
    return (sink, component)
  }

  private static func makeClass() -> OpaquePointer? {
    let componentClass = bt_component_class_sink_create("events") { component in
      MessageSink.of(component)?.takeNext() ?? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR
    }
    bt_component_class_sink_set_initialize_method(componentClass) { component, _, _, sink in
      guard let sink else { return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR }
      let kept = Unmanaged<MessageSink>.fromOpaque(sink)
      guard kept._withUnsafeGuaranteedRef({ $0.addInputs(to: component) }) else {
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR
      }
      bt_self_component_set_data(
        bt_self_component_sink_as_self_component(component), kept.retain().toOpaque())
      return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
    }
    bt_component_class_sink_set_graph_is_configured_method(componentClass) { component in
      let isOpen = MessageSink.of(component)?.open(component) ?? false
      return isOpen
        ? BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK
        : BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR
    }
    bt_component_class_sink_set_finalize_method(componentClass) { component in
      guard let sink = MessageSink.of(component) else { return }
      sink.close()
      Unmanaged.passUnretained(sink).release()
    }
    return componentClass
  }

  private static func of(_ component: OpaquePointer?) -> MessageSink? {
    bt_self_component_get_data(bt_self_component_sink_as_self_component(component)).map {
      Unmanaged.fromOpaque($0).takeUnretainedValue()
    }
  }

  private func addInputs(to component: OpaquePointer?) -> Bool {
    streams.indices.allSatisfy { index in
      bt_self_component_sink_add_input_port(component, "in\(index)", nil, nil)
        == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
    }
  }

  private func open(_ component: OpaquePointer?) -> Bool {
    streams.indices.allSatisfy { index in
      let port = bt_self_component_sink_borrow_input_port_by_index(component, UInt64(index))
      return streams[index].open(port, of: component)
        == BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK
    }
  }

  private func close() {
    for index in streams.indices { streams[index].close() }
  }

  private func takeNext() -> bt_component_class_sink_consume_method_status {
    for index in streams.indices where streams[index].isEmpty && !streams[index].isEnded {
      switch streams[index].takeNext() {
      case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK, BT_MESSAGE_ITERATOR_NEXT_STATUS_END: break
      case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN
      case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
        return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_MEMORY_ERROR
      default: return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR
      }
    }
    return streams.allSatisfy(\.isEmpty)
      ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END
      : BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
  }
}
