// SPDX-License-Identifier: Apache-2.0

/// Finds the end of the head of a message.
enum HTTPHead {
  /// The index after the empty line; nil while it is missing.
  static func end(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first {
      bytes[$0 - 4] == 0x0d && bytes[$0 - 3] == 0x0a && bytes[$0 - 2] == 0x0d
        && bytes[$0 - 1] == 0x0a
    }
  }
}
