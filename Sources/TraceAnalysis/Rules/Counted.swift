// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
  /// A number with the word for so many things: `1 run`, `12,800 runs`, `2 misses`.
  public func counted(_ one: String, _ many: String? = nil) -> String {
    self == 1 ? "1 \(one)" : "\(UInt64(clamping: self).grouped) \(many ?? one + "s")"
  }
}
