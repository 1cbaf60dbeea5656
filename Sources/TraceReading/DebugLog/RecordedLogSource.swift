// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The events of one process of a recording, from its own log.
///
/// A recording may have the logs of thousands of processes, most of which ran one after the other: the file
/// is open from the process's first event to its last.
final class RecordedLogSource: EventSource {
  let start: Nanoseconds?
  private let path: String
  private let ledger: SourceLedger
  private var source: LogEventSource?
  private var isAtEnd = false
  private var byteCount = 0.0

  init(_ path: String, ledger: SourceLedger) {
    (self.path, self.ledger) = (path, ledger)
    var status = stat()
    if stat(path, &status) == 0 { byteCount = Double(status.st_size) }
    start = Self.start(of: path)
  }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    guard !isAtEnd else { return false }
    do {
      let source = try source ?? open()
      self.source = source
      if try source.readBatch(body) { return true }
    } catch let error as TraceReadingError {
      ledger.addProblem("\(error)")
    }
    source = nil
    isAtEnd = true
    return false
  }

  private func open() throws(TraceReadingError) -> LogEventSource {
    LogEventSource(try FileDescriptor.input(path), ledger: ledger)
  }

  func extent(after elapsed: Nanoseconds) -> ReadingExtent? {
    let part = source?.extent(after: elapsed)
    return ReadingExtent(read: isAtEnd ? byteCount : part?.read ?? 0, all: byteCount)
  }

  /// The time of a log's first line, which states the offset from UTC.
  private static func start(of path: String) -> Nanoseconds? {
    guard let head = try? FileDescriptor.peek(path) else { return nil }
    return head.prefix { $0 != UInt8(ascii: "\n") }.withUnsafeBytes { line in
      guard let line = LogLine(line), let offset = LogOpening(line.text)?.utcOffset else {
        return nil
      }
      return line.localTime - offset
    }
  }
}
