// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents
import TraceAnalysis

/// The tracks of a whole trace as SVG paths, which the page shows until a script zooms in.
struct TimelineDrawing {
  let timeline: Timeline
  /// The number of buckets per bar: 256 bars are enough for a printed page.
  private let step: Int

  private static let width = 1000.0
  static let trackHeight = 46.0
  static let laneHeight = 24.0

  init(_ timeline: Timeline) {
    self.timeline = timeline
    step = max(1, (timeline.buckets.count + 255) / 256)
  }

  private var span: Nanoseconds {
    let (span, overflow) = timeline.bucketWidth.multipliedReportingOverflow(
      by: Int64(timeline.buckets.count))
    return overflow ? .max : max(span, 1)
  }

  /// The time at each quarter.
  var ticks: [String] {
    (0...4).map { Cell.duration(span / 4 * Int64($0)).text }
  }

  var tracks: [Dashboards.Track] {
    timeline.shownTracks.map { track in
      var (count, busy): (UInt64, Nanoseconds) = (0, 0)
      for number in track.counts { count &+= number }
      for time in track.busy { busy &+= time }
      let text =
        switch track.kind {
        case .logSize: "up to \(Cell.bytes(track.counts.max() ?? 0).text)"
        case .pinnedLog: timeline.pinText
        default:
          count == 0
            ? "none" : count.grouped + (busy > 0 ? " · \(Cell.duration(busy).text)" : "")
        }
      return Dashboards.Track(
        code: track.kind.code, name: timeline.name(of: track.kind), text: text,
        path: bars(
          track.kind == .pinnedLog
            ? track.busy.map(Double.init) : track.counts.map(Double.init),
          height: Self.trackHeight, isSize: track.kind == .logSize))
    }
  }

  var lanes: [Dashboards.Lane] {
    timeline.lanes.enumerated().map { number, lane in
      Dashboards.Lane(
        number: number, name: lane.name.visible,
        path: bars(lane.busy.map(Double.init), height: Self.laneHeight),
        slices: Timeline.Track.Kind.allCases.compactMap { kind in
          let path = slices(of: kind, in: number)
          return path.isEmpty ? nil : Dashboards.Slices(code: kind.code, path: path)
        })
    }
  }

  /// - Parameter isSize: whether joined values are represented by the largest one instead of the
  ///   sum.
  private func bars(_ values: [Double], height: Double, isSize: Bool = false) -> String {
    let sums = stride(from: 0, to: values.count, by: step).map { first in
      let joined = values[first..<min(first + step, values.count)]
      return isSize ? joined.max() ?? 0 : joined.reduce(0, +)
    }
    guard let most = sums.max(), most > 0 else { return "" }
    let width = Self.width * Double(step) / Double(values.count)
    return sums.enumerated().map { index, sum in
      guard sum > 0 else { return "" }
      // Small values must remain visible.
      let top = height - max(sum / most * (height - 4), 2)
      return Self.box(Double(index) * width, top, Double(index + 1) * width, height)
    }.joined()
  }

  private func slices(of kind: Timeline.Track.Kind, in lane: Int) -> String {
    timeline.slices.filter { $0.kind == kind && $0.lane == lane }.map { slice in
      let left = Double(slice.begin) / Double(span) * Self.width
      let width = Double(slice.duration) / Double(span) * Self.width
      return Self.box(left, 3 + Double(min(slice.depth, 3)) * 5, left + max(width, 0.8), 23)
    }.joined()
  }

  /// Both edges are rounded separately, so neighbours share an edge.
  private static func box(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double
  ) -> String {
    "M\(left.oneDigit) \(Int(bottom))V\(top.oneDigit)H\(right.oneDigit)V\(Int(bottom))z"
  }
}

extension Timeline {
  /// `worker.py:12 of python3 worker.py, 60.0 s, and 2 more`.
  fileprivate var pinText: String {
    guard let pin = pins.first else { return "none" }
    let locationText = pin.location.text.map { "\($0) of " } ?? ""
    let more = pins.count > 1 ? ", and \(pins.count - 1) more" : ""
    return "\(locationText)\(pin.process), \(Cell.duration(pin.duration).text)\(more)".visible
  }

  /// The work of a program without a store is named as statements.
  func name(of kind: Track.Kind) -> String {
    isObserved && kind == .fetches ? "Statements" : kind.name
  }

  /// The four that Instruments shows for a store, and the others if they have something to show.
  var shownTracks: [Track] {
    let hasWaits = tracks.contains { $0.kind == .lockWaits && $0.counts.contains { $0 > 0 } }
    return tracks.filter { track in
      switch track.kind {
      case .fetches: true
      case .faults: measures.contains(.faults) || track.counts.contains { $0 > 0 }
      case .cacheMisses: measures.contains(.cacheMisses) || track.counts.contains { $0 > 0 }
      case .saves: measures.contains(.saves) || track.counts.contains { $0 > 0 }
      case .lockWaits, .checkpoints, .logSize, .pinnedLog: track.counts.contains { $0 > 0 }
      // Who held the lock is of interest where someone waited for it.
      case .writeLocks: hasWaits && track.counts.contains { $0 > 0 }
      }
    }
  }
}

extension Timeline.Track.Kind {
  /// Its CSS class, and its name in the scripts.
  var code: String {
    switch self {
    case .fetches: "fetches"
    case .faults: "faults"
    case .cacheMisses: "misses"
    case .saves: "saves"
    case .lockWaits: "waits"
    case .checkpoints: "checkpoints"
    case .writeLocks: "locks"
    case .logSize: "log"
    case .pinnedLog: "pins"
    }
  }

  var name: String {
    switch self {
    case .fetches: "Fetches"
    case .faults: "Faults"
    case .cacheMisses: "Cache misses"
    case .saves: "Saves"
    case .lockWaits: "Lock waits"
    case .checkpoints: "Checkpoints"
    case .writeLocks: "Write locks"
    case .logSize: "Log size"
    case .pinnedLog: "Log pinned"
    }
  }

  var unit: String? {
    switch self {
    case .logSize: "bytes"
    case .pinnedLog: "time"
    default: nil
    }
  }
}
