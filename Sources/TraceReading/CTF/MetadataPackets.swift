// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// The packets in which LTTng writes a `metadata` file.
///
///     offset  0  magic 0x75d11d57, in the byte order of the trace
///             4  UUID
///            20  checksum
///            24  content_size, in bits, with this header
///            28  packet_size, in bits, with this header and the padding
///            32  compression, encryption, checksum schemes, major, minor
///
enum MetadataPackets {
  private static let magic: UInt32 = 0x75d1_1d57
  private static let headSize: UInt64 = 37

  /// Finds what is wrong with the metadata of a trace's folder, as one sentence.
  ///
  /// - Returns: `nil` for whole packets, and for metadata in plain text.
  static func damage(inFolder folder: String) -> String? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file),
      let place = try? damagedPlace(in: input)
    else { return nil }
    return "\(LogText.quoted(file.path)) is cut or damaged in the packet at byte \(place), and "
      + "without it its trace cannot be read; copy the trace again"
  }

  // 64 MiB is arbitrary: LTTng writes about 10 KiB per provider, and all of it is kept in memory.
  private static let longest: UInt64 = 64 << 20

  /// The text within the packets; `nil` if it cannot be read, or is longer than any of LTTng's.
  static func text(inFolder folder: String) -> String? {
    bytes(inFolder: folder).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of that text.
  static func bytes(inFolder folder: String) -> [UInt8]? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file),
      let size = try? input.seekToEnd(), size <= longest, (try? input.seek(toOffset: 0)) != nil,
      let data = try? input.readToEnd() ?? Data()
    else { return nil }
    let bytes = Array(data)
    guard let first = word(bytes, at: 0, isBigEndian: false),
      first == magic || first.byteSwapped == magic
    else { return bytes }
    let isBigEndian = first != magic
    var text: [UInt8] = []
    var place = 0
    while let content = word(bytes, at: place + 24, isBigEndian: isBigEndian),
      let packet = word(bytes, at: place + 28, isBigEndian: isBigEndian),
      content >= UInt32(headSize) * 8, content <= packet, Int(packet / 8) <= bytes.count - place,
      bytes[(place + 4)..<(place + 20)] == bytes[4..<20]
    {
      text += bytes[(place + Int(headSize))..<(place + Int(content / 8))]
      place += Int(packet / 8)
    }
    return text
  }

  /// The identity of the trace of a folder: its UUID, or nothing where it has none.
  static func traceIdentifier(ofFolder folder: String) -> String? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file) else { return nil }
    // The trace block is first; 64 KiB is arbitrary, LTTng writes it within 1 KiB.
    let head = (try? input.read(upToCount: 64 << 10)).map { Array($0) } ?? []
    guard let word = word(head, at: 0, isBigEndian: false), head.count >= 20 else { return nil }
    if word == magic || word.byteSwapped == magic {
      return head[4..<20].map { String($0, radix: 16) }.joined(separator: ".")
    }
    let text = String(decoding: head, as: UTF8.self)
    return text.firstMatch(of: /uuid\s*=\s*"([^"]+)"/).map { String($0.1) }
  }

  /// The start of the first packet that is incomplete.
  private static func damagedPlace(in input: FileHandle) throws -> UInt64? {
    let size = try input.seekToEnd()
    var place: UInt64 = 0
    var isBigEndian = false
    var uuid: ArraySlice<UInt8> = []
    while place < size {
      try input.seek(toOffset: place)
      let head = Array(try input.read(upToCount: Int(headSize)) ?? Data())
      if place == 0 {
        guard let word = word(head, at: 0, isBigEndian: false) else { return nil }
        guard word == magic || word.byteSwapped == magic else { return nil }
        isBigEndian = word != magic
        uuid = head.dropFirst(4).prefix(16)
      }
      guard head.count == headSize, head[4..<20] == uuid,
        word(head, at: 0, isBigEndian: isBigEndian) == magic,
        let content = word(head, at: 24, isBigEndian: isBigEndian).map(UInt64.init),
        let packet = word(head, at: 28, isBigEndian: isBigEndian).map(UInt64.init),
        content >= headSize * 8, content <= packet, packet % 8 == 0, packet / 8 <= size - place
      else { return place }
      place += packet / 8
    }
    return nil
  }

  private static func word(_ bytes: [UInt8], at offset: Int, isBigEndian: Bool) -> UInt32? {
    guard bytes.count >= offset + 4 else { return nil }
    let word = bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return isBigEndian ? word.byteSwapped : word
  }
}
