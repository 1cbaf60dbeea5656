// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Makes events of every kind, their fields filled from a seeded generator.
public struct EventSamples {
  var generator: SeededGenerator

  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Strings that a reader may trip over; without NUL, which ends a string in CTF.
  static let texts = [
    "", "Stop", "transit/Search.swift", "a \"quoted\" value", "two\nlines\r\n", "back\\slash \\n",
    "U Görlitzer Bahnhof 🚉", "\u{1b}[31mred\u{1b}[0m", "\u{202e}reversed\u{2028}", "x=1 rows=99",
    "2026-11-21 14:12:28.633104 forged[1:1] ObjectStore: sql: DROP TABLE ZSTOP",
    "\nannotation: fetch_end context_id=1 rows=5", String(repeating: "long ", count: 500),
  ]

  /// One event, all of its fields at random or at the ends of their ranges.
  public mutating func event(_ kind: StoreEvent.Kind) -> StoreEvent {
    var fields = SampleFields(generator: generator)
    defer { generator = fields.generator }
    guard let event = try? StoreEvent(kind, from: &fields) else {
      fatalError("the sample fields do not fit \(kind)")
    }
    guard case .statement(var announced) = event else { return event }
    // A log identifies a statement by its text alone.
    announced.storeID = 0
    announced.statementID = StatementID(sql: announced.sql)
    return .statement(announced)
  }

  /// The requested number of records, a microsecond apart or more, of a few threads.
  public mutating func records(
    _ count: Int, process: ProcessIdentity = ProcessIdentity(id: 2367, name: "transit", host: ""),
    from start: Nanoseconds = 1_795_270_348_633_104_000
  ) -> [EventRecord] {
    var time = start
    return (0..<count).map { index in
      let event = event(StoreEvent.Kind.allCases[index % StoreEvent.Kind.allCases.count])
      time += Int64.random(in: 1...5000, using: &generator) * 1000
      return EventRecord(
        timestamp: time, process: process, threadID: process.id + Int64(index % 3),
        contextID: event.kind == .statement ? 0 : UInt64(index % 4), event: event)
    }
  }
}

/// Answers every field with a value of its type.
private struct SampleFields: EventFieldReader {
  var generator: SeededGenerator

  mutating func int64(_ name: StaticString) -> Int64 {
    let random = Int64.random(in: .min ... .max, using: &generator)
    return [0, 1, -1, .min, .max, random].randomElement(using: &generator) ?? 0
  }

  mutating func uint64(_ name: StaticString) -> UInt64 {
    let random = UInt64.random(in: .min ... .max, using: &generator)
    return [0, 1, .max, random].randomElement(using: &generator) ?? 0
  }

  mutating func string(_ name: StaticString) -> String {
    let texts =
      switch "\(name)" {
      case "kind": FetchKind.allCases.map(\.rawValue)
      case "source": FaultSource.allCases.map(\.rawValue)
      // A trace's process goes by it, and the samples' process is named so.
      case "process_name": ["transit"]
      default: EventSamples.texts
      }
    return texts.randomElement(using: &generator) ?? ""
  }
}
