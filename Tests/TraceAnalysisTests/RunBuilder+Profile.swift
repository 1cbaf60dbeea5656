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
    timedProfile(path: path, kind: kind, eventsLost: eventsLost, problems: problems).profile
  }

  func timedProfile(
    path: String = "trace", kind: SourceReport.Kind = .ctf, eventsLost: UInt64 = 0,
    problems: [String] = [], filter: EventFilter = EventFilter()
  ) -> TimedProfile {
    var builder = ProfileBuilder(filter, isTimed: true)
    for record in records { builder.add(record) }
    let source = SourceReport(
      path: path, kind: kind, eventsRead: UInt64(records.count), eventsLost: eventsLost,
      problems: problems)
    return builder.timedProfile(of: ReadingReport(sources: [source]))
  }
}
