// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents

/// Reads what a running program still writes: a log that grows, or a live session of LTTng.
///
///     let reader = try LiveReader("debug.log")
///     while try reader.read(until: .now + .seconds(1), { count($0) }) { show() }
///
/// Memory does not grow, however long this takes.
public final class LiveReader {
  private let ledger: SourceLedger
  private let source: any LiveSource
  private let callers = NativeCallers()

  /// Opens a log, `-` for one on standard input, or `net://HOST:PORT/host/HOSTNAME/SESSION`.
  ///
  /// A log is read from its beginning, and followed where it is rotated or emptied; a session is
  /// read from now on.
  ///
  /// - Throws: ``TraceReadingError`` if it does not exist, or is of another kind.
  public init(_ input: String) throws(TraceReadingError) {
    if Self.isSession(input) {
      ledger = SourceLedger(path: input, kind: .ctf)
      guard let reader = ForeignTraces.reader else {
        throw .unreadable(input, reason: "only trace-report reads live sessions")
      }
      source = try reader.join(session: input, ledger)
      return
    }
    ledger = SourceLedger(path: input, kind: .log)
    var status = stat()
    if input != "-", stat(input, &status) != 0 { throw .noSuchInput(input) }
    let kind = input == "-" ? S_IFIFO : status.st_mode & S_IFMT
    if kind == S_IFDIR {
      throw .unreadable(input, reason: "top follows a log; see 'summary' for a trace in a folder")
    }
    if kind == S_IFREG {
      // Refuses what is packed.
      _ = try InputKind(of: input)
      if try InputContent.isJSON(path: input) {
        throw .unreadable(input, reason: "a saved report is finished; see 'summary'")
      }
    }
    source = LogEventSource(
      kind == S_IFREG ? try FollowedFile(input) : try PolledPipe(input), ledger: ledger)
  }

  /// Whether an input is the address of a live session.
  public static func isSession(_ input: String) -> Bool {
    ["net://", "net4://", "net6://"].contains { input.hasPrefix($0) }
  }

  /// Whether the metadata of every trace beneath a folder describes events.
  ///
  /// libbabeltrace2 2.0.4 makes room for what refers to other fields when it first sees a stream,
  /// so that one whose metadata was still on its way can end the process. A session that is joined
  /// before its programs run is left unread until then, and loses nothing by it.
  public static func isDescribed(beneath folder: String) -> Bool {
    guard let folders = try? InputKind.traceFolders(beneath: folder) else { return false }
    return !folders.isEmpty
      && folders.allSatisfy { MetadataPackets.text(inFolder: $0)?.contains("event {") ?? false }
  }

  /// Returns the available events that were not returned before, without waiting for more.
  ///
  /// - Parameter deadline: when to stop, although there are more.
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

/// A source that may have more later on.
package protocol LiveSource: EventSource {
  /// Whether the last batch took all that there was.
  var isDry: Bool { get }
}
