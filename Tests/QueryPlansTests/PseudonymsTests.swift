// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@testable import QueryPlans

@Suite struct PseudonymsTests {
  private static func random(_ generator: inout SeededGenerator) -> BindValue {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: .integer(.random(in: -30...30, using: &generator))
    case 1: .integer(.random(in: 1_000_000...9_000_000_000, using: &generator))
    case 2: .real(.random(in: -50...50, using: &generator))
    case 3: .real(Double(Int.random(in: -30...30, using: &generator)))
    case 4:
      .text(
        String(
          (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            "abcdeXYZ 0123-é".randomElement(using: &generator) ?? "a"
          }))
    default:
      .text(
        "20\(Int.random(in: 10...30, using: &generator))-03-1\(Int.random(in: 0...9, using: &generator))"
      )
    }
  }

  /// SQLite's own comparison.
  private static func ranks(_ values: [BindValue]) throws -> [Int64] {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE v(n INTEGER PRIMARY KEY, x)")
    let insert = try connection.prepare("INSERT INTO v(x) VALUES (?1)")
    for value in values {
      value.bind(to: insert, at: 1)
      try insert.run()
    }
    let query = try connection.prepare(
      "SELECT typeof(x), dense_rank() OVER (ORDER BY x) FROM v ORDER BY n")
    var ranks: [Int64] = []
    while try query.step() {
      ranks += [
        query.int64(1), query.string(0) == "integer" ? 1 : query.string(0) == "real" ? 2 : 3,
      ]
    }
    return ranks
  }

  @Test(arguments: 1...60)
  func orderEqualitiesAndTypesStay(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let values = (0..<200).map { _ in Self.random(&generator) }
    let pseudonyms = Pseudonyms(
      values: values, texts: ["CREATE INDEX i ON t(a) WHERE b = 'abc' AND c > 12 AND d < 2.5"])
    let mapped = values.map(pseudonyms.value)
    #expect(try Self.ranks(mapped) == Self.ranks(values))
    for (value, pseudonym) in zip(values, mapped) {
      guard case .text(let text) = value, text.utf8.count >= 4, text != "index" else { continue }
      #expect(value != pseudonym)
    }
  }

  @Test func lengthsStayInTheirClass() {
    let texts = ["abcd", "a text of twenty one", String(repeating: "x", count: 300)]
    let pseudonyms = Pseudonyms(values: texts.map(BindValue.text), texts: [])
    let lengths = texts.map { text in
      if case .text(let other) = pseudonyms.value(.text(text)) { other.utf8.count } else { 0 }
    }
    #expect(lengths == [4, 16, 256])
  }

  @Test func datesStayDates() {
    let dates = ["2024-02-28", "2024-03-01", "2024-02-28 10:00:00", "2023-12-31T23:59:59Z"]
    let pseudonyms = Pseudonyms(values: dates.map(BindValue.text), texts: [])
    #expect(
      dates.map { pseudonyms.value(.text($0)) }
        == ["3000-03-01", "3000-03-03", "3000-03-01 10:00:00", "3000-01-01T23:59:59Z"]
        .map(BindValue.text))
  }

  @Test(
    arguments: [
      [], [.null, .integer(0), .integer(1), .integer(-1)],
      [.integer(.max), .integer(.min), .real(2.5), .text("é")],
      [.text(String(repeating: "x", count: 500)), .blob([1, 2, 3]), .blob([])],
      Array(repeating: .text("many"), count: 200),
    ] as [[BindValue]])
  func recordsSurviveWritingAndReading(values: [BindValue]) {
    #expect(SQLiteRecord.values(of: SQLiteRecord.bytes(of: values)) == values)
  }

  @Test(arguments: [[], [3], [200], [3, 13, 200], [0x80, 0x80], [2, 16, 1]] as [[UInt8]])
  func damagedRecordsAreNoValues(bytes: [UInt8]) {
    let values = SQLiteRecord.values(of: bytes)
    #expect(values == nil || values == [])
  }

  /// The table as data: this SQLite may be built without STAT4.
  @Test func samplesAreReadAndGetPseudonyms() throws {
    let folder = try TemporaryDirectory()
    let connection = try Connection(path: folder.path("a.db"))
    try connection.execute(
      """
      CREATE TABLE t(a TEXT); CREATE INDEX ta ON t(a);
      CREATE TABLE stat(tbl, idx, neq, nlt, ndlt, sample)
      """)
    let insert = try connection.prepare("INSERT INTO stat VALUES ('t', 'ta', '1 1', ?1, ?1, ?2)")
    for (rank, name) in ["Austen", "Bronte", "Eliot"].enumerated() {
      insert.bind("\(rank) \(rank)", at: 1)
      BindValue.blob(SQLiteRecord.bytes(of: [.text(name), .integer(77_777_777 + Int64(rank))]))
        .bind(to: insert, at: 2)
      try insert.run()
    }
    try connection.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4',
        sql = 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)' WHERE name = 'stat'
      """)
    let file = try InspectedDatabase(path: folder.path("a.db"))
    let capsule = try CapsuleV1(of: file.connection)
    let samples = try #require(capsule.samples)
    #expect(samples.map(\.less) == ["0 0", "1 1", "2 2"])
    #expect(samples.map(\.values) == [["' a..'", "2"], ["' b..'", "3"], ["' c..'", "4"]])
    let copy = try capsule.open()
    let hasSamples = try copy.connection.hasTable("sqlite_stat4")
    #expect(CapsuleV1.doubts(of: copy.connection).isEmpty == hasSamples)
  }
}
