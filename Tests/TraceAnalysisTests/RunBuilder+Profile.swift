// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import TraceAnalysis
import TraceReading

extension RunBuilder {
  func profile(
    path: String = "trace", kind: SourceReport.Kind = .ctf, eventsLost: UInt64 = 0,
    problems: [String] = []
  ) -> Profile {
    var builder = ProfileBuilder()
    for record in records { builder.add(record) }
    let source = SourceReport(
      path: path, kind: kind, eventsRead: UInt64(records.count), eventsLost: eventsLost,
      problems: problems)
    return builder.profile(of: ReadingReport(sources: [source]))
  }
}
