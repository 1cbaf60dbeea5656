// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

/// Reads live sessions of LTTng, and traces that are not laid out as LTTng-UST does, through
/// libbabeltrace2.
///
/// Only a program's own main part may register it: it handles SIGABRT and SIGFPE, since the library
/// aborts on some damaged data or divides by zero, and replaces `stderr` meanwhile.
public enum BabeltraceReader {
  /// Makes `TraceReader` and `LiveReader` of this process use libbabeltrace2 where they need it.
  public static func register() { ForeignTraces.reader = RegisteredReader() }
}

private struct RegisteredReader: ForeignTraceReading {
  func open(_ trace: CTFTrace, _ ledger: SourceLedger) -> (any EventSource)? {
    do {
      guard trace.folders.allSatisfy(PacketIndex.isSound) else {
        throw BabeltraceError("its index does not fit its packets")
      }
      guard trace.hasWholePackets else {
        throw BabeltraceError("its packets do not have the lengths in their headers")
      }
      return BabeltraceSource(
        try BabeltraceGraph(.folders(trace.folders)), trace.folders[0], ledger)
    } catch {
      let name = LogText.quoted(trace.folders[0])
      // libbabeltrace2 takes a file that cannot be opened for a damaged one.
      if let shortage = SystemErrorText.descriptorShortage(of: trace.streamCount + 8) {
        ledger.addProblem("the trace in \(name) could not be opened: \(shortage.sentence)")
      } else {
        ledger.addProblem("the trace in \(name) is damaged: \(error)")
      }
      return nil
    }
  }

  func join(
    session url: String, _ ledger: SourceLedger
  ) throws(TraceReadingError) -> any LiveSource {
    do {
      let graph = try BabeltraceGraph(.session(url))
      try graph.takeFirst()
      return BabeltraceSource(graph, url, ledger)
    } catch {
      throw .unreadable(url, reason: "\(error)")
    }
  }
}
