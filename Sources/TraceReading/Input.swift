// SPDX-License-Identifier: Apache-2.0

import Glibc
package import StoreEvents

/// One input as the user named it: the source of its events, and the facts known about it.
struct Input {
  let ledger: SourceLedger
  let sources: [any EventSource]
  private let seal: SealCheck?

  /// Opens an input of the kind that its content shows.
  ///
  /// - Parameter index: its position among the inputs.
  init(path: String, index: Int) throws {
    let isBeingRecorded = Self.isBeingRecorded(path)
    switch try Self.kind(of: path, isBeingRecorded: isBeingRecorded) {
    case .folder(let folders, let logs):
      let ledger = SourceLedger(path: path, kind: folders.isEmpty ? .log : .ctf, index: index)
      ledger.isBeingRecorded = isBeingRecorded
      ledger.hasRecorder = true
      self.ledger = ledger
      seal = isBeingRecorded ? nil : SealCheck(path)
      let readable = folders.filter { folder in
        guard let damage = MetadataPackets.damage(inFolder: folder) else { return true }
        ledger.addProblem(damage)
        return false
      }
      sources =
        CTFTrace.grouping(readable).compactMap { $0.open(ledger) }
        + logs.map { RecordedLogSource($0, ledger: ledger) as any EventSource }
    case .log(let descriptor):
      ledger = SourceLedger(path: path, kind: .log, index: index)
      sources = [LogEventSource(ConvertedText.source(descriptor, ledger: ledger), ledger: ledger)]
      seal = nil
    }
  }

  /// Records findings beside the reading; called once, after its end.
  func finish() {
    if let report = seal?.finish() { ledger.addFirst(report) }
  }

  private static func kind(
    of path: String, isBeingRecorded: Bool
  ) throws(TraceReadingError) -> InputKind {
    do throws(TraceReadingError) {
      return try InputKind(of: path)
    } catch {
      throw isBeingRecorded ? .beingRecorded(path) : error
    }
  }

  /// Whether a recorder holds the mark in a folder; one that was killed has released it.
  private static func isBeingRecorded(_ path: String) -> Bool {
    let file = open("\(path)/\(RecordingMark.fileName)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}

/// A stream of events, given batch by batch so that several can be merged.
package protocol EventSource: AnyObject {
  /// Returns the next few events.
  ///
  /// - Returns: false at the end.
  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool

  /// After this call, reads ahead in a separate thread, if that is worthwhile.
  func readAhead()

  /// When its first event was, so that it need not be open before; nil where that is unknown.
  var start: Nanoseconds? { get }

  /// How much was read, approximately; nil where that is unknown.
  ///
  /// - Parameter elapsed: the time between the first event of all sources and the last one read.
  func extent(after elapsed: Nanoseconds) -> ReadingExtent?
}

extension EventSource {
  package var start: Nanoseconds? { nil }
  package func readAhead() {}
}
