// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the packets of a trace store their lengths, read from its metadata.
///
///     packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
///     packet.context := struct { uint64_clock_t timestamp_begin; …; uint64_t packet_size; };
///
/// libbabeltrace2 reads a packet whose size is zero, or less than its head, without end. So the
/// sizes are walked first.
struct PacketLayout {
  private let contentSize: Int
  private let packetSize: Int
  /// In bytes: the header and the context.
  private let headSize: Int
  private let isBigEndian: Bool

  // LTTng's head has 84 bytes; 64 KiB is arbitrary.
  private static let largestHead = 64 << 10

  /// Reads the metadata of a trace's folder; `nil` where the packets are laid out as LTTng does
  /// not, with members that are no integers of whole bytes.
  init?(ofFolder folder: String) {
    guard let text = MetadataPackets.text(inFolder: folder) else { return nil }
    self.init(metadata: text)
  }

  init?(metadata text: String) {
    let types = Self.integerSizes(text)
    guard let header = Self.members(of: "packet.header", in: text),
      let context = Self.members(of: "packet.context", in: text)
    else { return nil }
    var places: [String: Int] = [:]
    var position = 0
    for member in header + context {
      // A length of zero or less lays out no packet.
      guard let size = types[member.type], member.count > 0 else { return nil }
      places[member.name] = position
      let (bytes, overflow) = size.multipliedReportingOverflow(by: member.count)
      guard !overflow, bytes <= Self.largestHead - position else { return nil }
      position += bytes
    }
    guard let content = places["content_size"], let packet = places["packet_size"],
      max(content, packet) <= position - 8
    else { return nil }
    contentSize = content
    packetSize = packet
    headSize = position
    isBigEndian = text.firstRange(of: "byte_order = be") != nil
  }

  /// The length of a stream file's beginning that consists of whole packets.
  func wholeLength(ofStream file: URL) throws -> UInt64 {
    let input = try FileHandle(forReadingFrom: file)
    let size = try input.seekToEnd()
    var place: UInt64 = 0
    while place < size {
      try input.seek(toOffset: place)
      guard let head = try input.read(upToCount: headSize), head.count == headSize else { break }
      let content = word(head, at: contentSize)
      let packet = word(head, at: packetSize)
      guard packet % 8 == 0, content <= packet, content / 8 >= UInt64(headSize),
        packet / 8 <= size - place
      else { break }
      place += packet / 8
    }
    return place
  }

  private func word(_ head: Data, at offset: Int) -> UInt64 {
    let bytes = head.dropFirst(offset).prefix(8)
    let value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    return isBigEndian ? value : value.byteSwapped
  }

  // MARK: - Metadata

  fileprivate struct Member {
    var type: String
    var name: String
    /// Of an array; else 1.
    var count: Int
  }

  /// The bytes of each named integer type that begins and ends at whole bytes.
  ///
  ///     typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
  private static func integerSizes(_ text: String) -> [String: Int] {
    var sizes: [String: Int] = [:]
    for range in text.ranges(of: "typealias integer {") {
      // 400 is arbitrary: an alias has a quarter of it.
      let parts = text[range.upperBound...].prefix(400).split(
        separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      var fields: [String: Int] = [:]
      for field in parts[0].split(separator: ";") {
        let words = field.split(whereSeparator: { $0.isWhitespace || $0 == "=" })
        if words.count == 2 { fields[String(words[0])] = Int(words[1]) }
      }
      guard let size = fields["size"], (8...64).contains(size), size % 8 == 0,
        (fields["align"] ?? 1) % 8 == 0
      else { continue }
      let name = parts[1].prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace).dropFirst()
      sizes[name.joined(separator: " ")] = size / 8
    }
    return sizes
  }

  /// The members of a structure that is written out, or named and written out elsewhere.
  private static func members(of scope: String, in text: String) -> [Member]? {
    guard let range = text.firstRange(of: "\(scope) := struct ") else { return nil }
    var rest = text[range.upperBound...]
    if rest.first != "{" {
      let name = rest.prefix(100).prefix { $0 != ";" }
      guard let range = text.firstRange(of: "struct \(name) {") else { return nil }
      rest = text[text.index(before: range.upperBound)...]
    }
    let body = rest.dropFirst().prefix { $0 != "}" && $0 != "{" }
    guard rest.dropFirst(body.count + 1).first == "}" else { return nil }
    return body.split(separator: ";").compactMap(Member.init)
  }
}

extension PacketLayout.Member {
  /// `uint8_t  uuid[16]`; `nil` for the space behind the last one.
  fileprivate init?(line: Substring) {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let declared = words.last else { return nil }
    type = words.dropLast().joined(separator: " ")
    let parts = declared.split(whereSeparator: { "[]".contains($0) })
    name = String(parts.first ?? "")
    count = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
  }
}
