// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceReading

/// One input of an export, read once for its events and for its sums.
struct EventPass {
  let path: String
  let filter: EventFilter
  /// The labels of `record --label`.
  let labels: [String: String]

  init(_ path: String, _ filter: EventFilter) {
    self.path = path
    self.filter = filter
    labels = RecordingSeal.labels(ofTrace: path)
  }

  /// Passes each event that the filter accepts, and the events that these refer to.
  ///
  /// - Returns: the sums of the same events.
  func read(
    _ progress: inout Progress, _ body: (EventRecord) throws -> Void
  ) throws -> Profile {
    var selection = EventSelection(filter)
    var builder = ProfileBuilder(filter)
    let report = try TraceReader.read([path], progress: { progress.report($0) }) { record in
      builder.add(record)
      try selection.add(record, body)
    }
    try selection.finish(body)
    var profile = builder.profile(of: report)
    profile.selection = filter.words
    return profile
  }
}
