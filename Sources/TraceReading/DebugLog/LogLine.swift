// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// One line of the debug log, taken apart but not copied.
///
///     2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore: sql: SELECT 0, t0.Z_PK FROM …
///     └ localTime ─────────────┘ └ process ──┘└ thread ┘          └ category └ text
struct LogLine {
  enum Category { case sql, annotation, details, warning, error }

  /// Nanoseconds since 1970-01-01 00:00 on the clock of the writer's time zone.
  let localTime: Nanoseconds
  /// The process's name and id as written, such as `transit[2367`.
  let process: UnsafeRawBufferPointer
  let threadID: Int64
  let category: Category
  let text: UnsafeRawBufferPointer

  init(
    localTime: Nanoseconds, process: UnsafeRawBufferPointer, threadID: Int64, category: Category,
    text: UnsafeRawBufferPointer
  ) {
    self.localTime = localTime
    self.process = process
    self.threadID = threadID
    self.category = category
    self.text = text
  }

  /// Returns `nil` if the line is not of this form.
  init?(_ line: UnsafeRawBufferPointer) {
    var rest = ByteCursor(line)
    guard let time = rest.consumeTimestamp(), rest.consume(" "),
      let head = rest.consumeThrough("] ObjectStore: ")
    else { return nil }
    guard let colon = head.lastIndex(of: UInt8(ascii: ":")),
      let thread = Int64(decimal: UnsafeRawBufferPointer(rebasing: head[(colon + 1)...]))
    else { return nil }
    localTime = time
    process = UnsafeRawBufferPointer(rebasing: head[..<colon])
    threadID = thread
    guard let category = rest.consumeCategory() else { return nil }
    self.category = category
    text = rest.rest
  }

  /// The process's name and id.
  static func identity(_ process: UnsafeRawBufferPointer) -> ProcessIdentity? {
    guard let bracket = process.lastIndex(of: UInt8(ascii: "[")),
      let id = Int64(decimal: UnsafeRawBufferPointer(rebasing: process[(bracket + 1)...]))
    else { return nil }
    let name = String(decoding: process[..<bracket], as: UTF8.self)
    return ProcessIdentity(id: id, name: LogText.unescaped(name[...]))
  }
}

extension ByteCursor {
  @inline(__always)
  mutating func consumeCategory() -> LogLine.Category? {
    if consume("annotation: ") { return .annotation }
    if consume("sql: ") { return .sql }
    if consume("details: ") { return .details }
    if consume("warning: ") { return .warning }
    if consume("error: ") { return .error }
    return nil
  }

  /// Parses `2026-11-21 14:12:28.633104`.
  fileprivate mutating func consumeTimestamp() -> Nanoseconds? {
    guard let seconds = consumeDateTime(), consume("."), let microseconds = consumeDigits(6) else {
      return nil
    }
    return seconds * 1_000_000_000 + microseconds * 1000
  }

  /// Parses `2026-11-21 14:12:28`, in seconds since 1970-01-01 00:00.
  mutating func consumeDateTime(separator: StaticString = " ") -> Int64? {
    var ahead = self
    guard let seconds = ahead.consumeDateThenTime(separator) else { return nil }
    self = ahead
    return seconds
  }

  private mutating func consumeDateThenTime(_ separator: StaticString) -> Int64? {
    guard let year = consumeDigits(4), consume("-"), let month = consumeDigits(2), consume("-"),
      let day = consumeDigits(2), consume(separator), let hour = consumeDigits(2), consume(":"),
      let minute = consumeDigits(2), consume(":"), let second = consumeDigits(2)
    else { return nil }
    // Years outside would overflow nanoseconds; 60 is a leap second.
    guard (1970...2261).contains(year), (1...12).contains(month), (1...31).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
  }
}

/// Days between 1970-01-01 and a date of the Gregorian calendar.
///
/// Counts years from March, so that the leap day is a year's last: see
/// <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>.
package func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let year = month <= 2 ? year - 1 : year
  let era = year / 400
  let yearOfEra = year - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}
