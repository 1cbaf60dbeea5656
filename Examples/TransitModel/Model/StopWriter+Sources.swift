// SPDX-License-Identifier: Apache-2.0

extension StopWriter {
  /// Writes an invented city, stop by stop, so that each stop's times lie together in the file.
  public func write(_ city: City) throws {
    let progress = ProgressReporter(
      "generating", unit: "stop times", total: city.departureCounts.reduce(0, +))
    var done = 0
    for (index, stop) in city.stops.enumerated() {
      let key = try insert(stop)
      for (place, time) in city.stopTimes(ofStopAt: index).enumerated() {
        try insert(time, ofStop: key, place: Int64(place + 1))
      }
      done += city.departureCounts[index]
      progress.update(done: done)
    }
    progress.finish(done: done)
  }

  /// Writes a feed, row by row, and counts what it wrote.
  public func write(
    _ reader: inout GTFSReader
  ) async throws -> (stops: Int, stopTimes: Int) {
    var stops: [Int64: (key: Int64, times: Int64)] = [:]
    try await reader.readStops { stop in stops[stop.identifier] = (try insert(stop), 0) }
    let progress = ProgressReporter("importing", unit: "stop times")
    var done = 0
    try await reader.readStopTimes { stop, time in
      stops[stop]?.times += 1
      guard let place = stops[stop] else { return }
      try insert(time, ofStop: place.key, place: place.times)
      done += 1
      if done % 4096 == 0 { progress.update(done: done) }
    }
    progress.finish(done: done)
    return (stops.count, done)
  }
}
