// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Fare: Entity {
  let price = Attribute<Decimal>("price", default: 0)
  let discount = Attribute<Decimal?>("discount")
}

@Suite struct DecimalTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture([Fare.self]) }

  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(arguments: [
    "0", "0.1", "-12.5", "3", "1234567890.12345", "0.000000123456789012345", "123456789012345",
    "1e20",
  ])
  func comesBackAsItWasSaved(text: String) throws {
    let fare = fixture.context.insert(Fare.self)
    fare.price = try decimal(text)
    try fixture.context.save()
    let again = fixture.container.newBackgroundContext()
    let found = try #require(try again.fetch(FetchRequest<Fare>()).first)
    #expect(try found.price == decimal(text) && found.discount == nil)
    let container = try fixture.reopened([Fare.self])
    #expect(
      try container.mainContext.fetch(FetchRequest<Fare>()).map(\.price) == [decimal(text)])
    let value = found.price
    #expect(
      try again.fetch(FetchRequest<Fare>(where: { $0.price == value })).count == 1)
  }

  @Test func moreDigitsThanTheColumnKeepsAreRefused() throws {
    let fare = fixture.context.insert(Fare.self)
    fare.price = try decimal("1.23456789012345678")
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect("\(try #require(error))".contains("15 digits"))
    fare.price = .nan
    #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(throws: StoreError.self) {
      let many = try decimal("1.23456789012345678")
      try fixture.context.batchInsert(Fare.self, count: 1) { row, _ in row.price = many }
    }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZFARE") == ["0"])
  }

  @Test func isANumberOfSQL() throws {
    for text in ["0.1", "0.2", "10"] {
      fixture.context.insert(Fare.self).price = try decimal(text)
    }
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT ZPRICE, typeof(ZPRICE) FROM ZFARE ORDER BY ZPRICE")
        == ["0.1|real", "0.2|real", "10|integer"])
    #expect(
      try fixture.rows(
        "SELECT instr(sql, 'ZPRICE DECIMAL') > 0 FROM sqlite_master WHERE name = 'ZFARE'") == ["1"])
    var sum = FetchRequest<Fare>(where: { $0.price < 1 })
    sum.propertiesToFetch = [.sum("price", as: "sum")]
    #expect(
      try fixture.context.fetchDictionaries(sum)[0].values == [.decimal(decimal("0.3"))])
    var request = FetchRequest<Fare>(where: { $0.price >= 0.2 })
    request.sortDescriptors = [SortDescriptor(\.price, ascending: false)]
    #expect(try fixture.context.fetch(request).map(\.price) == [decimal("10"), decimal("0.2")])
    let fare = try #require(try fixture.context.fetch(request).first)
    fare.price = try decimal("0.15")
    #expect(try fixture.context.fetch(request).map(\.price) == [decimal("0.2")])
    let format = try FetchPredicate("price IN %@", [try decimal("0.1"), try decimal("0.15")])
    #expect(try fixture.context.fetch(FetchRequest<Fare>(predicate: format)).count == 2)
  }

  @Test func isReachedByName() throws {
    let fare = try fixture.context.insert(entityNamed: "Fare")
    try fare.setValue(.decimal(decimal("2.5")), forKey: "price")
    try fare.setValue(.integer(1), forKey: "discount")
    try fixture.context.save()
    #expect(try fare.value(forKey: "price") == .decimal(decimal("2.5")))
    #expect(try fixture.rows("SELECT ZPRICE, ZDISCOUNT FROM ZFARE") == ["2.5|1"])
  }
}
