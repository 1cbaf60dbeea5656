// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

/// For each bucket of a histogram of run durations, the statement with the longest run in it.
///
/// Its id is that of the dashboard, of all reports, of `storescope_statement_info`, and of the span
/// attribute `storescope.statement.id`.
struct DurationExemplars {
  private struct Key: Hashable {
    var entity: String
    var bucket: Int
  }

  private struct Run {
    var statement: StatementProfile
    var duration: Nanoseconds
  }

  private var longest: [Key: Run] = [:]

  // OpenMetrics allows 128 characters for the names and values of an exemplar's labels.
  private static let maxLength = 128

  init(_ profile: Profile, bounds: [Nanoseconds]) {
    for statement in profile.statements {
      var bucket = 0
      for run in statement.latency.buckets {
        while bucket < bounds.count, bounds[bucket] < run.duration { bucket += 1 }
        let key = Key(entity: statement.entity, bucket: bucket)
        // Equal durations by id, so that two scrapes name the same statement.
        if let known = longest[key],
          (known.duration, statement.id.rawValue) >= (run.duration, known.statement.id.rawValue)
        {
          continue
        }
        longest[key] = Run(statement: statement, duration: run.duration)
      }
    }
  }

  /// The labels and the value of the exemplar; nil for a bucket without runs of statements.
  func exemplar(of entity: String, _ bucket: Int) -> (labels: [(String, String)], value: String)? {
    guard let run = longest[Key(entity: entity, bucket: bucket)] else { return nil }
    var labels = [("statement", "\(run.statement.sharedID)")]
    if let caller = run.statement.callers.first?.location.text {
      let length = (labels + [("caller", caller)]).reduce(0) {
        $0 + $1.0.unicodeScalars.count + $1.1.unicodeScalars.count
      }
      // Only the id can be followed; the caller is for the reader.
      if length <= Self.maxLength { labels.append(("caller", caller)) }
    }
    return (labels, MetricsText.seconds(run.duration))
  }
}
