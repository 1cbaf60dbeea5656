// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// A graph that gives one trace's messages in the order of their time:
///
///     source.ctf.fs ──out 0…n──▶ filter.utils.muxer ──▶ a sink that keeps the batch
final class CTFGraph {
  private let graph: OpaquePointer
  private let batch: MessageBatch

  init(_ trace: CTFTrace) throws {
    guard let ctf = CTFPlugin.ctf?.sourceClass("fs"),
      let muxer = CTFPlugin.utils?.filterClass("muxer")
    else {
      throw BabeltraceError("libbabeltrace2's plugins 'ctf' and 'utils' are missing; install "
        + "libbabeltrace2")
    }
    guard let graph = bt_graph_create(0) else { throw BabeltraceError(doing: "making a graph") }
    self.graph = graph
    batch = MessageBatch()
    let source = try Self.addSource(ctf, reading: trace, to: graph)
    let filter = try Self.addMuxer(muxer, to: graph)
    let sink = try Self.addSink(batch, to: graph)
    try Self.connect(source, filter, sink, in: graph)
  }

  deinit {
    batch.releaseAll()
    bt_graph_put_ref(graph)
  }

  /// Gives the next few messages; false at the end.
  func readBatch(_ body: (OpaquePointer) throws -> Void) throws -> Bool {
    let status = bt_graph_run_once(graph)
    guard status == BT_GRAPH_RUN_ONCE_STATUS_OK || status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN else {
      if status == BT_GRAPH_RUN_ONCE_STATUS_END { return false }
      throw BabeltraceError(doing: "reading the trace")
    }
    try batch.removeAll(body)
    return true
  }

  private static func addSource(
    _ componentClass: OpaquePointer, reading trace: CTFTrace, to graph: OpaquePointer
  ) throws -> OpaquePointer {
    let parameters = bt_value_map_create()
    let inputs = bt_value_array_create()
    defer {
      bt_value_put_ref(inputs)
      bt_value_put_ref(parameters)
    }
    for folder in trace.folders { bt_value_array_append_string_element(inputs, folder) }
    bt_value_map_insert_entry(parameters, "inputs", inputs)
    // Clocks of several hosts have nothing in common but the Unix epoch.
    bt_value_map_insert_bool_entry(parameters, "force-clock-class-origin-unix-epoch", 1)
    var source: OpaquePointer?
    let status = bt_graph_add_source_component(
      graph, componentClass, "trace", parameters, BT_LOGGING_LEVEL_NONE, &source)
    guard status == BT_GRAPH_ADD_COMPONENT_STATUS_OK, let source else {
      throw BabeltraceError(doing: "opening the trace")
    }
    return source
  }

  private static func addMuxer(
    _ componentClass: OpaquePointer, to graph: OpaquePointer
  ) throws -> OpaquePointer {
    var muxer: OpaquePointer?
    let status = bt_graph_add_filter_component(
      graph, componentClass, "muxer", nil, BT_LOGGING_LEVEL_NONE, &muxer)
    guard status == BT_GRAPH_ADD_COMPONENT_STATUS_OK, let muxer else {
      throw BabeltraceError(doing: "making the muxer")
    }
    return muxer
  }

  private static func addSink(
    _ batch: MessageBatch, to graph: OpaquePointer
  ) throws -> OpaquePointer {
    var sink: OpaquePointer?
    // Unretained: the graph lives no longer than the object that holds both.
    let status = bt_graph_add_simple_sink_component(
      graph, "events", nil,
      { iterator, batch in
        guard let iterator, let batch else {
          return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
        }
        return Unmanaged<MessageBatch>.fromOpaque(batch).takeUnretainedValue().take(from: iterator)
      },
      nil, Unmanaged.passUnretained(batch).toOpaque(), &sink)
    guard status == BT_GRAPH_ADD_COMPONENT_STATUS_OK, let sink else {
      throw BabeltraceError(doing: "making the sink")
    }
    return sink
  }

  private static func connect(
    _ source: OpaquePointer, _ muxer: OpaquePointer, _ sink: OpaquePointer, in graph: OpaquePointer
  ) throws {
    func join(_ output: OpaquePointer?, _ input: OpaquePointer?) throws {
      guard let output, let input,
        bt_graph_connect_ports(graph, output, input, nil) == BT_GRAPH_CONNECT_PORTS_STATUS_OK
      else { throw BabeltraceError(doing: "connecting the graph") }
    }
    // The muxer makes itself a new input whenever its last one is taken.
    for port in 0..<bt_component_source_get_output_port_count(source) {
      try join(
        bt_component_source_borrow_output_port_by_index_const(source, port),
        bt_component_filter_borrow_input_port_by_index_const(
          muxer, bt_component_filter_get_input_port_count(muxer) - 1))
    }
    try join(
      bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
      bt_component_sink_borrow_input_port_by_index_const(sink, 0))
  }
}

/// The messages that the sink took last.
private final class MessageBatch {
  private var messages: bt_message_array_const?
  private var next = 0
  private var count = 0

  /// Runs inside libbabeltrace2, so it only keeps the array: it is valid until the next call.
  func take(
    from iterator: OpaquePointer
  ) -> bt_graph_simple_sink_component_consume_func_status {
    var taken: UInt64 = 0
    switch bt_message_iterator_next(iterator, &messages, &taken) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
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
