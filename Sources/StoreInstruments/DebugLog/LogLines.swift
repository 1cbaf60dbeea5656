// SPDX-License-Identifier: Apache-2.0

import CStoreTracepoints
import Glibc
import StoreEvents

/// The lines that go out in one write, each with the same prefix.
///
///     2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore: sql: SELECT …
struct LogLines {
  enum Category { case sql, annotation, details, warning, error }

  let text = LogBuffer()
  private(set) var count = 0
  /// Of all lines since the last closing line.
  private(set) var check = LogCheck()
  private let prefix = LogBuffer()
  private var clock: LogClock
  /// The process part of the prefix, such as ` transit[2367:`.
  private let process = LogBuffer()

  init(processName: String, utcOffset: Int) {
    clock = LogClock(utcOffset: utcOffset)
    process.append(byte: UInt8(ascii: " "))
    process.append(verbatim: LogText.escaped(processName))
    process.append(byte: UInt8(ascii: "["))
    process.append(Int64(getpid()))
    process.append(byte: UInt8(ascii: ":"))
  }

  /// Starts a group of lines at this moment, on this thread.
  mutating func start() {
    prefix.removeAll()
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    clock.append(now, to: prefix)
    prefix.append(contentsOf: process)
    prefix.append(Int64(CStoreTracepoints_thread_id()))
    prefix.append("] ObjectStore: ")
  }

  /// Removes the lines that were written.
  mutating func clear() {
    text.removeAll()
    count = 0
  }

  mutating func line(_ category: Category, _ body: (LogBuffer) -> Void) {
    let start = text.count
    text.append(contentsOf: prefix)
    switch category {
    case .sql: text.append("sql: ")
    case .annotation: text.append("annotation: ")
    case .details: text.append("details: ")
    case .warning: text.append("warning: ")
    case .error: text.append("error: ")
    }
    body(text)
    check.add(line: UnsafeRawBufferPointer(rebasing: text.bytes[start...]))
    text.append(byte: UInt8(ascii: "\n"))
    count += 1
  }

  /// The line by which a reader finds that none before it is missing or changed.
  mutating func closing(status: Int32?) {
    let statement = check.closing(status: status)
    line(.annotation) { $0.append(verbatim: statement) }
    check = LogCheck()
  }

  /// The line a machine reads: the event's name and fields, those that are 0 or "" left out.
  mutating func fields(of event: StoreEvent, contextID: UInt64) {
    line(.annotation) { text in
      text.append(verbatim: event.name)
      text.field("context_id", contextID)
      var fields = text
      event.write(to: &fields)
    }
  }
}

/// Fields go out as ` rows=15 entity="Stop"`.
extension LogBuffer: EventFieldWriter {
  func field(_ name: StaticString, _ value: Int64) {
    guard value != 0 else { return }
    append(fieldName: name)
    append(value)
  }

  func field(_ name: StaticString, _ value: UInt64) {
    guard value != 0 else { return }
    append(fieldName: name)
    append(value)
  }

  func field(_ name: StaticString, _ value: String) {
    guard !value.isEmpty else { return }
    append(fieldName: name)
    append(quoting: value)
  }

  private func append(fieldName name: StaticString) {
    append(byte: UInt8(ascii: " "))
    append(name)
    append(byte: UInt8(ascii: "="))
  }
}
