// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A picture in 24-bit colour, as a BMP file holds it: no compression, so its size is its pixels'.
public struct Bitmap: Sendable {
  /// Pixels along each side.
  public let side: Int
  /// Blue, green and red of each pixel, the lowest row first.
  private let color: @Sendable (_ x: Int, _ y: Int) -> (blue: UInt8, green: UInt8, red: UInt8)

  // The file header and the oldest picture header there is.
  private static let headerSize = 14 + 40

  /// A landscape: a sky that fades, hills, and noise as a camera has it.
  public init(side: Int, seed: UInt64) {
    self.side = side
    let hue = UInt8(truncatingIfNeeded: seed &* 37)
    let steepness = Int(seed % 7) + 3
    color = { x, y in
      let height = side / 3 + (x * steepness % max(side / 2, 1)) / 2
      let noise = UInt8(truncatingIfNeeded: (x &* 2_654_435_761) ^ (y &* 40_503)) & 15
      let light = UInt8(y * 200 / max(side, 1))
      return y < height ? (noise, 90 &+ noise, hue / 2) : (200 &+ noise, light, hue &+ noise)
    }
  }

  /// The picture made smaller, if it is larger than that, for showing it in a list.
  public func thumbnail(side: Int) -> Bitmap { Bitmap(self, side: side) }

  private init(_ original: Bitmap, side: Int) {
    self.side = min(side, original.side)
    let scale = original.side / self.side
    color = { x, y in original.color(x * scale, y * scale) }
  }

  /// The bytes of the file, of which each row is filled up to a multiple of four.
  public var file: Data {
    let rowSize = (side * 3 + 3) / 4 * 4
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerSize + rowSize * side)
    func append(_ value: Int, bytes count: Int) {
      for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (shift * 8))) }
    }
    bytes += "BM".utf8
    append(Self.headerSize + rowSize * side, bytes: 4)
    append(0, bytes: 4)
    append(Self.headerSize, bytes: 4)
    append(40, bytes: 4)
    append(side, bytes: 4)
    append(side, bytes: 4)
    append(1, bytes: 2)
    append(24, bytes: 2)
    append(0, bytes: 4)
    append(rowSize * side, bytes: 4)
    for _ in 0..<4 { append(0, bytes: 4) }
    for y in 0..<side {
      for x in 0..<side {
        let (blue, green, red) = color(x, y)
        bytes.append(blue)
        bytes.append(green)
        bytes.append(red)
      }
      for _ in side * 3..<rowSize { bytes.append(0) }
    }
    return Data(bytes)
  }

  /// Width and height of a BMP file; nil if the bytes are not a BMP file.
  public static func size(of file: Data) -> (width: Int, height: Int)? {
    let bytes = [UInt8](file.prefix(headerSize))
    guard bytes.count == headerSize, bytes.starts(with: "BM".utf8) else { return nil }
    func integer(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
    }
    guard integer(2) == file.count else { return nil }
    return (integer(18), integer(22))
  }
}
