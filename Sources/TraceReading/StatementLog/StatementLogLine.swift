// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A line that a database library writes for a statement.
///
///       Book Load (0.2ms)  SELECT * FROM "books" WHERE "id" = ?  [["id", 3]]          ActiveRecord
///       ↳ app/controllers/books_controller.rb:5:in `index'
///     (0.001) SELECT "id" FROM "book" WHERE "id" = 3; args=(3,); alias=default        Django
///     … INFO sqlalchemy.engine.Engine SELECT book.id                                  SQLAlchemy
///     FROM book WHERE book.id = ?
///     … INFO sqlalchemy.engine.Engine [generated in 0.00012s] (3,)
enum StatementLogLine {
  enum Library: String, CaseIterable {
    case activeRecord = "ActiveRecord"
    case django = "Django"
    case sqlAlchemy = "SQLAlchemy"
    /// `.trace` of the shell, or the texts of a trace callback: statements alone.
    case sqlite = "SQLite"
  }

  /// The beginning of a statement, which may continue in the next lines.
  case statement(Library, String, time: Nanoseconds?, tag: Int64)
  /// The values of SQLAlchemy's statement.
  case values(String)
  /// The line of code of ActiveRecord's statement.
  case caller(SourceLocation, function: String, tag: Int64)
  /// A request starts or ends: statements after it belong to another task.
  case request(tag: Int64)
  /// A line without a statement of its own, such as that of an answer from a cache.
  case other

  var isStatement: Bool {
    if case .statement = self { return true }
    return false
  }

  init?(_ line: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(line)
    if cursor.consumeThrough("sqlalchemy.") != nil, let parsed = Self.sqlAlchemy(&cursor) {
      self = parsed
    } else if let parsed = Self.caller(line) ?? Self.timed(line) ?? Self.request(line) {
      self = parsed
    } else {
      return nil
    }
  }

  // MARK: - Libraries

  private static func sqlAlchemy(_ cursor: inout ByteCursor) -> Self? {
    guard cursor.consume("engine") else { return nil }
    _ = cursor.consume { $0.isNameByte || $0.isUpper || $0 == UInt8(ascii: ".") }
    // ` `, `:` of `logging.basicConfig()`, `] ` or ` - ` of other formats.
    _ = cursor.consume { ":]".utf8.contains($0) }
    _ = cursor.consume(" - ") || cursor.consume(" ")
    let text = cursor.rest.text
    if ["Col (", "Row ("].contains(where: text.hasPrefix) || text.contains("has no effect due to") {
      return .other
    }
    // `[generated in 0.1s] (3,)`; version 1.3 has the values alone.
    let isValues = text.first == "[" && !text.hasPrefix("[]") || "({".contains(text.first ?? " ")
    if isValues { return .values(text) }
    return .statement(.sqlAlchemy, text, time: nil, tag: 0)
  }

  /// A statement of ActiveRecord or of Django, behind its time in parentheses.
  private static func timed(_ line: UnsafeRawBufferPointer) -> Self? {
    var cursor = ByteCursor(line)
    while let head = cursor.consumeThrough("(") {
      var ahead = cursor
      guard let (number, decimals) = ahead.consumeDecimal() else { continue }
      if ahead.consume("ms)") {
        // `ASYNC Book Load (1.2ms) (db time 2.3ms)  SELECT`
        if ahead.consume(" (db time ") { _ = ahead.consumeThrough(")") }
        guard ahead.consume("  "), StatementText.isSQL(ahead.rest) else { continue }
        let name = head.text
        if name.contains("CACHE ") { return .other }
        return .statement(
          .activeRecord, ahead.rest.text, time: Nanoseconds(number * 1_000_000), tag: tag(of: head))
      }
      guard decimals == 3, ahead.consume(") ") else { continue }
      var statement = ahead
      if !statement.consume(while: \.isDigit).isEmpty { _ = statement.consume(" times: ") }
      guard StatementText.isSQL(statement.rest) else { continue }
      return .statement(
        .django, ahead.rest.text, time: Nanoseconds(number * 1_000_000_000), tag: 0)
    }
    // The schema editor writes each statement a second time.
    return line.text.hasSuffix("; (params None)") ? .other : nil
  }

  private static func caller(_ line: UnsafeRawBufferPointer) -> Self? {
    var cursor = ByteCursor(line)
    guard let head = cursor.consumeThrough("↳ ") else { return nil }
    let text = cursor.rest.text
    let location = text.firstRange(of: ":in ").map { text[..<$0.lowerBound] } ?? text[...]
    guard let colon = location.lastIndex(of: ":"),
      let number = UInt64(location[location.index(after: colon)...])
    else { return nil }
    let function = text.firstRange(of: ":in ").map { text[$0.upperBound...] } ?? ""
    return .caller(
      SourceLocation(file: String(location[..<colon]), line: number),
      function: function.filter { !"`'".contains($0) }, tag: tag(of: head))
  }

  private static let methods: [StaticString] = [
    "GET ", "POST ", "PUT ", "PATCH ", "DELETE ", "HEAD ", "OPTIONS ",
  ]

  private static func request(_ line: UnsafeRawBufferPointer) -> Self? {
    var cursor = ByteCursor(line)
    // Django's, uvicorn's and gunicorn's lines: `"GET /books HTTP/1.1" 200`.
    if cursor.consumeThrough(" HTTP/") != nil { return .request(tag: 0) }
    guard let head = cursor.consumeThrough("Started "),
      methods.contains(where: { cursor.consume($0) })
    else { return nil }
    return .request(tag: tag(of: head))
  }

  /// A number of Rails' first tag, as of a request: `[4f3a…]   Book Load`; 0 without one.
  private static func tag(of head: UnsafeRawBufferPointer) -> Int64 {
    var cursor = ByteCursor(head)
    // `D, [2026-11-28T04:01:16.135284 #9232] DEBUG -- : [4f3a…]   Book Load`
    if cursor.consumeThrough("-- : ") == nil { cursor = ByteCursor(head) }
    guard cursor.consume("["), let tag = cursor.consumeThrough("]"), cursor.consume(" ") else {
      return 0
    }
    return Int64(StatementID(sql: tag.text).rawValue >> 16)
  }
}

/// The text around the statements in each line: a time, and ActiveRecord's process.
struct StatementLogHead {
  private(set) var time: Nanoseconds?
  private(set) var isUTC = false
  private(set) var process: Int64?

  // 64 is arbitrary: a level and the name of a module before the time.
  private static let maxPosition = 64

  init(_ line: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(line)
    while cursor.position < Self.maxPosition, let next = cursor.next {
      if next.isDigit {
        guard
          let seconds = cursor.consumeDateTime(separator: " ")
            ?? cursor.consumeDateTime(separator: "T")
        else { return }
        let fraction = cursor.consumeFraction()
        let offset = cursor.consumeZone()
        time = seconds * 1_000_000_000 + fraction - (offset ?? 0)
        isUTC = offset != nil
        if cursor.consume(" #") { process = Int64(decimal: cursor.consume(while: \.isDigit)) }
        return
      }
      // A statement or its time begins.
      if next == UInt8(ascii: "(") { return }
      cursor.skip()
    }
  }
}

extension ByteCursor {
  /// Parses `12.5`; also returns how many digits stand behind the point.
  fileprivate mutating func consumeDecimal() -> (Double, decimals: Int)? {
    let whole = consume(while: \.isDigit)
    guard !whole.isEmpty, whole.count < 10, consume(".") else { return nil }
    let part = consume(while: \.isDigit)
    guard !part.isEmpty, part.count < 10, let number = Double("\(whole.text).\(part.text)") else {
      return nil
    }
    return (number, part.count)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
