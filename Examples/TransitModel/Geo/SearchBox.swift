// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A range of longitudes and latitudes, in degrees: what an index can search.
public struct SearchBox: Hashable, Sendable {
  /// The least longitude.
  public var west: Double
  /// The greatest longitude.
  public var east: Double
  /// The least latitude.
  public var south: Double
  /// The greatest latitude.
  public var north: Double

  /// How much wider than its circle a box is, so that rounding loses no stop at the rim.
  public static let margin = 1.1

  /// Finds the boxes around a circle: one, or two where it crosses the 180° meridian.
  ///
  /// With D the widened radius in metres and R the Earth's radius, a box extends D/R to the north
  /// and south, and D/(R·cos(latitude)) to the east and west. A box that contains a pole contains
  /// every longitude.
  ///
  /// - Parameter radius: in metres.
  public static func around(_ center: Coordinate, radius: Double) -> [SearchBox] {
    let angle = radius * margin / Coordinate.earthRadius
    let latitudeReach = angle * 180 / .pi
    let longitudeReach = angle / cos(center.latitude * .pi / 180) * 180 / .pi
    let south = max(-90, center.latitude - latitudeReach)
    let north = min(90, center.latitude + latitudeReach)
    guard south > -90, north < 90, longitudeReach < 180 else {
      return [SearchBox(west: -180, east: 180, south: south, north: north)]
    }
    let west = center.longitude - longitudeReach
    let east = center.longitude + longitudeReach
    let ranges: [(west: Double, east: Double)] =
      west < -180
      ? [(west + 360, 180), (-180, east)]
      : east > 180 ? [(west, 180), (-180, east - 360)] : [(west, east)]
    return ranges.map { SearchBox(west: $0.west, east: $0.east, south: south, north: north) }
  }

  /// Whether a point is in the box or on its edge.
  public func contains(_ point: Coordinate) -> Bool {
    west <= point.longitude && point.longitude <= east
      && south <= point.latitude && point.latitude <= north
  }
}
