// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// The processes of one trace, each made once.
struct ProcessTable {
  private var environment: TraceEnvironment?
  private var processes: [Int64: ProcessIdentity] = [:]
  private var last = ProcessIdentity(id: .min, name: "")

  /// The process that emitted an event.
  ///
  /// `procname` is the name of a *thread*, and threads of one process may differ in it: the first
  /// one seen stays.
  mutating func process(of event: OpaquePointer, _ contexts: ContextFields) -> ProcessIdentity {
    let environment = environment(of: event)
    let id = contexts.processID(of: event) ?? environment.processID
    if last.id == id { return last }
    if let known = processes[id] {
      last = known
      return known
    }
    last = ProcessIdentity(
      id: id, name: environment.processName ?? contexts.processName(of: event) ?? "",
      host: environment.host)
    processes[id] = last
    return last
  }

  /// The thread that emitted an event; the process's only one where the trace does not tell.
  mutating func threadID(of event: OpaquePointer, _ contexts: ContextFields) -> Int64 {
    contexts.threadID(of: event) ?? contexts.processID(of: event)
      ?? environment(of: event).processID
  }

  private mutating func environment(of event: OpaquePointer) -> TraceEnvironment {
    if let environment { return environment }
    let stream = bt_event_borrow_stream_const(event)
    let environment = TraceEnvironment(bt_stream_borrow_trace_const(stream))
    self.environment = environment
    return environment
  }
}

/// What a trace says of itself: of LTTng's buffers per process, the process too.
private struct TraceEnvironment {
  let host: String
  let processID: Int64
  let processName: String?

  init(_ trace: OpaquePointer?) {
    func value(_ name: String) -> OpaquePointer? {
      trace.flatMap { bt_trace_borrow_environment_entry_value_by_name_const($0, name) }
    }
    func string(_ name: String) -> String? {
      value(name).flatMap {
        bt_value_is_string($0) == 0 ? nil : String(cString: bt_value_string_get($0))
      }
    }
    host = string("hostname") ?? ""
    processName = string("procname")
    processID =
      value("vpid").flatMap {
        bt_value_is_signed_integer($0) == 0 ? nil : bt_value_integer_signed_get($0)
      } ?? 0
  }
}
