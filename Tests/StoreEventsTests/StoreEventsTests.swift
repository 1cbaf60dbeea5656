// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

/// Keeps fields as text, by name, in the order of writing.
private struct FieldList: EventFieldWriter, EventFieldReader {
  var fields: [(name: String, value: String)] = []

  mutating func field(_ name: StaticString, _ value: Int64) {
    fields.append(("\(name)", "\(value)"))
  }
  mutating func field(_ name: StaticString, _ value: UInt64) {
    fields.append(("\(name)", "\(value)"))
  }
  mutating func field(_ name: StaticString, _ value: String) { fields.append(("\(name)", value)) }

  private func text(_ name: StaticString) throws(EventFieldError) -> String {
    guard let field = fields.first(where: { $0.name == "\(name)" }) else {
      throw .missing(field: "\(name)")
    }
    return field.value
  }
  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let text = try text(name)
    guard let value = Int64(text) else { throw .malformed(field: "\(name)", value: text) }
    return value
  }
  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let text = try text(name)
    guard let value = UInt64(text) else { throw .malformed(field: "\(name)", value: text) }
    return value
  }
  mutating func string(_ name: StaticString) throws(EventFieldError) -> String { try text(name) }
}

/// Answers each field by a value made from its name, so that two fields never hold the same.
private struct NamedValues: EventFieldReader {
  var salt: UInt64
  private func value(_ name: StaticString) -> UInt64 {
    StatementID(sql: "\(name)").rawValue ^ salt
  }
  mutating func int64(_ name: StaticString) -> Int64 { Int64(bitPattern: value(name)) }
  mutating func uint64(_ name: StaticString) -> UInt64 { value(name) }
  mutating func string(_ name: StaticString) -> String {
    switch "\(name)" {
    case "kind": FetchKind.allCases[Int(salt % UInt64(FetchKind.allCases.count))].rawValue
    case "source": FaultSource.allCases[Int(salt % UInt64(FaultSource.allCases.count))].rawValue
    default: "\(name) \(salt) \"ö\"\n"
    }
  }
}

@Suite struct StoreEventTests {
  @Test(arguments: StoreEvent.Kind.allCases)
  func everyFieldOfEveryEventSurvivesTheRoundTrip(kind: StoreEvent.Kind) throws {
    for salt: UInt64 in [0, 1, 2, 3, .max] {
      var values = NamedValues(salt: salt)
      let event = try StoreEvent(kind, from: &values)
      #expect(event.kind == kind)
      #expect(event.name == kind.rawValue)

      var fields = FieldList()
      event.write(to: &fields)
      #expect(Set(fields.fields.map(\.name)).count == fields.fields.count, "a field named twice")
      #expect(try StoreEvent(kind, from: &fields) == event)
    }
  }

  @Test(arguments: StoreEvent.Kind.allCases)
  func everyMissingFieldIsNamed(kind: StoreEvent.Kind) throws {
    var values = NamedValues(salt: 7)
    var whole = FieldList()
    try StoreEvent(kind, from: &values).write(to: &whole)
    let added = Self.added[kind] ?? []
    for index in whole.fields.indices where !added.contains(whole.fields[index].name) {
      var fields = whole
      let name = fields.fields.remove(at: index).name
      do {
        _ = try StoreEvent(kind, from: &fields)
        Issue.record("\(kind) was read without \(name)")
      } catch {
        #expect(error == .missing(field: name))
      }
    }
  }

  /// Fields that older versions did not write.
  private static let added: [StoreEvent.Kind: [String]] = [
    .storeOpened: ["process_name"], .counters: ["tracing_ns"],
    .transaction: [
      "transaction_id", "kind", "writer_ns", "statements", "idle_ns", "log_bytes", "received",
    ],
    .statementRun: [
      "timed_steps", "prepare_ns", "list_id", "origin_id", "origin_row", "own_values",
      "result_hash",
    ],
    .connectionOpened: ["adopted", "file_system", "caller_id"],
  ]

  @Test func aTransactionOfVocabularyOneIsRead() throws {
    var values = NamedValues(salt: 7)
    let transaction = try TransactionEnded(from: &values)
    var fields = FieldList()
    transaction.write(to: &fields)
    fields.fields.removeAll { Self.added[.transaction]?.contains($0.name) == true }
    let older = try TransactionEnded(from: &fields)
    #expect(
      older
        == TransactionEnded(
          storeID: transaction.storeID, saveID: transaction.saveID, outcome: transaction.outcome,
          waitTime: transaction.waitTime, totalTime: transaction.totalTime, writerTime: 0))
  }

  @Test func countersFromBeforeTheCostOfTracingAreRead() throws {
    var values = NamedValues(salt: 7)
    var counters = try CountersSampled(from: &values)
    var fields = FieldList()
    counters.write(to: &fields)
    #expect(fields.fields.removeLast().name == "tracing_ns")
    let older = try CountersSampled(from: &fields)
    counters.tracingTime = 0
    #expect(older == counters)
  }

  @Test func aStoreOpenedFromBeforeProcessNamesIsRead() throws {
    var values = NamedValues(salt: 7)
    var opened = try StoreOpened(from: &values)
    var fields = FieldList()
    opened.write(to: &fields)
    #expect(fields.fields.removeLast().name == "process_name")
    let older = try StoreOpened(from: &fields)
    opened.processName = ""
    #expect(older == opened)
  }

  @Test func fetchEndSpeaksTheVocabularyOfTheTrace() throws {
    var values = NamedValues(salt: 0)
    var fields = FieldList()
    try StoreEvent(.fetchEnd, from: &values).write(to: &fields)
    #expect(
      fields.fields.map(\.name) == [
        "fetch_id", "parent_id", "entity", "kind", "statement_id", "bind_hash", "wait_ns",
        "prepare_ns", "step_ns", "materialize_ns", "connection_ns", "total_ns", "rows", "vm_steps",
        "fullscan_steps", "sorts", "autoindex_rows", "limit", "offset", "batch_size", "error",
      ])
  }

  @Test func unknownFetchKindIsMalformed() {
    var values = FieldList(fields: [
      ("fetch_id", "1"), ("parent_id", "0"), ("entity", "Stop"), ("kind", "everything"),
    ])
    do {
      _ = try StoreEvent(.fetchEnd, from: &values)
      Issue.record("an unknown kind was read")
    } catch {
      #expect(error == .malformed(field: "kind", value: "everything"))
    }
  }
}

@Suite struct StatementIDTests {
  // Values of the 64-bit FNV-1a test suite.
  @Test(arguments: [
    ("", 0xcbf2_9ce4_8422_2325 as UInt64), ("a", 0xaf63_dc4c_8601_ec8c),
    ("foobar", 0x8594_4171_f739_67e8),
  ])
  func isFNV1a(text: String, hash: UInt64) {
    #expect(StatementID(sql: text).rawValue == hash)
  }
}
