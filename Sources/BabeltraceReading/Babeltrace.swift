// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import Foundation

/// libbabeltrace2 as all readings of the process share it: its plugin.
///
/// Guarded by ``lock``: the library finds plugins, and counts the references to what they hold,
/// without a lock of its own. A graph touches them when it is made and when it is released, so
/// readings may run side by side in between.
struct Babeltrace {
  let ctf: BabeltracePlugin

  private static let lock = NSLock()
  nonisolated(unsafe) private static var loaded: Babeltrace?

  /// Runs a closure that has the plugin to itself, and in which the library may abort.
  ///
  /// - Throws: ``BabeltraceError``, and whatever the closure throws.
  static func withoutAborting<Result>(
    _ body: @escaping (Babeltrace) throws -> Result
  ) throws -> Result {
    // The lock outside, because a lock within is not released by an abort.
    lock.lock()
    defer { lock.unlock() }
    let babeltrace = try plugins()
    return try BabeltraceReading.withoutAborting { try body(babeltrace) }
  }

  /// Releases a graph.
  static func release(_ graph: OpaquePointer) {
    lock.lock()
    defer { lock.unlock() }
    bt_graph_put_ref(graph)
  }

  private static func plugins() throws(BabeltraceError) -> Babeltrace {
    if let loaded { return loaded }
    // The library's own log would go to stderr, between the lines of a report.
    bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE)
    guard let ctf = BabeltracePlugin() else {
      throw BabeltraceError("libbabeltrace2 lacks its plugin 'ctf'; reinstall it")
    }
    let found = Babeltrace(ctf: ctf)
    loaded = found
    return found
  }
}
