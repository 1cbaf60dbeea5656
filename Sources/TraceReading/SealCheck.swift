// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Checks the seal of a trace while its events are read: each of its bytes is hashed for that.
///
/// Unchecked: the thread uses `ledger` until it has ended.
final class SealCheck: @unchecked Sendable {
  private let ledger: SourceLedger
  private let thread: ReadingThread?

  init(_ folder: String) {
    let ledger = SourceLedger(path: folder, kind: .ctf)
    self.ledger = ledger
    nonisolated(unsafe) let shared = ledger
    thread = ReadingThread { RecordingSeal.check(folder, shared) }
    if thread == nil { RecordingSeal.check(folder, ledger) }
  }

  /// Waits for the result.
  func finish() -> SourceReport {
    thread?.join()
    return ledger.report
  }
}
