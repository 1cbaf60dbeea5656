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
  /// Finds the damage in the metadata of a trace's folder, as one sentence.
  ///
  /// - Returns: `nil` for whole packets, and for metadata in plain text.
  static func damage(inFolder folder: String) -> String? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file),
      let offset = try? damagedOffset(in: input)
    else { return nil }
    return "\(LogText.quoted(file.path)) is cut or damaged in the packet at byte \(offset), and "
      + "without it its trace cannot be read; copy the trace again"
  }

  // Section 7.1 of <https://diamon.org/ctf/v1.8.3/>.
  private static let signature = Array("/* CTF 1.8".utf8)

  // 64 MiB is arbitrary: LTTng writes about 10 KiB per provider, and all of it is kept in memory.
  private static let longest: UInt64 = 64 << 20

  /// The bytes of the text within the packets; `nil` if it cannot be read, or is longer than any of LTTng's.
  static func bytes(inFolder folder: String) throws(TSDLError) -> [UInt8]? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file),
      let size = try? input.seekToEnd(), size <= longest, (try? input.seek(toOffset: 0)) != nil,
      let data = try? input.readToEnd() ?? Data()
    else { return nil }
    let bytes = Array(data)
    guard Head.isHead(bytes) else {
      // Without the line, a comment, and not with that of another version.
      let isUnsigned = !bytes.starts(with: "/*".utf8) && CTFMetadata.isFromLTTng(bytes)
      guard bytes.starts(with: signature) || isUnsigned || bytes.allSatisfy({ $0 <= 32 }) else {
        throw TSDLError(reason: "its metadata does not begin with /* CTF 1.8 */")
      }
      return bytes
    }
    var text: [UInt8] = []
    var offset = 0
    var first: Head?
    while let head = Head(bytes[offset...], after: first),
      head.packet <= UInt64(bytes.count - offset)
    {
      first = first ?? head
      text += bytes[(offset + Head.size)..<(offset + Int(head.content))]
      offset += Int(head.packet)
    }
    return text
  }

  /// Whether a text begins as the specification requires.
  static func isSigned(_ text: [UInt8]) -> Bool { text.starts(with: signature) }

  /// The identity of the trace of a folder: its UUID, or nothing where it has none.
  static func traceIdentifier(ofFolder folder: String) -> String? {
    let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "metadata")
    guard let input = try? FileHandle(forReadingFrom: file) else { return nil }
    // The trace block is first; 64 KiB is arbitrary, LTTng writes it within 1 KiB.
    let head = (try? input.read(upToCount: 64 << 10)).map { Array($0) } ?? []
    guard head.count >= 20 else { return nil }
    if Head.isHead(head) {
      return head[4..<20].map { String($0, radix: 16) }.joined(separator: ".")
    }
    let text = String(decoding: head, as: UTF8.self)
    return text.firstMatch(of: /uuid\s*=\s*"([^"]+)"/).map { String($0.1) }
  }

  /// The start of the first packet that is incomplete.
  private static func damagedOffset(in input: FileHandle) throws -> UInt64? {
    let size = try input.seekToEnd()
    var offset: UInt64 = 0
    var first: Head?
    while offset < size {
      try input.seek(toOffset: offset)
      let bytes = Array(try input.read(upToCount: Head.size) ?? Data())[...]
      if offset == 0, !Head.isHead(bytes) { return nil }
      guard let head = Head(bytes, after: first), head.packet <= size - offset else {
        return offset
      }
      first = first ?? head
      offset += head.packet
    }
    return nil
  }
}

/// The head of a packet of metadata, which has no compression, encryption or checksum.
private struct Head {
  /// In bytes, with the head.
  let content: UInt64
  let packet: UInt64
  private let uuid: [UInt8]
  private let isBigEndian: Bool

  static let size = 37
  private static let magic: [UInt8] = [0x57, 0x1d, 0xd1, 0x75]
  private static let noSchemesInVersion18: [UInt8] = [0, 0, 0, 1, 8]

  static func isHead(_ bytes: some Collection<UInt8>) -> Bool {
    let word = bytes.prefix(4)
    return word.elementsEqual(magic) || word.elementsEqual(magic.reversed())
  }

  /// - Parameter first: the head of the trace's first packet; `nil` where this is the first.
  init?(_ bytes: ArraySlice<UInt8>, after first: Self?) {
    guard bytes.count >= Self.size, Self.isHead(bytes) else { return nil }
    let start = bytes.startIndex
    isBigEndian = bytes[start] != Self.magic[0]
    uuid = Array(bytes[(start + 4)..<(start + 20)])
    let contentBits = Self.word(bytes[(start + 24)..<(start + 28)], isBigEndian)
    let packetBits = Self.word(bytes[(start + 28)..<(start + 32)], isBigEndian)
    (content, packet) = (contentBits / 8, packetBits / 8)
    guard first?.uuid ?? uuid == uuid, first?.isBigEndian ?? isBigEndian == isBigEndian,
      bytes[(start + 32)..<(start + 37)].elementsEqual(Self.noSchemesInVersion18),
      contentBits >= Self.size * 8, contentBits <= packetBits, packetBits % 8 == 0
    else { return nil }
  }

  private static func word(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt64 {
    (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
