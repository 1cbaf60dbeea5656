// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The number of packets that start in a stream file, including packets after a damaged part.
///
/// LTTng begins every packet with the same 20 bytes, CTF's magic number and the trace's UUID.
struct PacketStarts {
  private(set) var count = 0

  private static let headSize = 20

  init(_ path: String) throws {
    let input = try FileHandle(forReadingFrom: URL(filePath: path))
    guard let head = try input.read(upToCount: Self.headSize), head.count == Self.headSize,
      head.starts(with: [0xc1, 0x1f, 0xfc, 0xc1]) || head.starts(with: [0xc1, 0xfc, 0x1f, 0xc1])
    else { return }
    count = 1
    // The window keeps the last bytes of the block before, in which a head may begin.
    var window = Data()
    while let block = try input.read(upToCount: 1 << 20), !block.isEmpty {
      window.append(block)
      var searched = window.startIndex
      while let found = window.range(of: head, in: searched..<window.endIndex) {
        count += 1
        searched = found.upperBound
      }
      let kept = window[max(searched, window.endIndex - (Self.headSize - 1))...]
      window = Data(kept)
    }
  }
}
