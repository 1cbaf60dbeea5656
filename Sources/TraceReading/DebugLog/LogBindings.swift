// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The values that a log of level 2 or more prints after a statement.
///
///     sql: SELECT … WHERE t0.ZLONGITUDE >= ? AND t0.ZNAME = ?
///     details: SQLite bind[0] = (double) 13.41
///     details: SQLite bind[1] = "Am Treptower Park"
///
/// The lines of a group are written at once, so no other line of the process is between them.
struct LogBindings {
  private struct Run {
    let id: StatementID
    let localTime: Nanoseconds
    let threadID: Int64
    let process: LogProcess
  }

  private var run: Run?
  private var values: [RecordedValues.Value] = []
  /// All values as SQL literals, in a log that has them whole.
  private var literals: String?

  /// Starts the statement of this `sql:` line.
  mutating func start(_ id: StatementID, _ line: LogLine, _ process: LogProcess) {
    run = Run(id: id, localTime: line.localTime, threadID: line.threadID, process: process)
  }

  /// Handles a line that belongs to the statement; false if it does not.
  mutating func consume(_ line: LogLine, _ process: LogProcess) -> Bool {
    guard let run, run.threadID == line.threadID, run.process === process else { return false }
    var cursor = ByteCursor(line.text)
    if cursor.consume("SQLite values = ") {
      literals = LogText.unescaped(String(decoding: cursor.rest, as: UTF8.self)[...])
      return true
    }
    guard let (index, value) = LogBinding.parse(line.text), index == values.count
    else { return false }
    values.append(value)
    return true
  }

  var isStarted: Bool { run != nil }

  /// Ends the statement; `nil` if it has no values.
  mutating func finish() -> EventRecord? {
    guard let run else { return nil }
    self.run = nil
    guard literals != nil || !values.isEmpty else { return nil }
    let event = ValuesBound(
      storeID: 0, statementID: run.id, values: literals ?? RecordedValues(values).text)
    values.removeAll()
    literals = nil
    return EventRecord(
      timestamp: run.localTime - (run.process.utcOffset ?? 0), process: run.process.identity,
      threadID: run.threadID, contextID: 0, event: .values(event))
  }
}

/// One line of them.
enum LogBinding {
  static func parse(
    _ text: UnsafeRawBufferPointer,
    value: (inout ByteCursor) -> RecordedValues.Value? = { $0.consumeBoundValue() }
  ) -> (index: Int, value: RecordedValues.Value)? {
    var cursor = ByteCursor(text)
    guard cursor.consume("SQLite bind["),
      let index = Int(decimal: cursor.consume { $0 != UInt8(ascii: "]") }), cursor.consume("] = "),
      let value = value(&cursor)
    else { return nil }
    return (index, value)
  }
}

extension ByteCursor {
  fileprivate mutating func consumeBoundValue() -> RecordedValues.Value? {
    if consume("nil") { return isAtEnd ? .null : nil }
    if consume("(int64) ") { return Int64(decimal: rest).map { .integer($0) } }
    if consume("(double) ") { return consumeReal() }
    if consume("(timestamp) ") { return consumeReal() }
    if consume("(blob) ") { return consumeBlob() }
    guard let (bytes, isEscaped) = consumeQuoted() else { return nil }
    let raw = String(decoding: bytes, as: UTF8.self)
    let text = isEscaped ? LogText.unescaped(raw[...]) : raw
    if isAtEnd { return .text(text, byteCount: text.utf8.count) }
    guard consume(" (cut; "), let count = Int(decimal: consume { $0 != UInt8(ascii: " ") }) else {
      return nil
    }
    return .text(text, byteCount: count)
  }

  private mutating func consumeReal() -> RecordedValues.Value? {
    let text = consume { $0 != UInt8(ascii: " ") }
    return Double(String(decoding: text, as: UTF8.self)).map { .real($0) }
  }

  /// Parses `16 bytes x'00ff…'`, which ends in `…` if the blob is longer.
  private mutating func consumeBlob() -> RecordedValues.Value? {
    guard let count = Int(decimal: consume { $0 != UInt8(ascii: " ") }), consume(" bytes x'") else {
      return nil
    }
    let digits = Array(consume { $0.isHexDigit })
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    return bytes.count <= count ? .blob(bytes, byteCount: count) : nil
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
