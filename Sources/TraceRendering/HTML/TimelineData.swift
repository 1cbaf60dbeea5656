// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

/// The data that the dashboard's scripts draw and sum up, as JSON; times are in nanoseconds.
///
/// A bucket's sums are in one array, because there may be a hundred thousand of them: key, sum,
/// sum, …, key, sum, …; the key -1 is for events without a row.
struct TimelineData {
  var timeline: Timeline
  var rows: Rows
  var labels: Labels

  private static let totalFields = [
    "fetches", "counts", "nestedFetches", "rows", "faults", "relationshipFaults", "cacheHits",
    "cacheMisses", "saves", "errors", "connectionTime", "totalTime", "faultTime", "saveTime",
  ]

  /// The titles of the rows, for the slices.
  struct Labels: Encodable {
    var statements: [String]
    var callers: [String]
    var faults: [String]
    var saves: [String]
  }

  /// The rows of a page.
  struct Rows {
    var statement: (Timeline.Run) -> Int?
    var caller: (Timeline.Run) -> Int?
    var fault: (FaultProfile.Origin) -> Int?
    var save: (SourceLocation) -> Int?
    var saver: (SourceLocation) -> Int?
  }

  /// JSON for a script element; the keys are sorted.
  func json() throws -> String {
    var json = JSONBytes()
    let buckets = timeline.buckets
    try json.object { json in
      json.array("faultSums", buckets) { $1.faults.write(to: &$0) { $0.write(to: &$1) } }
      json.array("faults", timeline.faults) { $0.number(rows.fault($1) ?? -1) }
      json.key("labels")
      try json.value(labels)
      json.array("lanes", timeline.lanes) { json, lane in
        json.object { $0.array("busy", lane.busy) { $0.number($1) } }
      }
      json.array("runSteps", buckets) { $1.runs.writeSteps(to: &$0) }
      json.array("runSums", buckets) { $1.runs.write(to: &$0) { $0.write(to: &$1) } }
      // The rows of the statement and of the caller, -1 for none.
      json.array("runs", timeline.runs) { json, run in
        json.array {
          $0.number(rows.statement(run) ?? -1)
          $0.number(rows.caller(run) ?? -1)
        }
      }
      json.array("saveCallers", timeline.saves) { $0.number(rows.saver($1) ?? -1) }
      json.array("saveSums", buckets) { $1.saves.write(to: &$0) { $0.write(to: &$1) } }
      json.array("saves", timeline.saves) { $0.number(rows.save($1) ?? -1) }
      json.array("slices", timeline.slices) { $1.write(to: &$0) }
      json.key("totalFields")
      try json.value(Self.totalFields)
      json.array("totals", buckets) { $1.totals.write(to: &$0) }
      try json.array("tracks", timeline.shownTracks) {
        try $1.write(named: timeline.name(of: $1.kind), to: &$0)
      }
      json.key("width")
      json.number(timeline.bucketWidth)
    }
    return json.text
  }
}

extension LimitedSums {
  private func forEachByKey(_ body: (Int, Sum) -> Void) {
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    for index in order { body(keys[index], values[index]) }
  }

  fileprivate func write(to json: inout JSONBytes, _ write: (Sum, inout JSONBytes) -> Void) {
    json.array { json in
      forEachByKey { key, sum in
        json.number(key)
        write(sum, &json)
      }
      guard others != Sum() else { return }
      json.number(-1)
      write(others, &json)
    }
  }
}

extension LimitedSums<RunSum> {
  /// Key, ``LatencySteps`` step, runs; of keys with one run in the bucket, nothing.
  fileprivate func writeSteps(to json: inout JSONBytes) {
    json.array { json in
      forEachByKey { key, sum in
        for (step, count) in sum.steps.counts {
          json.number(key)
          json.number(step)
          json.number(Int64(clamping: count))
        }
      }
    }
  }
}

extension Timeline.Slice {
  /// Kind, begin, duration, lane, key, rows, depth.
  fileprivate func write(to json: inout JSONBytes) {
    json.array { json in
      json.number(kind.rawValue)
      json.number(begin)
      json.number(duration)
      json.number(lane)
      json.number(subject ?? -1)
      json.number(Int64(clamping: rows))
      json.number(depth)
    }
  }
}

extension Timeline.Track {
  /// The unit is `bytes` of sizes, `time` where counts show little; none of events.
  fileprivate func write(named name: String, to json: inout JSONBytes) throws {
    try json.object { json in
      json.array("busy", busy) { $0.number($1) }
      json.array("counts", counts) { $0.number($1) }
      json.key("id")
      try json.value(kind.code)
      json.key("name")
      try json.value(name)
      guard let unit = kind.unit else { return }
      json.key("unit")
      try json.value(unit)
    }
  }
}

extension Profile.Totals {
  /// Empty if nothing ended.
  fileprivate func write(to json: inout JSONBytes) {
    json.array { json in
      guard self != Self() else { return }
      for amount in Self.amounts { json.number(Int64(clamping: amount.of(self))) }
    }
  }
}

extension RunSum {
  fileprivate func write(to json: inout JSONBytes) {
    for count in [count, rows, misses, vmSteps, fullScanSteps] {
      json.number(Int64(clamping: count))
    }
    json.number(totalTime)
    json.number(longest)
  }
}

extension FaultSum {
  fileprivate func write(to json: inout JSONBytes) {
    for count in [hits, misses, rows] { json.number(Int64(clamping: count)) }
    json.number(hitTime)
    json.number(missTime)
  }
}

extension SaveSum {
  fileprivate func write(to json: inout JSONBytes) {
    for count in [count, inserted, updated, deleted] { json.number(Int64(clamping: count)) }
    for time in [waitTime, writeTime, commitTime, totalTime] { json.number(time) }
  }
}
