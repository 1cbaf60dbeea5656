// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension LogBuffer {
  func append(_ value: Int64) {
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    append(value.magnitude)
  }

  func append(_ value: UInt64) { append(value, digits: 1) }

  /// Appends a number with at least so many digits, up to 20.
  func append(_ value: UInt64, digits: Int) {
    guard value > 9 || digits > 1 else { return append(byte: UInt8(ascii: "0") + UInt8(value)) }
    let pairs: StaticString = """
      00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748\
      49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697\
      9899
      """
    let length = max(digits, value.decimalDigits)
    var end = appendSpace(length) + length
    var rest = value
    var left = length
    // Two digits at a time: a division takes longer than all else.
    while left >= 2 {
      let pair = pairs.utf8Start + Int(rest % 100) * 2
      rest /= 100
      end -= 2
      end[0] = pair[0]
      end[1] = pair[1]
      left -= 2
    }
    if left == 1 { end[-1] = UInt8(ascii: "0") + UInt8(rest) }
  }

  /// Appends a span of time as `0.001304s`, to the nearest microsecond.
  func append(seconds time: Nanoseconds) {
    let microseconds = (UInt64(max(time, 0)) + 500) / 1_000
    append(microseconds / 1_000_000)
    append(byte: UInt8(ascii: "."))
    append(microseconds % 1_000_000, digits: 6)
    append(byte: UInt8(ascii: "s"))
  }
}
