// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// The processes of one trace, each under the best name known so far.
struct ProcessTable {
  private var environment: TraceEnvironment?
  private var processes: [Int64: Entry] = [:]
  private var last = Entry(identity: ProcessIdentity(id: .min, name: ""), isNamed: true)

  private struct Entry {
    var identity: ProcessIdentity
    /// Whether the name is the process's own, not that of some thread.
    var isNamed: Bool
  }

  /// The process that emitted an event.
  ///
  /// `procname` is the name of a *thread*, and threads of one process may differ in it: the main
  /// thread's stands for the process, and until it is seen, that of the first one.
  mutating func process(
    of event: OpaquePointer, _ contexts: ContextFields, threadID: Int64
  ) -> ProcessIdentity {
    let environment = environment(of: event)
    let id = contexts.processID(of: event) ?? environment.processID
    if last.identity.id != id { last = processes[id] ?? last }
    if last.identity.id == id, last.isNamed || threadID != id { return last.identity }
    last = Entry(
      identity: ProcessIdentity(
        id: id, name: environment.processName ?? contexts.processName(of: event) ?? "",
        host: environment.host),
      isNamed: environment.processName != nil || threadID == id)
    processes[id] = last
    return last.identity
  }

  /// Gives a process the name that it told itself.
  mutating func rename(_ process: ProcessIdentity, to name: String) -> ProcessIdentity {
    last = Entry(
      identity: ProcessIdentity(id: process.id, name: name, host: process.host), isNamed: true)
    processes[process.id] = last
    return last.identity
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
