// SPDX-License-Identifier: Apache-2.0

/// Text in UTF-16, as PowerShell and some editors save it.
struct UTF16Conversion: TextConversion {
  private let isBigEndian: Bool
  /// Half a unit, or the first unit of a pair.
  private var rest: [UInt8] = []
  private var isFirst = true

  /// Returns `nil` if a text does not begin with the byte order mark of UTF-16.
  init?(head: [UInt8]) {
    isBigEndian = head.starts(with: [0xfe, 0xff])
    guard isBigEndian || head.starts(with: [0xff, 0xfe]) else { return nil }
  }

  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    let all = rest + bytes
    var units = stride(from: 0, to: all.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(all[index]), UInt16(all[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    rest = Array(all[(units.count * 2)...])
    if isFirst, !units.isEmpty {
      isFirst = false
      // The byte order mark.
      units.removeFirst()
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
