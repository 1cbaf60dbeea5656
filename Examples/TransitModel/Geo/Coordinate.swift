// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A point on the Earth, in degrees.
public struct Coordinate: Hashable, Sendable {
  /// Degrees, north positive, -90 to 90.
  public var latitude: Double
  /// Degrees, east positive, -180 to 180.
  public var longitude: Double

  /// The mean radius of the Earth, in metres.
  public static let earthRadius = 6_371_009.0

  /// The point of interest of the example: Görlitzer Bahnhof in Berlin.
  public static let goerlitzerBahnhof = Coordinate(latitude: 52.4992490, longitude: 13.4181670)

  /// Makes a point from degrees.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both angles are numbers within their range.
  public var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

  /// The great-circle distance to another point, in metres.
  ///
  /// With the haversine formula, which is accurate for small distances.
  public func distance(to other: Coordinate) -> Double {
    let ownLatitude = latitude * .pi / 180
    let otherLatitude = other.latitude * .pi / 180
    let sineNorth = sin((otherLatitude - ownLatitude) / 2)
    let sineEast = sin((other.longitude - longitude) * .pi / 360)
    let h = sineNorth * sineNorth + cos(ownLatitude) * cos(otherLatitude) * sineEast * sineEast
    return 2 * Self.earthRadius * asin(min(1, h.squareRoot()))
  }
}
