// SPDX-License-Identifier: Apache-2.0

/// A generated city: the same numbers and the same seed make the same stops and times on every
/// machine.
public struct City: Sendable {
  /// In the order of their identifiers.
  public let stops: [StopRecord]
  /// The number of stop times of each stop; the sum is the requested number.
  public let departureCounts: [Int]
  private let seed: UInt64

  /// Invents a city.
  ///
  /// - Parameters:
  ///   - stopTimes: shared out among the stops, more to those near the centre.
  public init(stops stopCount: Int, stopTimes: Int, seed: UInt64) {
    var generator = StopGenerator(seed: seed)
    stops = (0..<stopCount).map { _ in generator.next() }
    departureCounts = Self.share(stopTimes, among: stops, seed: seed)
    self.seed = seed
  }

  /// Invents the stop times of the stop at an index, in order of departure.
  public func stopTimes(ofStopAt index: Int) -> some Sequence<StopTimeRecord> {
    let generator = DepartureGenerator(
      stop: stops[index].identifier, count: departureCounts[index], seed: seed)
    return sequence(state: generator) { $0.next() }
  }

  private static func share(_ total: Int, among stops: [StopRecord], seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: ~seed)
    let center = Coordinate.goerlitzerBahnhof
    var running = 0.0
    let sums = stops.map { stop in
      let east = (stop.coordinate.longitude - center.longitude) * 67.7
      let north = (stop.coordinate.latitude - center.latitude) * 111.2
      // A stop 8 km out has about half the rides of one in the middle.
      running += (0.3 + random.unit()) / (1 + (east * east + north * north) / 64)
      return running
    }
    var given = 0
    return sums.enumerated().map { index, sum in
      let reached = index == stops.count - 1 ? total : Int(Double(total) * sum / running)
      defer { given = reached }
      return reached - given
    }
  }
}
