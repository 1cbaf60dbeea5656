// SPDX-License-Identifier: Apache-2.0

public import ObjectStore

/// The results of a search, and the time of its fetches.
public struct SearchResult: Sendable {
  /// The search.
  public var search: StopSearch
  /// The version.
  public var version: Version
  /// The number of rows that the store returned, before the second pass.
  public var rowCount: Int
  /// The rows that passed the second pass.
  public var found: [FoundStop]
  /// The clock times at which something leaves each found stop; empty unless departures were
  /// searched.
  public var departures: [ManagedObjectID: [ServiceTime]]
  /// How long each fetch took, both passes included, shortest first.
  public var durations: [Duration]
}

extension StopStore {
  /// Runs a search some times over, each in a context without objects.
  public func run(_ search: StopSearch, times: Int = 1) throws -> SearchResult {
    var durations: [Duration] = []
    var rowCount = 0
    var found: [FoundStop] = []
    for _ in 0..<times {
      let context = container.newBackgroundContext()
      let start = ContinuousClock.now
      let stops = try search.fetch(version, in: context)
      found = search.exact(stops)
      durations.append(ContinuousClock.now - start)
      rowCount = stops.count
    }
    return SearchResult(
      search: search, version: version, rowCount: rowCount, found: found,
      departures: try departures(of: found, for: search), durations: durations.sorted())
  }

  /// Fetches what leaves the found stops, for showing it.
  private func departures(
    of stops: [FoundStop], for search: StopSearch
  ) throws -> [ManagedObjectID: [ServiceTime]] {
    guard case .departures(_, let clock, let minutes) = search, !stops.isEmpty else { return [:] }
    let context = container.newBackgroundContext()
    let ids = stops.map(\.objectID)
    var departures: [ManagedObjectID: [ServiceTime]] = [:]
    for window in DepartureWindow.departures(after: clock, minutes: minutes) {
      var request = FetchRequest<StopTime>(
        predicate: try FetchPredicate(
          "stop IN %@ AND %@ <= departureTime AND departureTime <= %@", ids, window.from.seconds,
          window.until.seconds))
      request.returnsObjectsAsFaults = false
      for stopTime in try context.fetch(request) {
        guard let stop = stopTime.stop?.objectID, let departure = stopTime.departureTime else {
          continue
        }
        departures[stop, default: []].append(
          ServiceTime(seconds: departure + window.clockOffset))
      }
    }
    return departures.mapValues { $0.sorted() }
  }
}
