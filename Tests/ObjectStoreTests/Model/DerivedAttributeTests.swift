// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private struct Place: Entity {
  let name = Attribute<String>("name", default: "Ö")
  let note = Attribute<String?>("note")
  let normalizedName = Attribute<String>(
    "normalizedName", derivedFrom: \Self.name, \.searchNormalized)
  let nameLength = Attribute<Int>("nameLength", derivedFrom: \Self.name, \.count)
  let normalizedNote = Attribute<String?>(
    "normalizedNote", derivedFrom: \Self.note, \.searchNormalized)
  let modified = Attribute<Date?>("modified", derivedFrom: .now)
  static let indexes = [Index<Place>(\.normalizedName)]
}

private struct Chained: Entity {
  let a = Attribute<String>("a")
  let b = Attribute<Int>("b", derivedFrom: \Self.a, \.count)
  let c = Attribute<Int>("c", derivedFrom: \Self.b, \.magnitude.trailingZeroBitCount)
}

private struct Foreign: Entity {
  let a = Attribute<Int>("a", derivedFrom: \Place.name, \.count)
}

@Suite struct DerivedAttributeTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture([Place.self]) }

  private func rows() throws -> [String] {
    try fixture.rows(
      "SELECT ZNAME, ZNORMALIZEDNAME, ZNAMELENGTH, ZNOTE, ZNORMALIZEDNOTE FROM ZPLACE ORDER BY Z_PK"
    )
  }

  @Test func followsItsSourceAtOnceAndIntoTheStore() throws {
    let place = fixture.context.insert(Place.self)
    #expect(place.normalizedName == "o" && place.nameLength == 1 && place.normalizedNote == nil)
    place.name = "Görlitzer Bahnhof"
    place.note = "Ubahn Ü"
    #expect(place.normalizedName == "gorlitzer bahnhof" && place.nameLength == 17)
    try fixture.context.save()
    #expect(try rows() == ["Görlitzer Bahnhof|gorlitzer bahnhof|17|Ubahn Ü|ubahn u"])
    fixture.observer.removeAll()
    place.note = nil
    #expect(place.normalizedNote == nil)
    try fixture.context.save()
    #expect(
      fixture.observer.sql[1]
        == "UPDATE ZPLACE SET ZMODIFIED = ?, ZNORMALIZEDNOTE = ?, ZNOTE = ?, Z_OPT = ? "
        + "WHERE Z_PK = ? AND Z_OPT = ?")
    #expect(try rows() == ["Görlitzer Bahnhof|gorlitzer bahnhof|17|NULL|NULL"])
  }

  @Test func followsItsSourceWhenThatIsSetByName() throws {
    let place = try fixture.context.insert(entityNamed: "Place")
    try place.setValue(.string("Ähre"), forKey: "name")
    #expect(try place.value(forKey: "normalizedName") == .string("ahre"))
    try fixture.context.save()
    #expect(try rows() == ["Ähre|ahre|4|NULL|NULL"])
    #expect(throws: StoreError.derivedAttribute("normalizedName", entity: "Place")) {
      try place.setValue(.string("x"), forKey: "normalizedName")
    }
  }

  @Test func followsItsSourceInABatch() throws {
    try fixture.context.batchInsert(Place.self, count: 3) { row, index in
      if index > 0 { row.name = "Ä\(index)" }
      if index > 1 { row.note = "É" }
    }
    #expect(try rows() == ["Ö|o|1|NULL|NULL", "Ä1|a1|2|NULL|NULL", "Ä2|a2|2|É|e"])
    #expect(
      try fixture.rows("SELECT COUNT(*) FROM ZPLACE WHERE ZMODIFIED IS NULL") == ["0"])
  }

  @Test func isForgottenAndReadAgainWithItsSource() throws {
    let place = fixture.context.insert(Place.self)
    try fixture.context.save()
    place.name = "Neu"
    fixture.context.rollback()
    #expect(place.name == "Ö" && place.normalizedName == "o")
    let other = fixture.container.newBackgroundContext()
    let request = FetchRequest<Place>(where: { $0.normalizedName == "o" })
    #expect(try other.fetch(request).map(\.nameLength) == [1])
  }

  @Test func holdsTheTimeOfTheSaveThatWroteTheObject() throws {
    let place = fixture.context.insert(Place.self)
    #expect(place.modified == nil)
    let start = Date()
    try fixture.context.save()
    let saved = try #require(place.modified)
    #expect(saved >= start && saved <= Date())
    try fixture.context.save()
    #expect(place.modified == saved)
    place.note = "x"
    #expect(place.modified == saved)
    try fixture.context.save()
    let later = try #require(place.modified)
    #expect(later > saved)
    let isLater = "SELECT ZMODIFIED > \(saved.timeIntervalSinceReferenceDate) FROM ZPLACE"
    #expect(try fixture.rows(isLater) == ["1"])
  }

  /// As Core Data makes them for its derived attributes.
  private func addTrigger(setting value: String) throws {
    try Connection(path: fixture.url.path).execute(
      """
      CREATE TRIGGER Z_DA_ZPLACE_Place_modified_UPDATE AFTER UPDATE OF Z_OPT ON ZPLACE
      BEGIN UPDATE ZPLACE SET ZNOTE = \(value) WHERE Z_PK = NEW.Z_PK; END
      """)
  }

  @Test func coreDatasTriggersFindTheTime() throws {
    try addTrigger(setting: "NSCoreDataNow()")
    let place = fixture.context.insert(Place.self)
    try fixture.context.save()
    let start = Date()
    place.name = "x"
    try fixture.context.save()
    #expect(
      try fixture.rows(
        """
        SELECT ZNOTE BETWEEN \(start.timeIntervalSinceReferenceDate)
        AND \(Date().timeIntervalSinceReferenceDate) FROM ZPLACE
        """) == ["1"])
  }

  @Test func aTriggerWithAFunctionOfAnotherProgramIsNamed() throws {
    try addTrigger(setting: "NSCoreDataElsewhere(1)")
    let place = fixture.context.insert(Place.self)
    try fixture.context.save()
    place.name = "x"
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(
      "\(try #require(error))".contains(
        "no such function: NSCoreDataElsewhere"))
    #expect("\(try #require(error))".contains("if the file has it in a trigger or an index"))
    #expect(try fixture.rows("SELECT ZNAME FROM ZPLACE") == ["Ö"])
  }

  @Test func reportsOnlyTheSourceWhereAValueIsMissing() throws {
    let place = fixture.context.insert(Place.self)
    try place.setValue(.null, forKey: "name")
    #expect(
      throws: StoreError.invalid([
        .init(objectID: place.objectID, property: "name", problem: .missing)
      ])
    ) { try fixture.context.save() }
  }

  @Test func refusesADerivationOfADerivationOrOfAnotherEntity() {
    #expect(throws: ModelError.invalidDerivation("c", entity: "Chained")) {
      try ManagedObjectModel(entities: [Chained.self])
    }
    #expect(throws: ModelError.invalidDerivation("a", entity: "Foreign")) {
      try ManagedObjectModel(entities: [Foreign.self])
    }
  }

  @Test func mustNotBeSetItself() async {
    await #expect(processExitsWith: .failure) {
      let fixture = try StoreFixture([Place.self])
      fixture.context.insert(Place.self).normalizedName = "x"
    }
  }
}
