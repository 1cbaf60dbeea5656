// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Bytes of log text, kept from one line to the next: nothing is allocated once it has grown.
///
/// A class with memory of its own: an array checks at each append whether it is shared.
final class LogBuffer {
  @exclusivity(unchecked) private var memory: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var capacity = 8_192
  @exclusivity(unchecked) private(set) var count = 0

  init() { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  /// Until the next append.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  func removeAll() { count = 0 }

  /// Appends so many bytes, which the caller writes.
  @inline(__always)
  func appendSpace(_ length: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < length { grow(to: count + length) }
    defer { count += length }
    return memory + count
  }

  private func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }

  private func append(_ start: UnsafePointer<UInt8>?, _ length: Int) {
    guard let start, length > 0 else { return }
    appendSpace(length).update(from: start, count: length)
  }

  func append(_ text: StaticString) { append(text.utf8Start, text.utf8CodeUnitCount) }

  /// Takes text that is known to be safe, such as a number's.
  func append(verbatim text: String) {
    var text = text
    text.withUTF8 { append($0.baseAddress, $0.count) }
  }

  func append(contentsOf other: LogBuffer) { append(other.memory, other.count) }

  @inline(__always)
  func append(byte: UInt8) { appendSpace(1).pointee = byte }

  /// Appends text from data, escaped as ``LogText`` does it.
  func append(escaping text: String) { append(text, isQuoted: false) }

  /// Appends text from data between double quotes.
  func append(quoting text: String) { append(text, isQuoted: true) }

  private func append(_ text: String, isQuoted: Bool) {
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      guard UnsafeRawBufferPointer(utf8).isPlain(isQuoted: isQuoted) else { return false }
      if isQuoted { append(byte: UInt8(ascii: "\"")) }
      append(utf8.baseAddress, utf8.count)
      if isQuoted { append(byte: UInt8(ascii: "\"")) }
      return true
    }
    if !isPlain { append(verbatim: isQuoted ? LogText.quoted(text) : LogText.escaped(text)) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte needs a second look: printable ASCII but for `\`, and for `"` between quotes.
  fileprivate func isPlain(isQuoted: Bool) -> Bool {
    var offset = 0
    while count - offset >= 8 {
      let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word.hasUnsafeByte || isQuoted && word.hasByte(UInt8(ascii: "\"")) { return false }
      offset += 8
    }
    return self[offset...].allSatisfy {
      $0 &- 0x20 < 0x5f && $0 != UInt8(ascii: "\\") && !(isQuoted && $0 == UInt8(ascii: "\""))
    }
  }
}

extension UInt64 {
  /// Whether one of the eight bytes is a control character, no ASCII, or `\`.
  @inline(__always)
  fileprivate var hasUnsafeByte: Bool {
    let highBits: UInt64 = 0x8080_8080_8080_8080
    return self & highBits != 0 || (self &- 0x2020_2020_2020_2020) & highBits != 0
      || hasByte(0x7f) || hasByte(UInt8(ascii: "\\"))
  }
}
