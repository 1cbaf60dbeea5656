// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file in which LTTng notes where the packets of a stream file lie, all numbers big-endian.
///
///     offset  0  magic 0xc1f1dcc1, major, minor, size of an entry
///            16  the first entry: offset in bytes, packet_size and content_size in bits,
///                timestamp_begin, timestamp_end, …
///
/// libbabeltrace2 believes it: packets that it leaves out are lost without a word, and those that
/// it makes up end in an abort.
enum PacketIndex {
  private static let magic: UInt64 = 0xc1f1_dcc1
  private static let headSize = 16

  /// Whether the indexes of a trace's folder list exactly the packets of its stream files.
  ///
  /// A stream file without an index is fine: libbabeltrace2 walks its packets then.
  static func isSound(inFolder folder: String) -> Bool {
    let folder = URL(filePath: folder, directoryHint: .isDirectory)
    let indexes = folder.appending(path: "index", directoryHint: .isDirectory)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: indexes.path) else {
      return true
    }
    return names.allSatisfy { name in
      guard name.hasSuffix(".idx") else { return true }
      let stream = folder.appending(path: String(name.dropLast(4)))
      guard let size = size(of: stream),
        let index = try? Data(contentsOf: indexes.appending(path: name))
      else { return false }
      return covers(index, streamOf: size)
    }
  }

  private static func covers(_ index: Data, streamOf size: UInt64) -> Bool {
    guard index.count >= headSize, word(index, at: 0) >> 32 == magic else { return false }
    let entrySize = Int(word(index, at: 8) & 0xffff_ffff)
    guard entrySize >= 16, (index.count - headSize).isMultiple(of: entrySize) else { return false }
    var end: UInt64 = 0
    for entry in stride(from: headSize, to: index.count, by: entrySize) {
      let bits = word(index, at: entry + 8)
      guard word(index, at: entry) == end, bits % 8 == 0, bits / 8 <= size - end else {
        return false
      }
      end += bits / 8
    }
    return end == size
  }

  private static func word(_ data: Data, at offset: Int) -> UInt64 {
    data[(data.startIndex + offset)..<(data.startIndex + offset + 8)]
      .reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func size(of file: URL) -> UInt64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.uint64Value
  }
}
