// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Compares the lines of one process in a log with the counts in its closing lines.
struct LogEnding {
  private var read = LogCheck()
  private var stated = LogCheck()
  private var openings = 0
  private var closings = 0
  /// The exit codes in the closing lines, without 0.
  private var statuses: Set<Int32> = []

  /// Handles a line; false if it is a damaged closing line.
  mutating func consume(_ line: LogLine, _ whole: UnsafeRawBufferPointer) -> Bool {
    guard line.category == .annotation, line.text.hasPrefix("log ") else {
      read.add(line: whole)
      return true
    }
    if line.text.hasPrefix("log closed: ") {
      guard let closing = LogCheck.read(closing: String(decoding: line.text, as: UTF8.self)) else {
        return false
      }
      closings += 1
      stated.add(closing.check)
      if let status = closing.status, status != 0 { statuses.insert(status) }
      return true
    }
    if line.text.hasPrefix("log opened: ") { openings += 1 }
    read.add(line: whole)
    return true
  }

  func note(of process: String, in ledger: SourceLedger) {
    // The recorder states the code of the program; one of its children may fail as the program expects.
    if !ledger.hasRecorder {
      for status in statuses.sorted() { ledger.addFailure("\(process) ended with code \(status)") }
    }
    if closings < openings || closings == 0 {
      guard !ledger.hasRecorder else { return }
      ledger.addUnended(
        "\(process): its last line 'log closed' is missing: it runs on, was killed, its log is cut, "
          + "or an older version wrote it")
    } else if read.lines != stated.lines {
      ledger.addProblem(
        "\(process): its log has \(read.lines.counted("line")) in place of \(stated.lines)")
    } else if read != stated {
      ledger.addProblem("\(process): lines of its log were changed after they were written")
    }
  }
}
