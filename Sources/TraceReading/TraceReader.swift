// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Reads traces and logs into one stream of events, in the order of their timestamps.
public enum TraceReader {
  // 8 is arbitrary: each takes a thread and half a megabyte.
  private static let maxReadAhead = 8

  /// Reads every input to its end.
  ///
  ///     let report = try TraceReader.read(["trace/", "other.log"]) { record in
  ///       if case .fault(let fault) = record.event { faults[fault.entity, default: 0] += 1 }
  ///     }
  ///
  /// Memory does not grow with the length of the inputs. A damaged input is read up to the
  /// damage, and the report states it.
  ///
  /// - Parameters:
  ///   - paths: CTF folders, debug logs, logs of Core Data, or `-` for standard input; the kind is found from the
  ///     content.
  ///   - progress: called now and then.
  ///   - body: called once an event, never for two at a time.
  /// - Returns: a report of the events that were read and lost.
  /// - Throws: ``TraceReadingError`` if an input cannot be read at all, or if all of them together
  ///   contain no event; the errors of `body`.
  public static func read(
    _ paths: [String], progress: (ReadingProgress) -> Void = { _ in },
    _ body: (EventRecord) throws -> Void
  ) throws -> ReadingReport {
    let inputs = try paths.enumerated().map { try Input(path: $1, index: $0) }
    let sources = inputs.flatMap(\.sources)
    for source in sources.prefix(maxReadAhead) { source.readAhead() }
    var events: UInt64 = 0
    var start: Nanoseconds = 0
    let callers = NativeCallers()
    let isWhole = try EventMerger(sources).readAll { record in
      try callers.pass(record, to: body)
      if events == 0 { start = record.timestamp }
      events &+= 1
      // 65536 is arbitrary: often enough for a progress line, too seldom to cost anything.
      if events & 0xffff == 0 {
        progress(
          ReadingProgress(events: events, part: sources.part(after: record.timestamp &- start)))
      }
    }
    for input in inputs { input.finish() }
    if !isWhole || ReadingInterruption.isRequested {
      for input in inputs { input.ledger.addProblem(ReadingInterruption.sentence) }
    }
    for input in inputs { input.ledger.finish() }
    var report = ReadingReport(sources: inputs.map(\.ledger.report))
    if !report.sources.isEmpty { report.sources[0].remarks += callers.remarks }
    if !report.sources.contains(where: { $0.eventsRead > 0 }) {
      for input in inputs { try input.ledger.throwIfNothingWasRead() }
    }
    return report
  }
}
