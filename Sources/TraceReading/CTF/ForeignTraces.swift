// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reads the traces that ``CTFEventSource`` does not, and live sessions.
package protocol ForeignTraceReading: Sendable {
  /// Opens a trace; `nil`, with the problem recorded, if it cannot be read.
  func open(_ trace: CTFTrace, _ ledger: SourceLedger) -> (any EventSource)?

  /// Joins a live session.
  ///
  /// - Throws: ``TraceReadingError`` if no daemon responds, or if the session does not exist.
  func join(session url: String, _ ledger: SourceLedger) throws(TraceReadingError) -> any LiveSource
}

/// The reader of them in this process; only `trace-report`, which links libbabeltrace2, sets one.
package enum ForeignTraces {
  private static let registered = Mutex<(any ForeignTraceReading)?>(nil)

  package static var reader: (any ForeignTraceReading)? {
    get { registered.withLock { $0 } }
    set { registered.withLock { $0 = newValue } }
  }
}
