// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
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

/// What a Swift developer expects of a store.
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
    for uri in ["", "x-coredata://other/Stop/p1", stop.objectID.uri + "x", "http://a/Stop/p1"] {
      #expect(fixture.container.managedObjectID(forURI: uri) == nil)
    }
  }

  @Test func refusesAnAddressThatIsNoFile() throws {
    for url in [URL(string: "https://example.org/a.sqlite"), URL(string: ":memory:")] {
      #expect(throws: StoreError.self) {
        try PersistentContainer(at: try #require(url), entities: Stop.self, StopTime.self)
      }
    }
  }
}
