// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the packets of a stream file begin, found without its metadata.
///
/// LTTng begins every packet with the same 20 bytes, CTF's magic number and the trace's UUID.
struct PacketStarts {
  private(set) var offsets: [UInt64] = []

  private static let headSize = 20

  init(_ file: URL) throws {
    let input = try FileHandle(forReadingFrom: file)
    guard let head = try input.read(upToCount: Self.headSize), head.count == Self.headSize,
      head.starts(with: [0xc1, 0x1f, 0xfc, 0xc1]) || head.starts(with: [0xc1, 0xfc, 0x1f, 0xc1])
    else { return }
    offsets = [0]
    // The window keeps the last bytes of the block before, in which a head may begin.
    var window = Data()
    var position = UInt64(Self.headSize)
    while let block = try input.read(upToCount: 1 << 20), !block.isEmpty {
      window.append(block)
      var searched = window.startIndex
      while let found = window.range(of: head, in: searched..<window.endIndex) {
        let distance = window.distance(from: window.startIndex, to: found.lowerBound)
        offsets.append(position + UInt64(distance))
        searched = found.upperBound
      }
      let kept = window[max(searched, window.endIndex - (Self.headSize - 1))...]
      position += UInt64(window.count - kept.count)
      window = Data(kept)
    }
  }
}
