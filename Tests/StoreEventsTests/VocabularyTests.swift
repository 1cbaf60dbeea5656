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
    event.write(to: &types)
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

  /// The events of an LTTng provider, by name, without `context_id`: its list in the C header.
  static func provided(_ list: String) throws -> [String: [VocabularyField]] {
    let header = try text("Sources/CStoreTracepoints/include/vocabulary.h")
      .replacing("\\\n", with: "")
    let types: [Substring: String] = ["U": "uint64", "I": "int64", "T": "string"]
    func items(of macro: String) -> [(kind: Substring, name: Substring)] {
      let line = header.split(separator: "\n").first { $0.hasPrefix("#define \(macro)(") } ?? ""
      return line.drop { $0 != ")" }.matches(of: /(\w)\((\w+)\)/).map { ($0.1, $0.2) }
    }
    var events: [String: [VocabularyField]] = [:]
    for event in items(of: list) {
      events[String(event.name)] = items(of: "FIELDS_\(event.name)").map {
        VocabularyField(name: String($0.name), type: types[$0.kind] ?? "")
      }
    }
    return events
  }

  /// Runs the generator on a copy of the files that it writes.
  static func generated(from vocabulary: String) throws -> [String: String] {
    let copy = FileManager.default.temporaryDirectory.appending(path: "vocabulary-\(UUID())")
    defer { try? FileManager.default.removeItem(at: copy) }
    for path in ["Scripts/vocabulary.py"] + outputs {
      let file = copy.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text(path).write(to: file, atomically: true, encoding: .utf8)
    }
    try vocabulary.write(
      to: copy.appending(path: "Sources/vocabulary.txt"), atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", copy.appending(path: "Scripts/vocabulary.py").path()]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try Dictionary(
      uniqueKeysWithValues: outputs.map { path in
        (path, try String(contentsOf: copy.appending(path: path), encoding: .utf8))
      })
  }

  private static let outputs = [
    "Sources/CStoreTracepoints/include/vocabulary.h", "Sources/StoreEvents/Vocabulary.swift",
    "Sources/StoreInstruments/Tracepoints/Tracepoints+Payloads.swift",
    "Documentation/Vocabulary.md",
  ]
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
    try expectProvider("STORE_EVENTS", of: "the store")
  }

  @Test func theProbesProviderHasTheFieldsOfThePage() throws {
    try expectProvider("PROBE_EVENTS", of: "the probe")
  }

  private func expectProvider(_ list: String, of emitter: String) throws {
    let provided = try VocabularyFile.provided(list)
    let documented = try VocabularyFile.documented().filter { $0.value.emitters.contains(emitter) }
    #expect(Set(provided.keys) == Set(documented.keys))
    for (name, event) in documented { #expect(provided[name] == event.fields, "\(name)") }
  }

  @Test func theGeneratedFilesMatchTheVocabulary() throws {
    let vocabulary = try VocabularyFile.text("Sources/vocabulary.txt")
    for (path, text) in try VocabularyFile.generated(from: vocabulary) {
      #expect(try text == VocabularyFile.text(path), "\(path): run make vocabulary")
    }
  }

  /// The recipe of CONTRIBUTING.
  @Test func aFieldThatIsAddedToTheVocabularyIsInEveryGeneratedFile() throws {
    let vocabulary = try VocabularyFile.text("Sources/vocabulary.txt")
      .replacing("\ncommit_ns ", with: "\nidle_pages uint64? 4 idlePages=0 Pages.\ncommit_ns ")
    // Tracepoints are sent by the payload's own list of fields.
    for (path, text) in try VocabularyFile.generated(from: vocabulary)
    where !path.contains("Tracepoints+Payloads") {
      #expect(text.contains("idle_pages"), "\(path)")
    }
  }
}
