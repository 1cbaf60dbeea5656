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
  /// The fields are ` name=` each.
  private var events: [Int: (name: [UInt8], fields: [[UInt8]])] = [:]
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
  mutating func take(_ line: LogLine) {
    localTime = line.localTime
    threadID = line.threadID
    if line.category == .annotation, line.text.hasPrefix("log fields: ") { takeFields(line.text) }
  }

  private mutating func takeFields(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    guard cursor.take("log fields: "),
      let number = Int(decimal: cursor.take { $0 != UInt8(ascii: "=") }), cursor.take("="),
      events.count < Self.maxEvents
    else { return }
    let name = Array(cursor.take { $0.isNameByte })
    guard cursor.take(" ") else { return }
    let fields = cursor.rest.split(separator: UInt8(ascii: ","), maxSplits: Self.maxFields)
    events[number] = (name, fields.map { Array(" ".utf8) + $0 + Array("=".utf8) })
  }

  /// Reads a short line; false if it is none, or its event is unknown.
  mutating func read(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(line)
    cursor.skip()
    guard let number = Int(decimal: cursor.take { $0 != UInt8(ascii: " ") }),
      let event = events[number], cursor.take(" "),
      let elapsed = Int64(decimal: cursor.take { $0 != UInt8(ascii: " ") }), cursor.take(" ")
    else { return false }
    let thread = cursor.take { $0 != UInt8(ascii: " ") }
    guard cursor.take(" "), Self.times.contains(elapsed.magnitude),
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
  private mutating func appendFields(
    _ cursor: inout ByteCursor, _ event: (name: [UInt8], fields: [[UInt8]])
  ) -> Bool {
    length = 0
    event.name.withUnsafeBytes { append($0) }
    for field in event.fields {
      let rest = cursor.rest
      if cursor.next == UInt8(ascii: "\"") {
        guard cursor.takeQuoted() != nil else { return false }
      } else {
        _ = cursor.take { $0 != UInt8(ascii: ",") }
      }
      let count = rest.count - cursor.rest.count
      if count > 0 {
        field.withUnsafeBytes { append($0) }
        append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      }
      if cursor.isAtEnd { return true }
      guard cursor.take(",") else { return false }
    }
    return false
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let end = length + bytes.count
    if end > text.count { text += repeatElement(0, count: 2 * end - text.count) }
    text.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[length...]).copyMemory(from: bytes)
    }
    length = end
  }
}
