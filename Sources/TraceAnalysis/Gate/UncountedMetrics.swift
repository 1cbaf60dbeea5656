// SPDX-License-Identifier: Apache-2.0

/// Counts that only one side has, such as VM steps of a trace beside a log of Core Data.
struct UncountedMetrics {
  private var ofRun: [GateMetric] = []
  private var ofBaseline: [GateMetric] = []

  mutating func compare(_ before: BaselineV1.Statement, _ now: BaselineV1.Statement) {
    for (metric, value) in GateMetric.ofStatements {
      record(metric, before: value(before), after: value(now))
    }
  }

  mutating func compare(_ before: BaselineV1.Totals, _ now: BaselineV1.Totals) {
    for (metric, value) in GateMetric.ofTotals {
      record(metric, before: value(before), after: value(now))
    }
  }

  private mutating func record(_ metric: GateMetric, before: UInt64?, after: UInt64?) {
    switch (before, after) {
    // An older baseline lacks counts that are 0 in most programs.
    case (nil, let after?) where after > 0:
      if !ofBaseline.contains(metric) { ofBaseline.append(metric) }
    // Whatever it was, more of SQLite's work would not show.
    case (let before?, nil) where before > 0 || metric.isWork:
      if !ofRun.contains(metric) { ofRun.append(metric) }
    default: break
    }
  }

  var sentences: [String] {
    var sentences: [String] = []
    if !ofRun.isEmpty {
      sentences.append("this run has no \(words(ofRun)), which the baseline has: they are not 0")
    }
    if !ofBaseline.isEmpty {
      sentences.append(
        "the baseline has no \(words(ofBaseline)), which this run has: write the baseline again")
    }
    return sentences
  }

  private func words(_ metrics: [GateMetric]) -> String {
    metrics.map(\.title).joined(separator: ", ")
  }
}
