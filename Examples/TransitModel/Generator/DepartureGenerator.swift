// SPDX-License-Identifier: Apache-2.0

/// A stop time before it is stored.
public struct StopTimeRecord: Hashable, Sendable {
  /// Seconds of the service day; nil where the feed leaves the time open.
  public var arrivalTime: Int64?
  /// Seconds of the service day; nil where the feed leaves the time open.
  public var departureTime: Int64?
  /// GTFS's `pickup_type`: 0 regular, 1 none, 2 phone the agency, 3 arrange with the driver.
  public var pickupType: Int16
  /// GTFS's `drop_off_type`, numbered as `pickup_type`.
  public var dropOffType: Int16
}

/// Invents the stop times of one stop over a day, in order of departure.
struct DepartureGenerator {
  private var random: SplitMix64
  private let count: Int
  private var position = 0

  /// How busy each hour is, from midnight.
  private static let hours: [Double] = [
    20, 10, 6, 6, 18, 42, 62, 72, 70, 60, 56, 56, 58, 60, 64, 70, 76, 76, 68, 58, 50, 44, 38, 30,
  ]
  /// The share of the day's departures before each hour, from 0 to 1.
  private static let sharesBefore: [Double] = {
    let total = hours.reduce(0, +)
    return hours.reduce(into: [0.0]) { shares, hour in
      shares.append(shares[shares.count - 1] + hour / total)
    }
  }()

  init(stop identifier: Int64, count: Int, seed: UInt64) {
    // A stream for each stop, so that one stop's count does not move another's times.
    random = SplitMix64(seed: seed &* 0xD134_2543_DE82_EF95 ^ UInt64(bitPattern: identifier))
    self.count = count
  }

  mutating func next() -> StopTimeRecord? {
    guard position < count else { return nil }
    defer { position += 1 }
    // One departure in each of `count` equal parts of the day's traffic: they come sorted.
    let departure = Self.seconds(atShare: (Double(position) + random.unit()) / Double(count))
    let bits = random.next()
    let wait = Int64(bits % 45)
    return StopTimeRecord(
      arrivalTime: max(0, departure - wait), departureTime: departure,
      pickupType: bits >> 32 & 63 == 0 ? 1 : 0, dropOffType: bits >> 40 & 63 == 0 ? 1 : 0)
  }

  /// Finds the second of the day before which a share of the departures leave.
  private static func seconds(atShare share: Double) -> Int64 {
    var hour = 23
    while sharesBefore[hour] > share { hour -= 1 }
    let within = (share - sharesBefore[hour]) / (sharesBefore[hour + 1] - sharesBefore[hour])
    return Int64(min(Double(hour) * 3600 + within * 3600, Double(ServiceTime.day - 1)))
  }
}
