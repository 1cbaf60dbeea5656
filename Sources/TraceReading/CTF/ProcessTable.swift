// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The processes of one trace, each under the best name known so far.
struct ProcessTable {
  private var processes: [Int64: Entry] = [:]
  private var last = Entry(identity: ProcessIdentity(id: .min, name: ""), isNamed: true)

  init() {}

  private struct Entry {
    var identity: ProcessIdentity
    /// Whether the name is the process's own, not that of some thread.
    var isNamed: Bool
  }

  /// The process that emitted an event.
  ///
  /// `procname` is the name of a *thread*, and threads of one process may have different names. The
  /// main thread's name is used for the process and, until it is read, that of the first thread.
  mutating func process(
    _ contexts: ContextValues, in environment: TraceEnvironment
  ) -> ProcessIdentity {
    let id = contexts.processID ?? environment.processID
    let isMainThread = (contexts.threadID ?? id) == id
    if last.identity.id != id { last = processes[id] ?? last }
    if last.identity.id == id, last.isNamed || !isMainThread { return last.identity }
    last = Entry(
      identity: ProcessIdentity(
        id: id, name: environment.processName ?? contexts.processName ?? "",
        host: environment.host),
      isNamed: environment.processName != nil || isMainThread)
    processes[id] = last
    return last.identity
  }

  /// Sets the name that a process reported for itself.
  mutating func rename(_ process: ProcessIdentity, to name: String) -> ProcessIdentity {
    last = Entry(
      identity: ProcessIdentity(id: process.id, name: name, host: process.host), isNamed: true)
    processes[process.id] = last
    return last.identity
  }
}
