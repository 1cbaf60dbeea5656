// SPDX-License-Identifier: Apache-2.0

/// The range that holds exactly the strings with a prefix, in the order of UTF-8 bytes.
enum PrefixRange {
  /// The first string after all that begin with `prefix`, or nil if there is none.
  ///
  /// `"az"` → `"a{"`; `"\u{D7FF}"` → `"\u{E000}"`, as surrogates are no scalars;
  /// `"a\u{10FFFF}"` → `"b"`; `"\u{10FFFF}"` and `""` → nil.
  static func upperBound(of prefix: String) -> String? {
    // A character of one byte before the last one, as nearly all prefixes end with.
    if let last = prefix.utf8.last, last < 0x7f {
      var bytes = Array(prefix.utf8)
      bytes[bytes.count - 1] = last + 1
      return String(decoding: bytes, as: UTF8.self)
    }
    var scalars = prefix.unicodeScalars
    while let last = scalars.popLast() {
      guard last.value < 0x10FFFF else { continue }
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { return nil }
      scalars.append(scalar)
      return String(scalars)
    }
    return nil
  }
}
