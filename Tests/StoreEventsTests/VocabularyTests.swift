// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import Testing

/// The names and types of an event's fields, in the order in which its payload writes them.
private struct FieldTypes: EventFieldWriter, EventFieldReader {
  var fields: [VocabularyField] = []

  mutating func field(_ name: StaticString, _: Int64) { add(name, "int64") }
  mutating func field(_ name: StaticString, _: UInt64) { add(name, "uint64") }
  mutating func field(_ name: StaticString, _: String) { add(name, "string") }
  private mutating func add(_ name: StaticString, _ type: String) {
    fields.append(VocabularyField(name: "\(name)", type: type))
  }

  mutating func int64(_: StaticString) -> Int64 { 0 }
  mutating func uint64(_: StaticString) -> UInt64 { 0 }
  mutating func string(_ name: StaticString) -> String {
    switch "\(name)" {
    case "kind": FetchKind.objects.rawValue
    case "source": FaultSource.database.rawValue
    default: ""
    }
  }

  static func of(_ kind: StoreEvent.Kind) throws -> [VocabularyField] {
    var types = FieldTypes()
    let event = try StoreEvent(kind, from: &types)
    event.payload.write(to: &types)
    return types.fields
  }
}

private struct VocabularyField: Hashable, CustomStringConvertible {
  var name: String
  var type: String
  var description: String { "\(name): \(type)" }
}

/// The files in which the vocabulary is written.
private enum VocabularyFile {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The events of the page, by name, with who emits them.
  static func documented() throws -> [String: (emitters: String, fields: [VocabularyField])] {
    var events: [String: (emitters: String, fields: [VocabularyField])] = [:]
    for section in try text("Documentation/Vocabulary.md").components(separatedBy: "\n## `")
      .dropFirst()
    {
      let name = String(section.prefix { $0 != "`" })
      let lines = section.split(separator: "\n").map(String.init)
      let emitters = lines.first { $0.contains("Emitted by ") } ?? ""
      let fields = lines.filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
        return VocabularyField(
          name: cells[1].trimmingCharacters(in: ["`"]), type: cells[2])
      }
      events[name] = (emitters, fields)
    }
    return events
  }

  /// The events of an LTTng provider's header, by name, without `context_id`.
  static func provided(_ path: String) throws -> [String: [VocabularyField]] {
    var events: [String: [VocabularyField]] = [:]
    for part in try text(path).components(separatedBy: "LTTNG_UST_TRACEPOINT_EVENT(").dropFirst() {
      let names = part.prefix { $0 != "(" }.split(separator: ",")
      let name = names[1].trimmingCharacters(in: .whitespacesAndNewlines)
      let fields = part.split(separator: "\n").compactMap { line -> VocabularyField? in
        let line = line.trimmingCharacters(in: .whitespaces)
        if line == "CONTEXT" { return VocabularyField(name: "context_id", type: "uint64") }
        if let field = line.wholeMatch(of: /lttng_ust_field_integer\((u?int64)_t, (\w+), .*\)/) {
          return VocabularyField(name: "\(field.2)", type: "\(field.1)")
        }
        return line.wholeMatch(of: /lttng_ust_field_string\((\w+), .*\)/).map {
          VocabularyField(name: "\($0.1)", type: "string")
        }
      }
      #expect(fields.first == VocabularyField(name: "context_id", type: "uint64"))
      events[name] = Array(fields.dropFirst())
    }
    return events
  }
}

@Suite struct VocabularyTests {
  @Test func thePageHasEveryEventAndNoOther() throws {
    #expect(
      try Set(VocabularyFile.documented().keys) == Set(StoreEvent.Kind.allCases.map(\.rawValue)))
  }

  @Test(arguments: StoreEvent.Kind.allCases)
  func thePageHasTheFieldsOfThePayloadInTheirOrder(kind: StoreEvent.Kind) throws {
    #expect(try VocabularyFile.documented()[kind.rawValue]?.fields == FieldTypes.of(kind))
  }

  @Test func theStoresProviderHasTheFieldsOfThePage() throws {
    try expectProvider("Sources/CStoreTracepoints/objectstore-provider.h", of: "the store")
  }

  /// A session that records one event alone would otherwise receive nothing.
  @Test func theStoreChecksEveryEventOfItsProvider() throws {
    let source = try VocabularyFile.text("Sources/CStoreTracepoints/CStoreTracepoints.c")
    let checked = Set(source.matches(of: /\sX\((\w+)\)/).map { String($0.1) })
    let provider = "Sources/CStoreTracepoints/objectstore-provider.h"
    #expect(try checked == Set(VocabularyFile.provided(provider).keys))
  }

  @Test func theProbesProviderHasTheFieldsOfThePage() throws {
    try expectProvider("Sources/CSQLiteProbe/lttng/sqliteprobe-provider.h", of: "the probe")
  }

  private func expectProvider(_ path: String, of emitter: String) throws {
    let provided = try VocabularyFile.provided(path)
    let documented = try VocabularyFile.documented().filter { $0.value.emitters.contains(emitter) }
    #expect(Set(provided.keys) == Set(documented.keys))
    for (name, event) in documented { #expect(provided[name] == event.fields, "\(name)") }
  }
}
