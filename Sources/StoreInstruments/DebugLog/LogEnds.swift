// SPDX-License-Identifier: Apache-2.0

import CStoreTracepoints
import Glibc
import Synchronization

/// Ends the logs of a process when it exits, with its exit code.
enum LogEnds {
  private struct Entry: @unchecked Sendable {
    // Weak references are safe to read from any thread.
    weak var log: DebugLog?
  }

  private static let entries = Mutex<[Entry]>([])
  private static let hook: Void = CStoreTracepoints_at_end { LogEnds.end(status: $0) }

  static func register(_ log: DebugLog) {
    _ = hook
    entries.withLock { entries in
      entries.removeAll { $0.log == nil }
      entries.append(Entry(log: log))
    }
  }

  private static func end(status: Int32) {
    // A signal handler may call exit() while the lock is held.
    let entries = entries.withLockIfAvailable { $0 } ?? []
    for entry in entries { entry.log?.end(status: status) }
  }
}

/// The name of the running program.
package enum ProcessName {
  /// As in the lines of the log and in `store_opened`.
  package static let current: String = {
    guard let path = CommandLine.arguments.first, let name = path.split(separator: "/").last else {
      return "unknown"
    }
    return String(name)
  }()
}
