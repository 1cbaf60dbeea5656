// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The prefix before `CoreData: `: time, process and thread.
///
///     2014-07-31 15:29:04.797 WordList[73416:2971038]          NSLog; the thread decimal or hex
///     2026-01-02 10:00:00.123456+0100 0x1a2b Default 0x0 4711 0 App: (CoreData) [com.apple…:sql]
///     2026-01-02 10:00:00.123456+0100 host App[4711]: (CoreData) [com.apple…:sql]     log show --style syslog
///     Jan  2 10:00:00 iPhone App(CoreData)[4711] <Debug>:                             of a device
///     App[73416:1a2b3c] [sql]                                                         of Xcode 15
struct CoreDataLineHead {
  /// Nanoseconds since 1970; of the writer's clock where ``isUTC`` is false; nil without a year.
  private(set) var time: Nanoseconds?
  private(set) var isUTC = false
  /// Nil where the form has none, as in `2026-01-02T10:00:00Z`.
  private(set) var process: ProcessIdentity?
  private(set) var threadID: Int64?

  // 1,024 is arbitrary: a name has at most 255 bytes. Every bracket is examined, so a line that
  // consists only of brackets would take quadratic time.
  private static let longest = 1024

  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count <= Self.longest else { return nil }
    // The own head is the innermost one.
    for part in [text] + LinePrefix.all(of: text).map(\.rest) { read(part) }
    if time == nil, process == nil { return nil }
  }

  private mutating func read(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    if cursor.consumeMonthDayTime() {
      process = cursor.consumeProcess() ?? process
      return
    }
    if let seconds = cursor.consumeDateTime(separator: " ") ?? cursor.consumeDateTime(
      separator: "T")
      ?? cursor.consumeMonthNameTime()
    {
      let fraction = cursor.consumeFraction()
      let offset = cursor.consumeZone()
      time = seconds * 1_000_000_000 + fraction - (offset ?? 0)
      isUTC = offset != nil
      _ = cursor.consume { $0 == UInt8(ascii: " ") }
    }
    if let (process, threadID) = cursor.consumeUnifiedColumns() ?? cursor.consumeBracketed() {
      // Without a time, more than a name is no head: each line may have another one.
      guard time != nil || !process.name.contains(":") else { return }
      (self.process, self.threadID) = (process, threadID)
    } else if time != nil, let process = cursor.consumeProcess() {
      (self.process, self.threadID) = (process, nil)
    }
  }
}

extension ByteCursor {
  /// Parses `.797` or `.123456`, in nanoseconds.
  mutating func consumeFraction() -> Nanoseconds {
    guard consume(".") || consume(",") else { return 0 }
    let digits = consume { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    var value: Nanoseconds = 0
    for index in 0..<9 {
      value = value * 10 + (index < digits.count ? Int64(digits[index]) - 48 : 0)
    }
    return value
  }

  /// Parses `+0100`, `+01:00` or `Z`, in nanoseconds.
  mutating func consumeZone() -> Nanoseconds? {
    if consume("Z") { return 0 }
    var ahead = self
    let isWest = ahead.next == UInt8(ascii: "-")
    guard isWest || ahead.next == UInt8(ascii: "+") else { return nil }
    ahead.skip()
    guard let hours = ahead.consumeDigits(2) else { return nil }
    _ = ahead.consume(":")
    guard let minutes = ahead.consumeDigits(2) else { return nil }
    self = ahead
    return (isWest ? -1 : 1) * (hours * 60 + minutes) * 60_000_000_000
  }

  /// Parses `My App[73416:c07]`.
  fileprivate mutating func consumeBracketed() -> (ProcessIdentity, Int64)? {
    var ahead = self
    while let name = ahead.consumeThrough("[") {
      var numbers = ahead
      let digits = numbers.consume { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "]") }
      if let id = Int64(decimal: digits), numbers.consume(":") {
        let thread = numbers.consume { $0 != UInt8(ascii: "]") }
        if let thread = Int64(decimal: thread) ?? Int64(hexadecimal: thread) {
          self = numbers
          return (ProcessIdentity(id: id, name: Self.processName(name)), thread)
        }
      }
    }
    return nil
  }

  /// Parses `Jan  5 09:10:11 `.
  mutating func consumeMonthDayTime() -> Bool {
    var ahead = self
    let month = String(decoding: ahead.consume { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard Self.months.contains(month) else { return false }
    _ = ahead.consume { $0 == UInt8(ascii: " ") }
    guard !ahead.consume(while: { $0.isDigit }).isEmpty else { return false }
    _ = ahead.consume { $0 == UInt8(ascii: " ") }
    guard ahead.consume(while: { $0.isDigit || $0 == UInt8(ascii: ":") }).count == 8 else {
      return false
    }
    self = ahead
    return true
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses `Nov 25, 2025 @ 10:00:00` of Kibana, in seconds since 1970-01-01 00:00.
  fileprivate mutating func consumeMonthNameTime() -> Int64? {
    var ahead = self
    let name = String(decoding: ahead.consume { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard let month = Self.months.firstIndex(of: name), ahead.consume(" "),
      let day = Int64(decimal: ahead.consume { $0.isDigit }), (1...31).contains(day),
      ahead.consume(", "), let year = ahead.consumeDigits(4), (1970...2261).contains(year),
      ahead.consume(" @ "), let hour = ahead.consumeDigits(2), ahead.consume(":"),
      let minute = ahead.consumeDigits(2), ahead.consume(":"), let second = ahead.consumeDigits(2)
    else { return nil }
    self = ahead
    return ((daysSince1970(year, Int64(month + 1), day) * 24 + hour) * 60 + minute) * 60 + second
  }

  /// Parses ` host App[4711]` or ` iPhone App(CoreData)[4711]`; the process is the last word.
  mutating func consumeProcess() -> ProcessIdentity? {
    var ahead = self
    while let name = ahead.consumeThrough("[") {
      var numbers = ahead
      guard let id = Int64(decimal: numbers.consume { $0.isDigit }), numbers.consume("]"),
        let word = String(decoding: name, as: UTF8.self).split(separator: " ").last
      else { continue }
      self = numbers
      return ProcessIdentity(id: id, name: String(word.prefix { $0 != "(" }))
    }
    return nil
  }

  /// The compact form of `log show` has the message's type before the name: `Df App`.
  private static func processName(_ bytes: UnsafeRawBufferPointer) -> String {
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    let isCompact = words.count > 1 && ["Df", "I", "Db", "E", "F", "A"].contains(words[0])
    return words.dropFirst(isCompact ? 1 : 0).joined(separator: " ")
  }

  /// Parses the columns of `log show`: thread, type, activity, process id, time to live, process.
  fileprivate mutating func consumeUnifiedColumns() -> (ProcessIdentity, Int64)? {
    var ahead = self
    guard ahead.consume("0x"), let thread = Int64(hexadecimal: ahead.consumeColumn()) else {
      return nil
    }
    _ = ahead.consumeColumn()
    _ = ahead.consumeColumn()
    guard let id = Int64(decimal: ahead.consumeColumn()) else { return nil }
    _ = ahead.consumeColumn()
    guard let name = ahead.consumeThrough(":") else { return nil }
    self = ahead
    return (ProcessIdentity(id: id, name: String(decoding: name, as: UTF8.self)), thread)
  }

  private mutating func consumeColumn() -> UnsafeRawBufferPointer {
    let column = consume { $0 != UInt8(ascii: " ") }
    _ = consume { $0 == UInt8(ascii: " ") }
    return column
  }
}

extension Int64 {
  /// Parses a whole text as a hexadecimal number; `nil` if it is not a number or does not fit.
  fileprivate init?(hexadecimal bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, bytes.count <= 15 else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self), radix: 16)
  }
}
