// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A stop before it is stored.
public struct StopRecord: Hashable, Sendable {
  /// The feed's number for it.
  public var identifier: Int64
  /// The name as displayed.
  public var name: String
  /// The position.
  public var coordinate: Coordinate
}

/// Invents the stops of a city shaped like Berlin: close together in the middle, several to a
/// station, and an interchange at the point of interest.
///
/// Coordinates are computed only with sums, products and roots, which are the same on every
/// machine.
struct StopGenerator {
  private var random: SplitMix64
  private var names = StopNames()
  private var identifier: Int64 = 900_000_000
  private var pending: [(name: String, coordinate: Coordinate)]

  private static let center = Coordinate(latitude: 52.515, longitude: 13.4)
  private static let interchange = "U Görlitzer Bahnhof (Berlin)"
  /// Metres east and north of the point of interest: an interchange and its bus poles.
  ///
  /// The last three are in the corners of the 80 m box, where only the second pass rejects them.
  private static let poles: [(east: Double, north: Double)] = [
    (0, 0), (6, -4), (-9, 3), (14, 11), (-17, -12), (25, 5), (-28, 16), (31, -22), (-36, -8),
    (41, 27), (-12, 52), (8, -61), (74, 70), (-72, 73), (70, -75),
  ]

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    pending = Self.poles.reversed().map { pole in
      (Self.interchange, Coordinate.goerlitzerBahnhof.moved(east: pole.east, north: pole.north))
    }
  }

  mutating func next() -> StopRecord {
    if pending.isEmpty { pending = makeStation() }
    let (name, coordinate) = pending.removeLast()
    identifier += 1
    return StopRecord(identifier: identifier, name: name, coordinate: coordinate)
  }

  private mutating func makeStation() -> [(name: String, coordinate: Coordinate)] {
    // The product of two bells has a sharp middle and a long rim, as a city has.
    let spread = 0.35 + abs(random.bell())
    let middle = Self.center.moved(
      east: random.bell() * spread * 7_000, north: random.bell() * spread * 5_500)
    var name = names.next(using: &random)
    // Real feeds mix both forms of ö, and so does this one: U+00F6, and sometimes U+006F U+0308.
    if random.index(below: 40) == 0 { name = name.decomposedStringWithCanonicalMapping }
    return (0...random.index(below: 4)).map { _ in
      (name, middle.moved(east: random.bell() * 25, north: random.bell() * 25))
    }
  }
}

extension Coordinate {
  /// Moves a coordinate by metres; the length of a degree is assumed to be that in Berlin.
  fileprivate func moved(east: Double, north: Double) -> Coordinate {
    Coordinate(latitude: latitude + north / 111_195, longitude: longitude + east / 67_700)
  }
}
