// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// One line that the component `sink.text.pretty` of babeltrace2 prints with all names.
///
///     timestamp = 1.5, trace:vpid = 7, name = objectstore:fault, event.fields = { rows = 3, sql = "a\n" }
struct PrettyEvent {
  enum Value: Equatable {
    case text(String)
    case number(String)
    /// A structure, an array or an enumeration.
    case other
  }

  let timestamp: Nanoseconds?
  let name: String
  private(set) var scopes: [String: [String: Value]] = [:]
  private var environmentID: Int64 = 0

  /// `nil` for a line that is not an event's.
  init?(_ line: Substring) {
    var cursor = PrettyCursor(line.utf8)
    guard cursor.take("timestamp = ") else { return nil }
    timestamp = Self.nanoseconds(cursor.word(to: ", "))
    if cursor.take("trace:vpid = ") { environmentID = Int64(cursor.word(to: ", ")) ?? 0 }
    guard cursor.take("name = ") else { return nil }
    name = cursor.word(to: ", stream.", or: ", event.")
    while !cursor.isAtEnd {
      let scope = cursor.word(to: " = ")
      guard let members = cursor.members() else { return nil }
      scopes[scope] = members
      guard cursor.take(", ") || cursor.isAtEnd else { return nil }
    }
  }

  /// `1795354945.460906235`, or `-0.000000001`.
  private static func nanoseconds(_ text: String) -> Nanoseconds? {
    let parts = text.split(separator: ".")
    guard parts.count == 2, parts[1].utf8.count == 9, let seconds = Int64(parts[0]),
      let rest = Int64(parts[1])
    else { return nil }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = whole.addingReportingOverflow(text.hasPrefix("-") ? -rest : rest)
    return overflow || isBeyond ? nil : sum
  }

  private func context(_ names: String...) -> Int64? {
    for name in names {
      for scope in ["stream.event.context", "event.context"] {
        guard case .number(let text)? = scopes[scope]?[name] else { continue }
        return Int64(text) ?? UInt64(text).map { Int64(bitPattern: $0) }
      }
    }
    return nil
  }

  /// The event of the vocabulary; `nil` for another one, or for one that misses a field.
  var event: ReadEvent? {
    guard let provider = StoreEvent.providers.first(where: { name.hasPrefix("\($0):") }),
      let kind = StoreEvent.Kind(rawValue: String(name.dropFirst(provider.count + 1))),
      let timestamp, let members = scopes["event.fields"]
    else { return nil }
    var fields = Fields(members: members)
    guard let contextID = try? fields.uint64("context_id"),
      let event = try? StoreEvent(kind, from: &fields)
    else { return nil }
    let process = context("vpid", "pid") ?? environmentID
    return ReadEvent(
      timestamp: timestamp, processID: process, threadID: context("vtid", "tid") ?? process,
      contextID: contextID, event: event)
  }

  /// The texts of the event itself.
  var texts: [String: String] {
    get {
      (scopes["event.fields"] ?? [:]).compactMapValues {
        if case .text(let text) = $0 { text } else { nil }
      }
    }
    set { scopes["event.fields"]?.merge(newValue.mapValues(Value.text)) { $1 } }
  }

  private struct Fields: EventFieldReader {
    let members: [String: Value]

    private func find<Result>(
      _ name: StaticString, _ make: (Value) -> Result?
    ) throws(EventFieldError) -> Result {
      guard let value = members["\(name)"] else { throw .missing(field: "\(name)") }
      guard let result = make(value) else {
        throw .malformed(field: "\(name)", value: "\(value)")
      }
      return result
    }
    func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
      try find(name) { if case .number(let text) = $0 { Int64(text) } else { nil } }
    }
    func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
      try find(name) { if case .number(let text) = $0 { UInt64(text) } else { nil } }
    }
    func string(_ name: StaticString) throws(EventFieldError) -> String {
      try find(name) { if case .text(let text) = $0 { text } else { nil } }
    }
  }
}

/// The parts of an event that both readers read.
struct ReadEvent: Hashable {
  var timestamp: Nanoseconds
  var processID: Int64
  var threadID: Int64
  var contextID: UInt64
  var event: StoreEvent
}

extension ReadEvent {
  init(_ record: EventRecord) {
    self.init(
      timestamp: record.timestamp, processID: record.process.id, threadID: record.threadID,
      contextID: record.contextID, event: record.event)
  }
}

/// The texts of an event.
private struct Texts: EventFieldWriter {
  var values: [String: String] = [:]
  mutating func field(_ name: StaticString, _ value: Int64) {}
  mutating func field(_ name: StaticString, _ value: UInt64) {}
  mutating func field(_ name: StaticString, _ value: String) { values["\(name)"] = value }
}

extension ReadEvent {
  var texts: [String: String] {
    var texts = Texts()
    event.write(to: &texts)
    return texts.values
  }
}
