// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Turns the statements that a database library logs into the events of a program that runs them.
///
/// Such a log has no rows and no work of SQLite. Each request becomes a thread, so that the
/// statements of two requests are no loop.
final class StatementLogParser {
  private let ledger: SourceLedger
  private var runs: StatementLogRuns
  /// By tag: the statement that is read.
  private var pending: [Int64: Pending] = [:]
  /// The tag of the last statement, which lines without a head continue.
  private var lastTag: Int64 = 0
  /// What another tool wrote before the line in which it began, and before each line that continues it.
  private var prefixCount = 0
  private var request: Int64 = 0
  private var libraries: Set<StatementLogLine.Library> = []
  /// Whether the file has statements alone; nil until its first line.
  private var isPlain: Bool?
  /// Whether statements end with a semicolon, as in the shell; nil until one has ended.
  private var hasSemicolons = false

  private struct Pending {
    var library: StatementLogLine.Library
    var text: StatementText
    var time: Nanoseconds?
    var request: Int64
  }

  // 1,024 is arbitrary: requests that are served at the same time.
  private static let maxTags = 1024

  init(ledger: SourceLedger) {
    self.ledger = ledger
    runs = StatementLogRuns(ledger: ledger)
  }

  /// Reads a line.
  ///
  /// - Parameter isFirst: whether only empty lines precede it.
  /// - Returns: false if it is no line of a library's.
  func read(_ line: UnsafeRawBufferPointer, isFirst: Bool) -> Bool {
    guard let parsed = StatementLogLine(line) else { return readText(line, isFirst: isFirst) }
    switch parsed {
    case .statement(let library, let text, let time, let tag):
      end(tag)
      runs.read(StatementLogHead(line))
      prefixCount = Self.prefixes(of: line).count
      begin(Pending(library: library, text: StatementText(text), time: time, request: request), tag)
    case .values(let text): readValues(text)
    case .caller(let location, let function, let tag):
      guard pending[tag] != nil else { return !libraries.isEmpty }
      end(tag, at: location, function: function)
    case .request(let tag):
      guard !libraries.isEmpty || !pending.isEmpty else { return false }
      endAll()
      if tag == 0 { request += 1 }
    case .other: endAll()
    }
    return true
  }

  func drainRecords() -> [EventRecord] { runs.drainRecords() }

  /// Returns the events of the statement that the log's end cut.
  func finish() -> [EventRecord] {
    endAll()
    guard !libraries.isEmpty else { return [] }
    ledger.addRemark(
      "the log of \(libraries.map(\.rawValue).sorted().joined(separator: " and ")) has no rows, no work of "
        + "SQLite and no waits; 'trace-report record -- COMMAND' measures them")
    return runs.finish()
  }

  /// Whether the last line of a file, which has no line feed, is nevertheless complete.
  static func isWhole(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let last = line.trimmed.last else { return false }
    switch StatementLogLine(line) {
    case .caller, .request, .other: return true
    case .values: return ")]}".utf8.contains(last)
    case .statement(.django, let text, _, _):
      return DjangoStatement(StatementText(text)) != nil
    case .statement(.activeRecord, _, _, _): return last == UInt8(ascii: "]")
    case .statement(_, let text, _, _): return ["COMMIT", "ROLLBACK"].contains(text)
    case nil:
      // The last line of a statement of several lines may be any text.
      return last == UInt8(ascii: ";")
        || StatementText.isStatement(String(decoding: line, as: UTF8.self))
    }
  }

  // MARK: - Statements

  private func begin(_ statement: Pending, _ tag: Int64) {
    if pending.count >= Self.maxTags { endAll() }
    libraries.insert(statement.library)
    isPlain = statement.library == .sqlite
    pending[tag] = statement
    lastTag = tag
    endIfComplete(tag)
  }

  private func endIfComplete(_ tag: Int64) {
    guard let statement = pending[tag] else { return }
    switch statement.library {
    case .django: if DjangoStatement(statement.text) != nil || statement.text.isTooLong { end(tag) }
    case .sqlAlchemy:
      let word = statement.text.text.prefix { $0 != " " }
      if ["BEGIN", "COMMIT", "ROLLBACK"].contains(word) || statement.text.isTooLong { end(tag) }
    case .activeRecord: if statement.text.isTooLong { end(tag) }
    case .sqlite:
      if statement.text.isTerminated { hasSemicolons = true }
      if statement.text.isTerminated || statement.text.isTooLong { end(tag) }
    }
  }

  private static func prefixes(of line: UnsafeRawBufferPointer) -> ArraySlice<LinePrefix> {
    LinePrefix.all(of: line).prefix { $0.isOfEachLine }
  }

  private func readText(_ line: UnsafeRawBufferPointer, isFirst: Bool) -> Bool {
    let own = Self.prefixes(of: line).prefix(prefixCount).last?.rest ?? line
    let text = String(decoding: own, as: UTF8.self)
    if let statement = pending[lastTag], continues(text) {
      let line = statement.library == .sqlite ? ProfiledStatement(text) : nil
      pending[lastTag]?.text.append(line?.sql ?? text)
      pending[lastTag]?.time = line?.time ?? statement.time
      endIfComplete(lastTag)
      return true
    }
    if isPlain == nil, isFirst, StatementText.isStatement(text) { isPlain = true }
    guard isPlain == true else { return false }
    let statement = ProfiledStatement(text)
    guard StatementText.isStatement(statement.sql) else { return false }
    end(lastTag)
    begin(
      Pending(
        library: .sqlite, text: StatementText(statement.sql), time: statement.time, request: request
      ),
      0)
    return true
  }

  /// Whether a line continues the statement before it.
  private func continues(_ line: String) -> Bool {
    guard let statement = pending[lastTag] else { return false }
    switch statement.library {
    case .django, .sqlAlchemy: return true
    case .activeRecord:
      return statement.text.isOpen
        || StatementText.isPart(line) && !statement.text.text.hasSuffix("]]")
    case .sqlite:
      return statement.text.isOpen || hasSemicolons || line.first?.isWhitespace == true
        || !StatementText.isStatement(line) && StatementText.isPart(line)
    }
  }

  private func readValues(_ text: String) {
    guard let statement = pending.removeValue(forKey: 0) else { return }
    let values = SQLAlchemyValues(text)
    runs.add(
      statement.text.text, values: values.text, count: values.count, library: .sqlAlchemy,
      request: statement.request)
  }

  private func endAll() {
    for tag in pending.keys.sorted() { end(tag) }
  }

  private func end(_ tag: Int64, at location: SourceLocation = .unknown, function: String = "") {
    guard let statement = pending.removeValue(forKey: tag) else { return }
    var (sql, values, connection, count) = (statement.text.text, "", "", UInt64(1))
    switch statement.library {
    case .activeRecord:
      if sql.hasSuffix("]]"), let begin = statement.text.values {
        (sql, values) = (String(sql[..<begin]), String(sql[begin...]))
      }
    case .django:
      guard let django = DjangoStatement(statement.text) else {
        ledger.addProblem("a statement of Django's log is cut: its arguments are missing")
        return
      }
      (sql, connection, count) = (django.sql, django.alias, django.count)
    case .sqlAlchemy, .sqlite: break
    }
    runs.add(
      sql, values: values, time: statement.time, count: count, library: statement.library,
      at: location, function: function, on: connection,
      request: tag == 0 ? statement.request : tag)
  }
}

/// A statement of Django's log: `SELECT 1; args=(); alias=default`.
private struct DjangoStatement {
  private(set) var sql: String
  private(set) var alias = ""
  private(set) var count: UInt64 = 1

  init?(_ text: StatementText) {
    // The values in the text may contain anything; they are quoted.
    guard text.end > 0, !text.isOpen else { return nil }
    let bytes = text.text.utf8
    let end = bytes.index(bytes.startIndex, offsetBy: text.end)
    let rest = text.text[end...]
    guard rest.hasPrefix(" args=") else { return nil }
    if let name = rest.ranges(of: "; alias=").last {
      alias = String(rest[name.upperBound...])
      guard !alias.isEmpty, alias.allSatisfy({ $0.isLetter || $0.isNumber || "_-.".contains($0) })
      else { return nil }
    } else if !["None", ")", "]", "}"].contains(where: rest.hasSuffix) {
      return nil
    }
    sql = String(text.text[..<text.text.utf8.index(before: end)])
    let number = sql.prefix { $0.isNumber }
    if let runs = UInt64(number), sql.dropFirst(number.count).hasPrefix(" times: ") {
      count = runs
      sql.removeFirst(number.count + " times: ".count)
    }
  }
}

/// The values of SQLAlchemy's statement, and how often it runs with such.
private struct SQLAlchemyValues {
  let text: String
  let count: UInt64

  /// Parses `[generated in 0.0003s] [(1, 'a'), (2, 'b')  ... displaying 10 of 30 total bound parameter sets ...`.
  init(_ line: String) {
    guard line.first == "[", let close = line.firstIndex(of: "]"),
      line.dropFirst().first?.isLetter == true
    else {
      (text, count) = (line, Self.sets(line[...]))
      return
    }
    let values = line[line.index(after: close)...].drop(while: \.isWhitespace)
    (text, count) = (String(values), Self.sets(values))
  }

  private static func sets(_ values: Substring) -> UInt64 {
    guard values.hasPrefix("[(") || values.hasPrefix("[{") else { return 1 }
    if let number = values.firstRange(of: "  ... displaying "),
      let of = values[number.upperBound...].firstRange(of: " of "),
      let count = UInt64(values[of.upperBound...].prefix { $0.isNumber })
    {
      return count
    }
    // Each set but the last is followed by a comma; texts of values are quoted as in Python.
    var (count, depth, quote, isEscaped) = (UInt64(0), 0, Character?.none, false)
    for character in values.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if let open = quote {
        if character == "\\" { isEscaped = true }
        if character == open { quote = nil }
      } else if "'\"".contains(character) {
        quote = character
      } else if "({[".contains(character) {
        depth += 1
        if depth == 1 { count += 1 }
      } else if ")}]".contains(character) {
        depth -= 1
      }
    }
    return max(count, 1)
  }
}

/// A statement of the shell's `.trace --profile`: `SELECT 1; -- 12345 ns`.
private struct ProfiledStatement {
  let sql: String
  let time: Nanoseconds?

  init(_ line: String) {
    guard line.hasSuffix(" ns"), let mark = line.ranges(of: "; -- ").last,
      let time = Nanoseconds(line[mark.upperBound...].dropLast(3))
    else {
      (sql, time) = (line, nil)
      return
    }
    (sql, self.time) = (String(line[...mark.lowerBound]), time)
  }
}
