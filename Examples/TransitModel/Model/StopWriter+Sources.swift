// SPDX-License-Identifier: Apache-2.0

import ObjectStore

extension StopWriter {
  /// Writes an invented city, stop by stop, so that the times of each stop are adjacent in the
  /// file.
  public func write(_ city: City) throws {
    let progress = ProgressReporter(
      "generating", unit: "stop times", total: city.departureCounts.reduce(0, +))
    var done = 0
    for (index, stop) in try insert(city.stops).enumerated() {
      for time in city.stopTimes(ofStopAt: index) { try insert(time, of: stop) }
      done += city.departureCounts[index]
      progress.update(done: done)
    }
    progress.finish(done: done)
  }

  /// Writes a feed, its stop times row by row, and counts the rows.
  public func write(
    _ reader: inout GTFSReader
  ) async throws -> (stops: Int, stopTimes: Int) {
    var records: [StopRecord] = []
    try await reader.readStops { records.append($0) }
    let ids = try insert(records)
    let stops = Dictionary(uniqueKeysWithValues: zip(records.map(\.identifier), ids))
    let progress = ProgressReporter("importing", unit: "stop times")
    var done = 0
    try await reader.readStopTimes { identifier, time in
      guard let stop = stops[identifier] else { return }
      try insert(time, of: stop)
      done += 1
      if done % 4096 == 0 { progress.update(done: done) }
    }
    progress.finish(done: done)
    return (stops.count, done)
  }
}
