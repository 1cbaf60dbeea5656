// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Emits the last counters of stores that a program never closes, when it exits.
enum LastSamples {
  private struct Entry: @unchecked Sendable {
    // Weak references are safe to read from any thread.
    weak var instruments: Instruments?
  }

  private static let entries = Mutex<[Entry]>([])
  private static let hook: Void = {
    // Fails only without memory; the samples at intervals remain.
    _ = atexit { LastSamples.emit() }
  }()

  static func register(_ instruments: Instruments) {
    _ = hook
    entries.withLock { entries in
      entries.removeAll { $0.instruments == nil }
      entries.append(Entry(instruments: instruments))
    }
  }

  private static func emit() {
    let entries = entries.withLock { $0 }
    for entry in entries { entry.instruments?.emitCounters(contextID: 0) }
  }
}
