// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents

/// Reads a log that a running program still writes.
///
///     let reader = try LiveReader("debug.log")
///     while try reader.read(until: .now + .seconds(1), { count($0) }) { show() }
///
/// Memory does not grow, however long this takes.
public final class LiveReader {
  private let ledger: SourceLedger
  private let source: LogEventSource
  private let callers = NativeCallers()

  /// Opens a log, or `-` for one on standard input.
  ///
  /// - Parameter isOurs: discards the part of the log that was read, which takes no space then.
  public init(_ input: String, isOurs: Bool = false) throws(TraceReadingError) {
    ledger = SourceLedger(path: input, kind: .log)
    var status = stat()
    if input != "-", stat(input, &status) != 0 { throw .noSuchInput(input) }
    let kind = input == "-" ? S_IFIFO : status.st_mode & S_IFMT
    if kind == S_IFDIR {
      throw .unreadable(input, reason: "top follows a log; see 'summary' for a trace in a folder")
    }
    if kind == S_IFREG {
      // Refuses packed files.
      _ = try InputKind(of: input)
      if try InputContent.isJSON(path: input) {
        throw .unreadable(input, reason: "a saved report is finished; see 'summary'")
      }
    }
    source = LogEventSource(
      kind == S_IFREG ? try FollowedFile(input, isOurs: isOurs) : try PolledPipe(input),
      ledger: ledger)
  }

  /// Whether the last batch took all that there was.
  public var isDry: Bool { source.isDry }

  /// Returns the available events that were not returned before, without waiting for more.
  ///
  /// - Returns: false if no more events can arrive.
  /// - Throws: whatever `body` throws.
  public func read(
    until deadline: ContinuousClock.Instant, _ body: (EventRecord) throws -> Void
  ) throws -> Bool {
    repeat {
      guard try source.readBatch({ try callers.pass($0, to: body) }) else { return false }
    } while !source.isDry && ContinuousClock.now < deadline
    return true
  }

  /// The inputs that were read so far, and the events that were lost.
  public var report: ReadingReport { ReadingReport(sources: [ledger.report]) }
}
