// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How two texts are ordered: one meaning for SQL and for the order of unsaved objects.
package enum TextOrder {
  case bytes
  case folded(StringFolding)
  case language(Collator)

  /// Below, at or above 0, of two texts in UTF-8.
  package func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    switch self {
    case .bytes: Self.byteOrder(a, b)
    case .folded(let folding): Self.foldedOrder(a, b, folding)
    case .language(let collator): collator.compare(a, b)
    }
  }

  package func order(_ a: String, _ b: String) -> Int {
    var (a, b) = (a, b)
    return a.withUTF8 { a in b.withUTF8 { b in order(a, b) } }
  }

  private static func byteOrder(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let count = min(a.count, b.count)
    if count > 0, let a = a.baseAddress, let b = b.baseAddress {
      let order = memcmp(a, b, count)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  private static func foldedOrder(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ folding: StringFolding
  ) -> Int {
    guard a.allSatisfy({ $0 < 0x80 }), b.allSatisfy({ $0 < 0x80 }) else {
      var left = folding.folded(String(decoding: a, as: UTF8.self))
      var right = folding.folded(String(decoding: b, as: UTF8.self))
      return left.withUTF8 { left in right.withUTF8 { byteOrder(left, $0) } }
    }
    for (left, right) in zip(a, b) {
      let order = Int(StringFolding.lowered(left)) - Int(StringFolding.lowered(right))
      if order != 0 { return order }
    }
    return a.count - b.count
  }
}
