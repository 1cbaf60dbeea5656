// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// One line of Core Data's own log, taken apart but not copied.
///
///     2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: sql: SELECT 0, t0.Z_PK FROM …
///     └ head ───────────────────────────────────────┘           └ category └ text
///
/// People paste it with the head, the words `CoreData: ` or their first letters cut off.
struct CoreDataLine {
  enum Category { case sql, annotation, details, remark, error }

  let head: CoreDataLineHead?
  let category: Category
  /// Whether `CoreData: `, or the end of it, precedes the category.
  let isMarked: Bool
  let text: UnsafeRawBufferPointer

  /// Returns `nil` if the line has no category.
  init?(_ line: UnsafeRawBufferPointer) {
    guard let (name, end, category) = Self.category(in: line) else { return nil }
    let before = UnsafeRawBufferPointer(rebasing: line[..<name])
    let mark = Self.markLength(before)
    guard mark > 0 || before.isEmpty || before.last.map(Self.isBoundary) == true else {
      return nil
    }
    isMarked = mark > 0
    // `error: ` is a word of many programs' lines.
    let text = UnsafeRawBufferPointer(rebasing: line[end...])
    switch category {
    case .remark: guard isMarked else { return nil }
    case .error: guard isMarked || Self.isOfSQLite(text) else { return nil }
    default: break
    }
    head = CoreDataLineHead(UnsafeRawBufferPointer(rebasing: before.dropLast(mark)))
    self.category = category
    self.text = text
  }

  /// Whether it would be read where no line has `CoreData: `.
  var isStatementOrTime: Bool {
    switch category {
    case .sql: CoreDataStatement.isSQL(text)
    case .annotation: CoreDataAnnotation(text) != nil
    case .details, .remark, .error: false
    }
  }

  private static func isOfSQLite(_ text: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(text)
    return cursor.takeThrough("SQLite error code:") != nil
      || cursor.takeThrough("I/O error for database") != nil
  }

  /// Finds the first `sql: `, `annotation: ` and so on.
  private static func category(
    in line: UnsafeRawBufferPointer
  ) -> (name: Int, end: Int, Category)? {
    var cursor = ByteCursor(line)
    while let word = cursor.takeThrough(": ") {
      let end = cursor.position
      for (name, category) in categories where word.hasSuffix(name) {
        return (end - 2 - name.utf8CodeUnitCount, end, category)
      }
    }
    return nil
  }

  private static let categories: [(StaticString, Category)] = [
    ("sql", .sql), ("annotation", .annotation), ("details", .details), ("debug", .remark),
    ("warning", .remark), ("error", .error), ("fault", .remark),
  ]

  /// The length of `CoreData: ` at the end, or of what is left of it at the start of a line.
  private static func markLength(_ before: UnsafeRawBufferPointer) -> Int {
    let mark: StaticString = "CoreData: "
    if before.hasSuffix(mark) { return mark.utf8CodeUnitCount }
    let isCut =
      before.count < mark.utf8CodeUnitCount
      && UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        .suffix(before.count).elementsEqual(before)
    return isCut ? before.count : 0
  }

  private static func isBoundary(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 9 }
}

/// The prefix before `CoreData: `: time, process and thread.
///
///     2014-07-31 15:29:04.797 WordList[73416:2971038]          NSLog; the thread decimal or hex
///     2026-01-02 10:00:00.123456+0100 0x1a2b Default 0x0 4711 0 App: (CoreData) [com.apple…:sql]
///     2026-01-02 10:00:00.123456+0100 host App[4711]: (CoreData) [com.apple…:sql]     log show --style syslog
///     Jan  2 10:00:00 iPhone App(CoreData)[4711] <Debug>:                             of a device
struct CoreDataLineHead {
  /// Nanoseconds since 1970; of the writer's clock where ``isUTC`` is false; nil without a year.
  let time: Nanoseconds?
  let isUTC: Bool
  let process: ProcessIdentity
  /// Nil where the form has none.
  let threadID: Int64?

  // 1,024 is arbitrary: a name has at most 255 bytes. Every bracket is examined, so a line that
  // consists only of brackets would take quadratic time.
  private static let longest = 1024

  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count <= Self.longest else { return nil }
    var cursor = ByteCursor(text)
    guard let seconds = cursor.takeDateTime() else {
      guard cursor.takeMonthDayTime(), let process = cursor.takeProcess() else { return nil }
      (time, isUTC, threadID) = (nil, false, nil)
      self.process = process
      return
    }
    let fraction = cursor.takeFraction()
    let offset = cursor.takeZone()
    time = seconds * 1_000_000_000 + fraction - (offset ?? 0)
    isUTC = offset != nil
    _ = cursor.take { $0 == UInt8(ascii: " ") }
    if let (process, threadID) = cursor.takeUnifiedColumns() ?? cursor.takeBracketed() {
      (self.process, self.threadID) = (process, threadID)
    } else if let process = cursor.takeProcess() {
      (self.process, self.threadID) = (process, nil)
    } else {
      return nil
    }
  }
}

extension ByteCursor {
  /// Parses `.797` or `.123456`, in nanoseconds.
  fileprivate mutating func takeFraction() -> Nanoseconds {
    guard take(".") || take(",") else { return 0 }
    let digits = take { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    var value: Nanoseconds = 0
    for index in 0..<9 {
      value = value * 10 + (index < digits.count ? Int64(digits[index]) - 48 : 0)
    }
    return value
  }

  /// Parses `+0100`, `+01:00` or `Z`, in nanoseconds.
  fileprivate mutating func takeZone() -> Nanoseconds? {
    if take("Z") { return 0 }
    var ahead = self
    let isWest = ahead.next == UInt8(ascii: "-")
    guard isWest || ahead.next == UInt8(ascii: "+") else { return nil }
    ahead.skip()
    guard let hours = ahead.takeDigits(2) else { return nil }
    _ = ahead.take(":")
    guard let minutes = ahead.takeDigits(2) else { return nil }
    self = ahead
    return (isWest ? -1 : 1) * (hours * 60 + minutes) * 60_000_000_000
  }

  /// Parses `My App[73416:c07]`.
  fileprivate mutating func takeBracketed() -> (ProcessIdentity, Int64)? {
    var ahead = self
    while let name = ahead.takeThrough("[") {
      var numbers = ahead
      let digits = numbers.take { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "]") }
      if let id = Int64(decimal: digits), numbers.take(":") {
        let thread = numbers.take { $0 != UInt8(ascii: "]") }
        if let thread = Int64(decimal: thread) ?? Int64(hexadecimal: thread) {
          self = numbers
          return (ProcessIdentity(id: id, name: Self.processName(name)), thread)
        }
      }
    }
    return nil
  }

  /// Parses `Jan  5 09:10:11 `.
  fileprivate mutating func takeMonthDayTime() -> Bool {
    let month = String(decoding: take { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard Self.months.contains(month) else { return false }
    _ = take { $0 == UInt8(ascii: " ") }
    guard !take(while: { $0.isDigit }).isEmpty else { return false }
    _ = take { $0 == UInt8(ascii: " ") }
    return take { $0.isDigit || $0 == UInt8(ascii: ":") }.count == 8
  }

  private static let months: Set = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses ` host App[4711]` or ` iPhone App(CoreData)[4711]`; the process is the last word.
  fileprivate mutating func takeProcess() -> ProcessIdentity? {
    var ahead = self
    while let name = ahead.takeThrough("[") {
      var numbers = ahead
      guard let id = Int64(decimal: numbers.take { $0.isDigit }), numbers.take("]"),
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
  fileprivate mutating func takeUnifiedColumns() -> (ProcessIdentity, Int64)? {
    var ahead = self
    guard ahead.take("0x"), let thread = Int64(hexadecimal: ahead.takeColumn()) else { return nil }
    _ = ahead.takeColumn()
    _ = ahead.takeColumn()
    guard let id = Int64(decimal: ahead.takeColumn()) else { return nil }
    _ = ahead.takeColumn()
    guard let name = ahead.takeThrough(":") else { return nil }
    self = ahead
    return (ProcessIdentity(id: id, name: String(decoding: name, as: UTF8.self)), thread)
  }

  private mutating func takeColumn() -> UnsafeRawBufferPointer {
    let column = take { $0 != UInt8(ascii: " ") }
    _ = take { $0 == UInt8(ascii: " ") }
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

extension UnsafeRawBufferPointer {
  func hasSuffix(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard self.count >= count else { return false }
    return suffix(count).elementsEqual(
      UnsafeBufferPointer(start: text.utf8Start, count: count))
  }

  func hasPrefix(_ text: StaticString) -> Bool {
    var cursor = ByteCursor(self)
    return cursor.take(text)
  }
}
