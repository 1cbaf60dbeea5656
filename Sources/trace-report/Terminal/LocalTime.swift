// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A local time in the format of `strftime`.
enum LocalTime {
  static func text(_ format: String, of seconds: Int64 = Int64(time(nil))) -> String {
    var seconds = time_t(seconds)
    var local = tm()
    localtime_r(&seconds, &local)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, format, &local)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Of nanoseconds since 1970, with the thousandths of the second.
  static func text(_ format: String, ofNanoseconds time: Int64) -> String {
    let thousandths = String(time / 1_000_000 % 1000 + 1000).dropFirst()
    return "\(text(format, of: time / 1_000_000_000)).\(thousandths)"
  }
}
