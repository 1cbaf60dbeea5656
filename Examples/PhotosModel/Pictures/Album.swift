// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An invented collection of photos: the same for the same seed, on every machine.
public struct Album: Sendable {
  /// The number of photos.
  public let count: Int
  /// Pixels along each side of a photo.
  public let side: Int
  /// Decides everything else.
  public let seed: UInt64

  /// The data of one photo before it is stored.
  public struct Entry: Sendable {
    /// Such as `Café Rome 017`.
    public var label: String
    /// When it was taken.
    public var timestamp: Date
    /// None twice.
    public var tags: [String]
    /// Decides the picture.
    public var pictureSeed: UInt64
  }

  /// Makes a collection.
  public init(count: Int = 184, side: Int = 256, seed: UInt64 = 1) {
    self.count = count
    self.side = side
    self.seed = seed
  }

  static let places = ["Rome", "Romainville", "Berlin", "Görlitz", "San José", "Ålesund", "Kraków"]
  static let things = ["Café", "Bridge", "Harbour", "Market", "Station", "Garden"]
  static let moods = ["sunset", "winter", "family", "Straße", "night", "crowd", "Romance"]

  /// The photo at a place, from 0.
  public func entry(_ index: Int) -> Entry {
    var random = Scrambler(seed &* 1_000_003 &+ UInt64(index))
    let place = random.pick(Self.places)
    let thing = random.pick(Self.things)
    let number = String(index + 1)
    var tags = [place, thing]
    for _ in 0..<Int(random.next() % 3) {
      let mood = random.pick(Self.moods)
      if !tags.contains(mood) { tags.append(mood) }
    }
    return Entry(
      label:
        "\(thing) \(place) \(String(repeating: "0", count: max(0, 3 - number.count)))\(number)",
      // Over the year 2011, in no order.
      timestamp: Date(timeIntervalSince1970: 1_293_840_000 + Double(random.next() % 31_536_000)),
      tags: tags, pictureSeed: random.next())
  }

  /// The picture of an entry.
  public func picture(_ entry: Entry) -> Bitmap { Bitmap(side: side, seed: entry.pictureSeed) }
}

/// SplitMix64.
private struct Scrambler {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func pick(_ values: [String]) -> String { values[Int(next() % UInt64(values.count))] }
}
