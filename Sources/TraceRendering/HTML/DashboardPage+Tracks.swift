// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents
import TraceAnalysis

extension DashboardPage {
  /// Nil if nothing happened.
  func tracks(of timeline: Timeline) throws -> Dashboards.Tracks? {
    guard !timeline.buckets.isEmpty else { return nil }
    let drawing = TimelineDrawing(timeline)
    var tracks = Dashboards.Tracks(
      ticks: drawing.ticks, tracks: drawing.tracks, lanes: drawing.lanes,
      json: try TimelineData(timeline: timeline, rows: rows, labels: labels).json())
    if timeline.sliceable > timeline.slices.count {
      tracks.remark.append(
        "The tracks count all of \(timeline.sliceable.counted("event")); the lanes show the "
          + "\(UInt64(timeline.slices.count).grouped) longest one by one, and all of their time in grey."
      )
    }
    if isPartial(timeline) {
      tracks.remark.append(
        "Saved reports and logs without dates have no place in time, and are not in the tracks.")
    }
    return tracks
  }

  /// Whether the profile holds more than the timeline: the sums of saved reports.
  private func isPartial(_ timeline: Timeline) -> Bool {
    var fetches: UInt64 = 0
    for bucket in timeline.buckets { fetches &+= bucket.totals.fetches }
    return fetches != profile.totals.fetches
  }

  private var rows: TimelineData.Rows {
    let callerRows = Self.rows(callers, \.name)
    let faultRows = Self.rows(profile.faults.prefix(top), \.origin)
    let saveRows = Self.rows(profile.saves.prefix(top), \.location)
    return TimelineData.Rows(
      statement: { statementRows[$0.statement] },
      caller: { callerRows[$0.caller.text ?? "unknown"] }, fault: { faultRows[$0] },
      save: { saveRows[$0] }, saver: { callerRows[$0.text ?? "unknown"] })
  }

  private var labels: TimelineData.Labels {
    TimelineData.Labels(
      statements: statements.map { Self.label($0) },
      callers: callers.map(\.name.visible),
      faults: profile.faults.prefix(top).map {
        "\($0.origin.name) on what \($0.origin.location.text ?? "an unknown line") fetched".visible
      },
      saves: profile.saves.prefix(top).map { ($0.location.text ?? "unknown").visible })
  }
}
