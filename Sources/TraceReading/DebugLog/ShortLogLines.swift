// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Expands the short lines of a recording's log, which have the values of an event without their names.
///
///     annotation: log fields: 13=statement_run connection_id,statement_id,run_id,
///     ~13 157 120 1,4529202316113720910,2
///     │   │   └ thread; nothing if it is that of the line before
///     │   └ microseconds after the line before
///     └ event
struct ShortLogLines {
  private struct Event {
    var name: [UInt8]
    /// ` name=` each.
    var fields: [[UInt8]]
    /// The bytes of all.
    var size: Int
  }

  private var events: [Int: Event] = [:]
  private var text: [UInt8] = []
  private var length = 0
  private var localTime: Nanoseconds = 0
  private var threadID: Int64 = 0

  static let mark = UInt8(ascii: "~")
  // 256 and 128 are arbitrary, and more than the events that there are, and the fields of one.
  private static let maxEvents = 256
  private static let maxFields = 128
  /// Microseconds between two lines.
  private static let times: ClosedRange<UInt64> = 0...9_000_000_000_000_000

  /// Handles a line that has names, from which short lines count on.
  @inline(__always)
  mutating func consume(_ line: LogLine) {
    localTime = line.localTime
    threadID = line.threadID
    if line.category == .annotation, line.text.hasPrefix("log fields: ") {
      consumeFields(line.text)
    }
  }

  private mutating func consumeFields(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    guard cursor.consume("log fields: "),
      let number = Int(decimal: cursor.consume { $0 != UInt8(ascii: "=") }), cursor.consume("="),
      events.count < Self.maxEvents
    else { return }
    let name = Array(cursor.consume { $0.isNameByte })
    guard cursor.consume(" ") else { return }
    let fields = cursor.rest.split(separator: UInt8(ascii: ","), maxSplits: Self.maxFields)
      .map { Array(" ".utf8) + $0 + Array("=".utf8) }
    events[number] = Event(
      name: name, fields: fields, size: fields.reduce(name.count) { $0 + $1.count })
  }

  /// Reads a short line; false if it is none, or its event is unknown.
  mutating func read(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(line)
    cursor.skip()
    guard let number = Int(decimal: cursor.consume { $0 != UInt8(ascii: " ") }),
      let event = events[number], cursor.consume(" "),
      let elapsed = Int64(decimal: cursor.consume { $0 != UInt8(ascii: " ") }), cursor.consume(" ")
    else { return false }
    let thread = cursor.consume { $0 != UInt8(ascii: " ") }
    guard cursor.consume(" "), Self.times.contains(elapsed.magnitude),
      let time = Self.sum(localTime, elapsed), appendFields(&cursor, event)
    else { return false }
    localTime = time
    if !thread.isEmpty { threadID = Int64(decimal: thread) ?? threadID }
    return true
  }

  /// Calls a closure with the line that was read.
  @inline(__always)
  func withLine(_ body: (LogLine) throws -> Void) rethrows {
    try text.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      try body(
        LogLine(
          localTime: localTime, process: text, threadID: threadID, category: .annotation, text: text
        ))
    }
  }

  /// Nanoseconds, up to the year 2261.
  private static func sum(_ time: Nanoseconds, _ microseconds: Int64) -> Nanoseconds? {
    let sum = time.addingReportingOverflow(microseconds * 1000)
    return !sum.overflow && (0...9_200_000_000_000_000_000).contains(sum.partialValue)
      ? sum.partialValue : nil
  }

  /// Makes `statement_run connection_id=1 statement_id=4529202316113720910 run_id=2` of the values.
  private mutating func appendFields(_ cursor: inout ByteCursor, _ event: Event) -> Bool {
    let values = cursor.rest
    let most = event.size + values.count
    if text.count < most { text = Array(repeating: 0, count: 2 * most) }
    return text.withUnsafeMutableBytes { text in
      var (position, end) = (0, 0)
      func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: text[end...]).copyMemory(from: bytes)
        end += bytes.count
      }
      event.name.withUnsafeBytes(append)
      for field in event.fields {
        let start = position
        if position < values.count, values[position] == UInt8(ascii: "\"") {
          var quoted = ByteCursor(UnsafeRawBufferPointer(rebasing: values[position...]))
          guard quoted.consumeQuoted() != nil else { return false }
          position = values.count - quoted.rest.count
        } else {
          while position < values.count, values[position] != UInt8(ascii: ",") { position += 1 }
        }
        if position > start {
          field.withUnsafeBytes(append)
          append(UnsafeRawBufferPointer(rebasing: values[start..<position]))
        }
        length = end
        if position == values.count { return true }
        guard values[position] == UInt8(ascii: ",") else { return false }
        position += 1
      }
      return false
    }
  }
}
