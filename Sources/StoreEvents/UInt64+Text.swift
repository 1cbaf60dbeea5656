// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
  /// How many digits it has in base ten, up to 20.
  @inlinable
  package var decimalDigits: Int {
    var (digits, limit) = (1, 10 as UInt64)
    while digits < 20, self >= limit {
      digits += 1
      limit &*= 10
    }
    return digits
  }

  /// Whether one of its eight bytes is this one.
  ///
  /// See <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>.
  @inlinable
  @inline(__always)
  package func hasByte(_ byte: UInt8) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference = self ^ ones &* UInt64(byte)
    return (difference &- ones) & ~difference & 0x8080_8080_8080_8080 != 0
  }
}
