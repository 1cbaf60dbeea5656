// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
  /// The digits in groups of three: `12,800`.
  public var grouped: String {
    var result = ""
    for (index, digit) in String(self).reversed().enumerated() {
      if index > 0, index % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }
}

extension BinaryInteger {
  /// A number with the word for so many things: `1 run`, `12,800 runs`, `2 misses`.
  public func counted(_ one: String, _ many: String? = nil) -> String {
    self == 1 ? "1 \(one)" : "\(UInt64(clamping: self).grouped) \(many ?? one + "s")"
  }
}

extension Double {
  /// The nearest whole number with the word for so many things.
  public func counted(_ one: String, _ many: String? = nil) -> String {
    UInt64(exactly: rounded())?.counted(one, many) ?? "\(self) \(many ?? one + "s")"
  }
}
