// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// A graph that gives one trace's messages in the order of their time.
///
///     source.ctf.fs ─────────out 0…n──▶ filter.utils.muxer ──▶ a sink that keeps the batch
///     source.ctf.lttng-live ──out──▶
final class CTFGraph {
  private let graph: OpaquePointer
  private let batch: MessageBatch

  /// Whether libbabeltrace2 aborted in it: then it must not be touched, not even released.
  private var isLost = false

  /// What a graph reads.
  enum Input {
    case folders([String])
    /// The address of a live session.
    case session(String)
  }

  /// Whether the last batch was empty, since a live session has no more yet.
  private(set) var isDry = false
  private var isTaken = false

  init(_ input: Input) throws {
    let batch = MessageBatch()
    self.batch = batch
    graph = try Babeltrace.withoutAborting { babeltrace in
      try Self.makeGraph(reading: input, into: batch, with: babeltrace)
    }
  }

  deinit {
    guard !isLost else { return }
    batch.releaseAll()
    Babeltrace.release(graph)
  }

  /// Takes the first messages, which the next batch gives: a session that cannot be joined fails
  /// now and not then.
  func takeFirst() throws { isTaken = try takeNext() }

  /// Gives the next few messages; false at the end.
  func readBatch(_ body: (OpaquePointer) throws -> Void) throws -> Bool {
    if !isTaken, try !takeNext() { return false }
    isTaken = false
    try batch.removeAll(body)
    return true
  }

  private func takeNext() throws -> Bool {
    guard let status = batch.run(graph) else {
      isLost = true
      throw BabeltraceError.aborted
    }
    isDry = status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN
    guard status == BT_GRAPH_RUN_ONCE_STATUS_OK || isDry else {
      if status == BT_GRAPH_RUN_ONCE_STATUS_END { return false }
      throw BabeltraceError(doing: "reading the trace")
    }
    return true
  }

  private static func makeGraph(
    reading input: Input, into batch: MessageBatch, with babeltrace: Babeltrace
  ) throws -> OpaquePointer {
    guard let ctf = babeltrace.ctf.sourceClass(input.componentClass),
      let muxer = babeltrace.utils.filterClass("muxer")
    else {
      throw BabeltraceError(
        "libbabeltrace2's plugins lack 'ctf.\(input.componentClass)' and 'utils.muxer'")
    }
    // One that a call before left behind would make the next call abort.
    bt_current_thread_clear_error()
    guard let graph = bt_graph_create(0) else { throw BabeltraceError(doing: "making a graph") }
    do {
      let source = try addSource(ctf, reading: input, to: graph)
      let filter = try addMuxer(muxer, to: graph)
      try connect(source, filter, try addSink(batch, to: graph), in: graph)
    } catch {
      bt_graph_put_ref(graph)
      throw error
    }
    return graph
  }

  private static func addSource(
    _ componentClass: OpaquePointer, reading input: Input, to graph: OpaquePointer
  ) throws -> OpaquePointer {
    let parameters = bt_value_map_create()
    let inputs = bt_value_array_create()
    defer {
      bt_value_put_ref(inputs)
      bt_value_put_ref(parameters)
    }
    bt_value_map_insert_entry(parameters, "inputs", inputs)
    switch input {
    case .folders(let folders):
      for folder in folders { bt_value_array_append_string_element(inputs, folder) }
      // Clocks of several hosts have nothing in common but the Unix epoch.
      bt_value_map_insert_bool_entry(parameters, "force-clock-class-origin-unix-epoch", 1)
    case .session(let url):
      bt_value_array_append_string_element(inputs, url)
      bt_value_map_insert_string_entry(parameters, "session-not-found-action", "fail")
    }
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

extension CTFGraph.Input {
  /// The name of the source in libbabeltrace2's plugin `ctf`.
  fileprivate var componentClass: String {
    switch self {
    case .folders: "fs"
    case .session: "lttng-live"
    }
  }
}
