// SPDX-License-Identifier: Apache-2.0

public import Foundation
import StoreEvents

extension RunBuilder {
  /// Writes the run as a trace, with the record of its end that `trace-report record` writes.
  public func writeTrace(
    to folder: URL, exitCode: Int32? = 0, signal: Int32? = nil, labels: [String: String]? = nil,
    isSealed: Bool = true
  ) throws {
    var trace = TraceBuilder(process: process)
    for var record in records {
      // A run counts its time from 0, a trace from the clock's offset.
      record.timestamp += TraceLayout.clockOffset
      trace.add(record)
    }
    // As LTTng lays it out: a file beside the streams would be read as one.
    try trace.write(to: folder.appending(path: "ust/uid/0/64-bit"))
    guard isSealed else { return }
    let seal = RecordingSeal(
      ofTrace: folder.path, exitCode: exitCode, signal: signal, labels: labels)
    try JSONEncoder().encode(seal).write(to: folder.appending(path: RecordingSeal.fileName))
  }
}
