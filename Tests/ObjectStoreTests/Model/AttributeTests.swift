// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Testing

struct Everything: Entity {
  let int16 = Attribute<Int16?>("int16")
  let int32 = Attribute<Int32?>("int32")
  let int64 = Attribute<Int64?>("int64")
  let int = Attribute<Int>("int", default: 5)
  let bool = Attribute<Bool?>("bool")
  let double = Attribute<Double?>("double")
  let float = Attribute<Float?>("float")
  let string = Attribute<String?>("string")
  let date = Attribute<Date?>("date")
  let data = Attribute<Data?>("data")
  let uuid = Attribute<UUID?>("uuid")
  let url = Attribute<URL?>("url")
}

@Suite struct AttributeTests {
  /// Saves one object and reads it back by another container.
  private func roundTrip(
    _ set: (ManagedObject<Everything>) -> Void,
    _ check: (ManagedObject<Everything>) throws -> Void
  ) throws {
    let fixture = try StoreFixture([Everything.self])
    let object = fixture.context.insert(Everything.self)
    set(object)
    try check(object)
    try fixture.context.save()
    try check(object)
    let container = try fixture.reopened([Everything.self])
    try check(try #require(try container.mainContext.fetch(FetchRequest<Everything>()).first))
  }

  @Test func keepsNil() throws {
    try roundTrip({ _ in }) {
      #expect($0.int16 == nil && $0.int32 == nil && $0.int64 == nil && $0.int == 5)
      #expect($0.bool == nil && $0.double == nil && $0.float == nil && $0.string == nil)
      #expect($0.date == nil && $0.data == nil && $0.uuid == nil && $0.url == nil)
    }
  }

  @Test(arguments: ["", "a\0b", "Görlitzer Bahnhof", "👩‍👩‍👧‍👦 ‮", "é", "e\u{301}", "'\"; --\n"])
  func keepsText(_ text: String) throws {
    try roundTrip({ $0.string = text }) {
      #expect($0.string.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test(arguments: [Data(), Data([0]), Data([0, 255, 0, 1]), Data(repeating: 7, count: 100_000)])
  func keepsBytes(_ data: Data) throws {
    try roundTrip({ $0.data = data }) { #expect($0.data == data) }
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 9_007_199_254_740_993, .max])
  func keepsIntegers(_ integer: Int64) throws {
    try roundTrip({
      $0.int64 = integer
      $0.int32 = Int32(clamping: integer)
      $0.int16 = Int16(clamping: integer)
      $0.int = Int(integer)
      $0.bool = integer != 0
    }) {
      #expect($0.int64 == integer && $0.int == Int(integer) && $0.bool == (integer != 0))
      #expect($0.int32 == Int32(clamping: integer) && $0.int16 == Int16(clamping: integer))
    }
  }

  @Test(arguments: [
    0, -0.0, 0.1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    464_441_952.529884,
  ])
  func keepsNumbersAndDates(_ number: Double) throws {
    try roundTrip({
      $0.double = number
      $0.float = Float(number)
      $0.date = Date(timeIntervalSinceReferenceDate: number)
    }) {
      #expect($0.double == number && $0.float == Float(number))
      #expect($0.date == Date(timeIntervalSinceReferenceDate: number))
    }
  }

  @Test func keepsIdentifiersAndAddresses() throws {
    let uuid = UUID()
    let url = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
    try roundTrip({
      $0.uuid = uuid
      $0.url = url
    }) { #expect($0.uuid == uuid && $0.url == url) }
  }

  @Test func storesEachTypeAsCoreDataDoes() throws {
    let fixture = try StoreFixture([Everything.self])
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE name = 'ZEVERYTHING'") == [
        "CREATE TABLE ZEVERYTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZBOOL INTEGER, ZINT INTEGER, ZINT16 INTEGER, ZINT32 INTEGER, ZINT64 INTEGER, "
          + "ZDATE TIMESTAMP, ZDOUBLE FLOAT, ZFLOAT FLOAT, ZSTRING VARCHAR, ZURL VARCHAR, "
          + "ZDATA BLOB, ZUUID BLOB )"
      ])
  }
}
