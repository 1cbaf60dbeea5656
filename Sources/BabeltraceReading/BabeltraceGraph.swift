// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// A graph that returns one trace's messages in the order of their time.
///
///     source.ctf.fs ──────────out 0…n──▶ in 0…n
///     source.ctf.lttng-live ──out──────▶ in       a sink that merges them
final class BabeltraceGraph {
  private let graph: OpaquePointer
  private let sink: MessageSink

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
    (graph, sink) = try Babeltrace.withoutAborting { babeltrace in
      try Self.makeGraph(reading: input, with: babeltrace)
    }
  }

  deinit {
    guard !isLost else { return }
    sink.releaseAll()
    Babeltrace.release(graph)
  }

  /// Takes the first messages, which the next batch returns: a session that cannot be joined fails
  /// now and not then.
  func takeFirst() throws { isTaken = try takeNext() }

  /// Passes on the next few messages; false at the end.
  func readBatch(_ body: (OpaquePointer) -> Void) throws -> Bool {
    if !isTaken, try !takeNext() { return false }
    isTaken = false
    sink.emitMessages(body)
    return true
  }

  private func takeNext() throws -> Bool {
    guard let status = sink.run(graph) else {
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
    reading input: Input, with babeltrace: Babeltrace
  ) throws -> (OpaquePointer, MessageSink) {
    guard let ctf = babeltrace.ctf.sourceClass(input.componentClass) else {
      throw BabeltraceError("libbabeltrace2's plugin lacks 'ctf.\(input.componentClass)'")
    }
    // One that a call before left behind would make the next call abort.
    bt_current_thread_clear_error()
    guard let graph = bt_graph_create(0) else { throw BabeltraceError(doing: "making a graph") }
    do {
      let source = try addSource(ctf, reading: input, to: graph)
      return (graph, try addSink(behind: source, to: graph))
    } catch {
      bt_graph_put_ref(graph)
      throw error
    }
  }

  private static func addSink(
    behind source: OpaquePointer, to graph: OpaquePointer
  ) throws(BabeltraceError) -> MessageSink {
    let outputs = bt_component_source_get_output_port_count(source)
    let (sink, component) = try MessageSink.make(inputs: Int(outputs), in: graph)
    for output in 0..<outputs { try connect(source, component, output, in: graph) }
    return sink
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

  private static func connect(
    _ source: OpaquePointer, _ sink: OpaquePointer, _ number: UInt64, in graph: OpaquePointer
  ) throws(BabeltraceError) {
    let output = bt_component_source_borrow_output_port_by_index_const(source, number)
    let input = bt_component_sink_borrow_input_port_by_index_const(sink, number)
    guard
      bt_graph_connect_ports(graph, output, input, nil) == BT_GRAPH_CONNECT_PORTS_STATUS_OK
    else { throw BabeltraceError(doing: "connecting the graph") }
  }
}

extension BabeltraceGraph.Input {
  /// The name of the source in libbabeltrace2's plugin `ctf`.
  fileprivate var componentClass: String {
    switch self {
    case .folders: "fs"
    case .session: "lttng-live"
    }
  }
}
