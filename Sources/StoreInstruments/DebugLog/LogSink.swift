// SPDX-License-Identifier: Apache-2.0

import CLogSink
import Glibc

/// A descriptor that accepts a line whole or not at all, and never blocks the caller for long.
///
/// Never raises SIGPIPE. What began to go out is finished before anything else is written.
struct LogSink: ~Copyable {
  private var sink = CLogSink()
  private var bytesUntilCheck = 0

  // 1 MiB is arbitrary: a call for each line would take a tenth of its time.
  private static let bytesBetweenChecks = 1 << 20

  init(descriptor: Int32) { _ = CLogSink_open(&sink, descriptor) }

  deinit { free(sink.unsent) }

  /// Lines lost since the last one that went through.
  var lost: Int { sink.lost }

  /// Writes related lines, in one call of `write(2)` if the descriptor allows it.
  mutating func write(_ bytes: UnsafeRawBufferPointer, lines: Int) {
    guard isCurrent(before: bytes.count) else { return sink.lost += lines }
    bytes.withMemoryRebound(to: CChar.self) { bytes in
      if sink.is_stream {
        CLogSink_write_without_signal(&sink, SIGPIPE, bytes.baseAddress, bytes.count, Int32(lines))
      } else {
        CLogSink_write(&sink, bytes.baseAddress, bytes.count, Int32(lines))
      }
    }
  }

  private mutating func isCurrent(before count: Int) -> Bool {
    bytesUntilCheck -= count
    guard bytesUntilCheck < 0 else { return true }
    guard CLogSink_file(&sink) == CLogSink_file_current else { return false }
    bytesUntilCheck = Self.bytesBetweenChecks
    return true
  }
}
