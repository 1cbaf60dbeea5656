// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum Kind: Int16, CaseIterable, AttributeValue { case tram, bus }

private struct Address: CodableAttributeValue, Hashable {
  var street = ""
  var number = 0
  static var valueForNull: Address { Address() }
}

private struct Line: Entity {
  static let entityName = "Line"
  let name = Attribute<String>("name")
  let kind = Attribute<Kind>("kind", default: .bus)
  let earlier = Attribute<Kind?>("earlier")
  let tags = Attribute<[String]>("tags", default: [])
  let address = Attribute<Address?>("address")
}

private struct Spot: CodableAttributeValue, Hashable {
  var depth = 0.0
  var price = Decimal(0)
  static var valueForNull: Spot { Spot() }
}

private struct Measured: Entity {
  let values = Attribute<[Double]>("values", default: [])
  let spot = Attribute<Spot?>("spot")
}

private struct Sealed: Entity {
  struct Value: CodableAttributeValue, Hashable {
    static var valueForNull: Value { Value() }
    func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
  }

  let content = Attribute<Value?>("content")
}

/// A Swift developer's expectations of a store.
@Suite struct SwiftValuesTests {
  @Test func keepsEnumsListsAndCodableValues() throws {
    let fixture = try StoreFixture([Line.self])
    let line = fixture.context.insert(Line.self)
    line.name = "M10"
    #expect(line.kind == .bus && line.earlier == nil && line.tags == [])
    line.kind = .tram
    line.tags = ["night", "Grüße"]
    line.address = Address(street: "A", number: 3)
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT ZKIND, CAST(ZTAGS AS TEXT), CAST(ZADDRESS AS TEXT) FROM ZLINE")
        == ["0|[\"night\",\"Grüße\"]|{\"number\":3,\"street\":\"A\"}"])
    let other = fixture.container.newBackgroundContext()
    let found = try other.fetch(FetchRequest<Line>(where: { $0.kind == .tram }))
    #expect(found.map(\.tags) == [["night", "Grüße"]])
    #expect(found.first?.address == Address(street: "A", number: 3) && found.first?.kind == .tram)
  }

  @Test func keepsNumbersThatJSONLacks() throws {
    let fixture = try StoreFixture([Measured.self])
    let measured = fixture.context.insert(Measured.self)
    measured.values = [.infinity, -.infinity, 0.1]
    measured.spot = Spot(depth: .nan, price: Decimal(string: "0.1") ?? 0)
    try fixture.context.save()
    let other = fixture.container.newBackgroundContext()
    let found = try #require(try other.fetch(FetchRequest<Measured>()).first)
    #expect(found.values == [.infinity, -.infinity, 0.1])
    #expect(found.spot?.depth.isNaN == true && found.spot?.price == Decimal(string: "0.1"))
  }

  @Test func bytesThatCannotBeDecodedAreNotOverwritten() throws {
    let fixture = try StoreFixture([Line.self])
    fixture.context.insert(Line.self).name = "M10"
    try fixture.context.save()
    try Connection(path: fixture.url.path, mode: .readWrite).execute(
      "UPDATE ZLINE SET ZADDRESS = CAST('{\"city\":\"Bern\"}' AS BLOB), ZTAGS = CAST('[1]' AS BLOB)"
    )
    let stored = "SELECT CAST(ZTAGS AS TEXT), CAST(ZADDRESS AS TEXT), ZNAME FROM ZLINE"
    for change in [{ $0.tags.append("a") }, { $0.address = Address() }]
      as [(ManagedObject<Line>) -> Void]
    {
      let context = fixture.container.newBackgroundContext()
      let line = try #require(try context.fetch(FetchRequest<Line>()).first)
      #expect(line.tags == [])
      change(line)
      line.name = "M11"
      #expect { try context.save() } throws: { "\($0)".contains("cannot be decoded as") }
      #expect(try fixture.rows(stored) == ["[1]|{\"city\":\"Bern\"}|M10"])
    }
    let context = fixture.container.newBackgroundContext()
    let line = try #require(try context.fetch(FetchRequest<Line>()).first)
    try line.setValue(["a"].storeValue, forKey: "tags")
    line.tags.append("b")
    try context.save()
    #expect(try fixture.rows(stored) == ["[\"a\",\"b\"]|{\"city\":\"Bern\"}|M10"])
  }

  @Test func aValueThatCannotBeEncodedIsNotSavedAsNil() throws {
    let fixture = try StoreFixture([Sealed.self])
    let sealed = fixture.context.insert(Sealed.self)
    sealed.content = Sealed.Value()
    #expect { try fixture.context.save() } throws: { "\($0)".contains("cannot be encoded as JSON") }
    fixture.context.rollback()
    fixture.context.insert(Sealed.self).content = nil
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZCONTENT IS NULL FROM ZSEALED") == ["1"])
  }

  @Test func anObjectWithoutItsContextIsAnErrorWhereOneCanBeThrown() throws {
    let fixture = try StoreFixture()
    var context: ManagedObjectContext? = fixture.container.newBackgroundContext()
    let made = try #require(context?.insert(Stop.self))
    (made.name, made.identifier) = ("A", 1)
    try context?.save()
    context = fixture.container.newBackgroundContext()
    let filled = try #require(try context?.fetch(FetchRequest<Stop>()).first)
    #expect(filled.name == "A")
    let fault = try #require(try context?.fetch(FetchRequest<Stop>()).first)
    context = nil
    for stop in [filled, fault, made] {
      let gone = StoreError.contextGone(stop.objectID)
      #expect(throws: gone) { try stop.objects(forKey: "stopTimes") }
      #expect(throws: gone) { try stop.mutableSet(forKey: "stopTimes") }
      #expect(throws: gone) { try stop.setValue([], forKey: "stopTimes") }
      #expect(throws: gone) { try stop.setValue(.string("B"), forKey: "name") }
      #expect(throws: Never.self) { try stop.value(forKey: "name") }
    }
  }

  @Test func readsWithSQLFromOneState() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    fixture.observer.removeAll()
    let sql = "SELECT ZNAME, Z_PK, ZNOTE, 0.5, X'01' FROM ZSTOP WHERE ZNAME = ?"
    let rows = try fixture.container.read { reader in
      let rows = try reader.rows(sql, [.string("A")])
      let context = fixture.container.newBackgroundContext()
      try context.fetch(FetchRequest<Stop>()).first?.name = "B"
      try context.save()
      #expect(try reader.rows(sql, [.string("A")]) == rows)
      return rows
    }
    #expect(rows == [[.string("A"), .integer(1), .null, .double(0.5), .data(Data([1]))]])
    #expect(fixture.observer.sql.contains(sql))
    #expect(throws: StoreError.self) {
      try fixture.container.read { try $0.rows("DELETE FROM ZSTOP") }
    }
    #expect(try fixture.rows("SELECT count(*) FROM ZSTOP") == ["1"])
    #expect(fixture.container.managedObjectID(forURI: stop.objectID.uri) == stop.objectID)
    let start = "x-coredata://\(fixture.container.storeUUID)/"
    for uri in [
      "", "x-coredata://other/Stop/p1", stop.objectID.uri + "x", "http://a/Stop/p1",
      start + "Stop/p0", start + "Stop/p-1", start + "Stop/p+1", start + "Stop/p01",
      start + "Stop/p99999999999999999999", start + "stop/p1", start + "Stop/t1",
    ] {
      #expect(fixture.container.managedObjectID(forURI: uri) == nil, "\(uri)")
    }
  }

  @Test func aReadLeavesItsConnectionAsItWas() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    for sql in [
      "COMMIT", "ROLLBACK", " /* ; */ -- x\n;COMMIT", "PRAGMA writable_schema = 1",
      "PRAGMA busy_timeout = 1", "ATTACH ':memory:' AS m", "CREATE TEMP TABLE ZSTOP(Z_PK)", "",
      "/*",
      "DETACH main", "SAVEPOINT a", "DROP TABLE ZSTOP", "REPLACE INTO ZSTOP(Z_PK) VALUES (1)",
    ] {
      #expect(throws: StoreError.notAQuery(sql)) { try fixture.container.read { try $0.rows(sql) } }
    }
    for sql in ["WITH a AS (SELECT 1) DELETE FROM ZSTOP", "EXPLAIN", "SELECT 1; COMMIT"] {
      #expect(throws: StoreError.self) { try fixture.container.read { try $0.rows(sql) } }
    }
    for sql in [
      "SELECT 1", " \n-- a\n/* b */ ; select 1", "VALUES (1)",
      "WITH a AS (SELECT 1) SELECT * FROM a",
      "SELECT user_version + 1 FROM pragma_user_version",
    ] {
      #expect(try fixture.container.read { try $0.rows(sql) } == [[.integer(1)]], "\(sql)")
    }
    #expect(try fixture.container.newBackgroundContext().count(FetchRequest<Stop>()) == 1)
  }

  @Test func refusesAnAddressThatIsNoFile() throws {
    for address in [
      "https://example.org/a.sqlite", ":memory:", "file::memory:?cache=shared", "file:",
      "file://host/tmp/a.sqlite",
    ] {
      let url = try #require(URL(string: address))
      let error = #expect(throws: StoreError.self, "\(address)") {
        try PersistentContainer(at: url, entities: Stop.self, StopTime.self)
      }
      #expect(error?.description.contains("it is not the URL of a file") == true, "\(address)")
    }
  }
}
