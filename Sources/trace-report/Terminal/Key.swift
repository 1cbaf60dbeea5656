// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A key of a terminal that does not wait for the end of a line.
enum Key: Equatable {
  case character(Character)
  case up, down, escape

  /// Parses keys from bytes; an unknown sequence is one unknown key, which is ignored.
  ///
  /// `ESC [ A` is an arrow, and `ESC O A` if the terminal is in application mode.
  static func keys(in bytes: some Collection<UInt8>) -> [Key] {
    var keys: [Key] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1b else {
        if (0x20..<0x7f).contains(byte) { keys.append(.character(Character(Unicode.Scalar(byte)))) }
        continue
      }
      guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
        keys.append(.escape)
        continue
      }
      rest.removeFirst()
      // Parameters come before the letter that ends the sequence.
      while let next = rest.first, (0x20..<0x40).contains(next) { rest.removeFirst() }
      switch rest.popFirst() {
      case UInt8(ascii: "A"): keys.append(.up)
      case UInt8(ascii: "B"): keys.append(.down)
      default: break
      }
    }
    return keys
  }

  /// Waits for keys, a signal or a timeout.
  static func wait(on descriptor: Int32, milliseconds: Int32) -> [Key] {
    var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&question, descriptor < 0 ? 0 : 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return keys(in: bytes.prefix(max(count, 0)))
  }
}
