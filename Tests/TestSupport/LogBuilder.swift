// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents

/// Writes a debug log's text, apart from the code that writes the real one.
public struct LogBuilder {
  public private(set) var text = ""
  private var checks: [ProcessIdentity: LogCheck] = [:]
  let utcOffset: Nanoseconds

  public init(utcOffset: Nanoseconds = 0) { self.utcOffset = utcOffset }

  /// Adds the line with which a process's log begins.
  public mutating func open(_ process: ProcessIdentity, at time: Nanoseconds) {
    let minutes = abs(utcOffset) / 60_000_000_000
    let offset = "\(utcOffset < 0 ? "-" : "+")\(pad(minutes / 60, 2)):\(pad(minutes % 60, 2))"
    add(
      "annotation: log opened: vocabulary=1 utc_offset=\(offset) level=1", process: process,
      threadID: process.id, at: time)
  }

  /// Adds the line of one event; a statement is its SQL.
  public mutating func add(_ record: EventRecord) {
    add(Self.line(record), process: record.process, threadID: record.threadID, at: record.timestamp)
  }

  /// Adds a line of any category and text.
  public mutating func add(
    _ line: String, process: ProcessIdentity, threadID: Int64, at time: Nanoseconds
  ) {
    let whole =
      "\(timestamp(time)) \(LogText.escaped(process.name))[\(process.id):\(threadID)] "
      + "ObjectStore: \(line)"
    var check = checks[process] ?? LogCheck()
    Array(whole.utf8).withUnsafeBytes { check.add(line: $0) }
    checks[process] = check
    text += whole + "\n"
  }

  /// Adds the line with which a process's log ends.
  public mutating func close(
    _ process: ProcessIdentity, status: Int32? = 0, at time: Nanoseconds = 0
  ) {
    let closing = (checks[process] ?? LogCheck()).closing(status: status)
    add("annotation: \(closing)", process: process, threadID: process.id, at: time)
    checks[process] = nil
  }

  /// Adds bytes as they are, such as another program's line.
  public mutating func addRaw(_ raw: String) { text += raw }

  static func line(_ record: EventRecord) -> String {
    if case .statement(let announced) = record.event {
      return "sql: \(LogText.escaped(announced.sql))"
    }
    var fields = LogFields()
    fields.field("context_id", record.contextID)
    record.event.write(to: &fields)
    return "annotation: \(record.event.name)\(fields.text)"
  }

  private func timestamp(_ time: Nanoseconds) -> String {
    let local = time + utcOffset
    var seconds = time_t(local / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [pad(parts.tm_year + 1900, 4), pad(parts.tm_mon + 1, 2), pad(parts.tm_mday, 2)]
    let clock = [pad(parts.tm_hour, 2), pad(parts.tm_min, 2), pad(parts.tm_sec, 2)]
    let fraction = pad(local % 1_000_000_000 / 1000, 6)
    return "\(date.joined(separator: "-")) \(clock.joined(separator: ":")).\(fraction)"
  }

  private func pad(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

private struct LogFields: EventFieldWriter {
  var text = ""

  mutating func field(_ name: StaticString, _ value: Int64) {
    if value != 0 { text += " \(name)=\(value)" }
  }
  mutating func field(_ name: StaticString, _ value: UInt64) {
    if value != 0 { text += " \(name)=\(value)" }
  }
  mutating func field(_ name: StaticString, _ value: String) {
    if value != "" { text += " \(name)=\(LogText.quoted(value))" }
  }
}

extension RunBuilder {
  /// The run as a whole debug log.
  public var log: String { log(status: 0) }

  /// The run as a debug log of a process that ended with a code; nil for a log without its end.
  public func log(status: Int32?) -> String {
    var log = LogBuilder()
    log.open(process, at: 0)
    for record in records { log.add(record) }
    if let status { log.close(process, status: status) }
    return log.text
  }
}
