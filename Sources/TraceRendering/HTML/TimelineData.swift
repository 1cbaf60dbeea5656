// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents
import TraceAnalysis

/// The data that the dashboard's scripts draw and sum up, as JSON; times are in nanoseconds.
///
/// A bucket's sums are in one array, because there may be a hundred thousand of them: key, sum,
/// sum, …, key, sum, …; the key -1 is for events without a row.
struct TimelineData: Encodable {
  var width: Int64
  var tracks: [Track]
  var lanes: [Lane]
  var totalFields = [
    "fetches", "counts", "nestedFetches", "rows", "faults", "relationshipFaults", "cacheHits",
    "cacheMisses", "saves", "errors", "connectionTime", "totalTime", "faultTime", "saveTime",
  ]
  /// By bucket, in the order of ``totalFields``; empty if nothing ended.
  var totals: [[Int64]]
  /// By key: the rows of the statement and of the caller, -1 for none.
  var runs: [[Int]]
  var faults: [Int]
  var saves: [Int]
  /// By the same key: the row of the caller.
  var saveCallers: [Int]
  var runSums: [[Int64]]
  /// Key, ``LatencySteps`` step, runs; of keys with one run in the bucket, nothing.
  var runSteps: [[Int64]]
  var faultSums: [[Int64]]
  var saveSums: [[Int64]]
  /// Kind, begin, duration, lane, key, rows, depth.
  var slices: [[Int64]]
  var labels: Labels

  struct Track: Encodable {
    var id: String
    var name: String
    /// `bytes` of sizes, `time` where counts show little; nil of events.
    var unit: String?
    var counts: [UInt64]
    var busy: [Int64]
  }

  struct Lane: Encodable {
    var busy: [Int64]
  }

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

  init(_ timeline: Timeline, rows: Rows, labels: Labels) {
    width = timeline.bucketWidth
    tracks = timeline.shownTracks.map {
      Track(
        id: $0.kind.code, name: $0.kind.name, unit: $0.kind.unit, counts: $0.counts, busy: $0.busy)
    }
    lanes = timeline.lanes.map { Lane(busy: $0.busy) }
    totals = timeline.buckets.map(\.totals.values)
    runs = timeline.runs.map { [rows.statement($0) ?? -1, rows.caller($0) ?? -1] }
    faults = timeline.faults.map { rows.fault($0) ?? -1 }
    saves = timeline.saves.map { rows.save($0) ?? -1 }
    saveCallers = timeline.saves.map { rows.saver($0) ?? -1 }
    runSums = timeline.buckets.map { $0.runs.flat(\.values) }
    runSteps = timeline.buckets.map(\.runs.steps)
    faultSums = timeline.buckets.map { $0.faults.flat(\.values) }
    saveSums = timeline.buckets.map { $0.saves.flat(\.values) }
    slices = timeline.slices.map {
      [
        Int64($0.kind.rawValue), $0.begin, $0.duration, Int64($0.lane), Int64($0.subject ?? -1),
        Int64(clamping: $0.rows), Int64($0.depth),
      ]
    }
    self.labels = labels
  }

  /// JSON for a script element: `<`, `>` and `&` are escaped in its strings.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var bytes: [UInt8] = []
    for byte in try encoder.encode(self) {
      switch byte {
      case UInt8(ascii: "<"): bytes += #"\u003c"#.utf8
      case UInt8(ascii: ">"): bytes += #"\u003e"#.utf8
      case UInt8(ascii: "&"): bytes += #"\u0026"#.utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension LimitedSums {
  fileprivate func flat(_ values: (Sum) -> [Int64]) -> [Int64] {
    var flat = sums.sorted { $0.key < $1.key }.flatMap { [Int64($0)] + values($1) }
    if others != Sum() { flat += [-1] + values(others) }
    return flat
  }
}

extension LimitedSums<RunSum> {
  fileprivate var steps: [Int64] {
    sums.sorted { $0.key < $1.key }.flatMap { key, sum in
      sum.steps.counts.flatMap { [Int64(key), Int64($0.step), Int64(clamping: $0.count)] }
    }
  }
}

extension Profile.Totals {
  fileprivate var values: [Int64] {
    if self == Self() { return [] }
    return Self.counts.map { Int64(clamping: self[keyPath: $0]) }
      + Self.times.map { self[keyPath: $0] }
  }
}

extension RunSum {
  fileprivate var values: [Int64] {
    [count, rows, misses, vmSteps, fullScanSteps].map { Int64(clamping: $0) } + [
      totalTime, longest,
    ]
  }
}

extension FaultSum {
  fileprivate var values: [Int64] {
    [hits, misses, rows].map { Int64(clamping: $0) } + [hitTime, missTime]
  }
}

extension SaveSum {
  fileprivate var values: [Int64] {
    [count, inserted, updated, deleted].map { Int64(clamping: $0) }
      + [waitTime, writeTime, commitTime, totalTime]
  }
}
