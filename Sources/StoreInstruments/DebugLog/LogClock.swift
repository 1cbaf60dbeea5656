// SPDX-License-Identifier: Apache-2.0

import CLogSink
import Glibc

/// Writes moments as `2026-11-21 14:12:28.633104`, by one offset from UTC for the whole log.
///
/// The text of a second is kept: a fetch that takes microseconds does no calendar arithmetic.
struct LogClock {
  /// In seconds east of Greenwich.
  let utcOffset: Int
  private var second: time_t = .min
  private let text = LogBuffer()

  init(utcOffset: Int) { self.utcOffset = utcOffset }

  mutating func append(_ moment: timespec, to line: LogBuffer) {
    if moment.tv_sec != second {
      second = moment.tv_sec
      text.removeAll()
      text.append(date: second + utcOffset)
      text.append(byte: UInt8(ascii: "."))
    }
    line.append(contentsOf: text)
    line.append(UInt64(moment.tv_nsec / 1_000), digits: 6)
  }

  /// The offset in force now, where the process runs.
  static var localOffset: Int {
    var now = time(nil)
    var local = tm()
    return localtime_r(&now, &local) == nil ? 0 : local.tm_gmtoff
  }
}

extension LogBuffer {
  /// Appends seconds since 1970 as `2026-11-21 14:12:28`.
  func append(date seconds: time_t) {
    let date = CLogSink_date(Int64(seconds))
    append(date.year)
    for (separator, value) in [
      ("-" as StaticString, date.month), ("-", date.day), (" ", date.hour), (":", date.minute),
      (":", date.second),
    ] {
      append(separator)
      append(UInt64(value), digits: 2)
    }
  }

  /// Appends an offset from UTC as `+01:00`.
  func append(utcOffset: Int) {
    append(utcOffset < 0 ? "-" : "+")
    append(UInt64(utcOffset.magnitude / 3_600), digits: 2)
    append(":")
    append(UInt64(utcOffset.magnitude % 3_600 / 60), digits: 2)
  }
}
