// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// One input as the user named it: where its events come from, and what is known of it.
struct Input {
  let ledger: SourceLedger
  let sources: [any EventSource]

  /// Opens an input of the kind that its content shows.
  ///
  /// - Parameter index: its place among the inputs.
  init(path: String, index: Int) throws {
    switch try InputKind(of: path) {
    case .ctf(let folders):
      let ledger = SourceLedger(path: path, kind: .ctf, index: index)
      self.ledger = ledger
      let readable = folders.filter { folder in
        guard let damage = MetadataPackets.damage(inFolder: folder) else { return true }
        ledger.addProblem(damage)
        return false
      }
      sources = CTFTrace.grouping(readable).compactMap { CTFEventSource($0, ledger: ledger) }
    case .log(let descriptor):
      ledger = SourceLedger(path: path, kind: .log, index: index)
      sources = [LogEventSource(descriptor, ledger: ledger)]
    }
  }
}

/// A stream of events, given batch by batch so that several can be merged.
protocol EventSource: AnyObject {
  /// Gives the next few events.
  ///
  /// - Returns: false at the end.
  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool
}
