// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// The first version of a model.
private enum Old {
  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let note = Attribute<String?>("note")
    let rank = Attribute<Int>("rank", default: 0)
    let city = ToOne<City>("city", inverse: \.places)
    let tags = ToMany<Tag>("tags", inverse: \.places)
    static let indexes = [Index<Place>(\.rank)]
  }

  struct City: Entity {
    static let entityName = "City"
    let title = Attribute<String?>("title")
    let places: ToMany<Place> = ToMany("places", inverse: \.city, ordered: true)
  }

  struct Tag: Entity {
    static let entityName = "Tag"
    let word = Attribute<String?>("word")
    let places: ToMany<Place> = ToMany("places", inverse: \.tags)
  }

  static var entities: [any Entity.Type] { [Place.self, City.self, Tag.self] }
}

/// The second one: everything that a lightweight migration can do.
private enum New {
  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let normalizedName = Attribute<String>(
      "normalizedName", derivedFrom: \Self.name, \.searchNormalized)
    let remark = Attribute<String?>("remark", renamingIdentifier: "note")
    let rank = Attribute<Int?>("rank")
    let stars = Attribute<Int>("stars", default: 3)
    let town = ToOne<Town>("town", inverse: \.places, renamingIdentifier: "city")
    let labels = ToMany<Tag>("labels", inverse: \.places, renamingIdentifier: "tags")
    let visits: ToMany<Visit> = ToMany("visits", inverse: \.place)
    static let indexes = [Index<Place>(\.normalizedName)]
  }

  struct Town: Entity {
    static let entityName = "Town"
    static let renamingIdentifier: String? = "City"
    let title = Attribute<String?>("title")
    let places: ToMany<Place> = ToMany("places", inverse: \.town, ordered: true)
  }

  struct Tag: Entity {
    static let entityName = "Tag"
    let word = Attribute<String?>("word")
    let places: ToMany<Place> = ToMany("places", inverse: \.labels)
    static let uniquenessConstraints = [UniquenessConstraint<Tag>(\.word)]
  }

  struct Visit: Entity {
    static let entityName = "Visit"
    let date = Attribute<Date?>("date")
    let place = ToOne<Place>("place", inverse: \.visits)
  }

  static var entities: [any Entity.Type] { [Place.self, Town.self, Tag.self, Visit.self] }
}

private enum Bad {
  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<Int>("name")
    let note = Attribute<String>("note")
    let rank = Attribute<Int>("rank", default: 0)
    let owner = Attribute<String>("owner")
    let city = ToOne<City>("city", inverse: \.places)
    let tag = ToOne<Tag>("tag", inverse: \.places)
  }

  struct City: Entity {
    static let entityName = "City"
    let title = Attribute<String?>("title")
    let places: ToMany<Place> = ToMany("places", inverse: \.city, ordered: true)
  }

  struct Tag: Entity {
    static let entityName = "Tag"
    let word = Attribute<String?>("word")
    let places: ToMany<Place> = ToMany("places", inverse: \.tag)
  }

  static var entities: [any Entity.Type] { [Place.self, City.self, Tag.self] }
}

@Suite struct MigrationTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture(Old.entities)
    let context = fixture.context
    let city = context.insert(Old.City.self)
    city.title = "Berlin"
    let tag = context.insert(Old.Tag.self)
    tag.word = "park"
    for index in 0..<3 {
      let place = context.insert(Old.Place.self)
      place.name = "Plätze \(index)"
      place.note = index == 0 ? nil : "note \(index)"
      place.rank = index
      city.places.append(place)
      place.tags.append(tag)
    }
    try context.save()
    fixture.container.close()
  }

  /// Everything in the file, to compare.
  private func dump() throws -> [String] {
    let names = try fixture.rows(
      "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
    let tables = try fixture.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    return try names + tables.flatMap { try fixture.rows("SELECT * FROM \($0)") }
  }

  @Test func migratesInOneTransactionAndReportsEachStep() throws {
    let observer = RecordingObserver()
    let container = try fixture.reopened(New.entities, observer: observer)
    #expect(
      container.migrationSteps == [
        "renamed entity City to Town", "renamed ZCITY to ZTOWN", "added entity Visit",
        "renamed ZPLACE.ZNOTE to ZREMARK", "renamed ZPLACE.ZCITY to ZTOWN",
        "renamed ZPLACE.Z_FOK_CITY to Z_FOK_TOWN", "added ZPLACE.ZNORMALIZEDNAME",
        "derived ZPLACE.ZNORMALIZEDNAME", "added ZPLACE.ZSTARS",
        "set ZPLACE.ZSTARS to its default", "added table ZVISIT",
        "renamed Z_2TAGS to Z_2LABELS", "renamed Z_2LABELS.Z_3TAGS to Z_3LABELS",
        "made (ZWORD) of ZTAG unique",
      ])
    #expect(observer.remarks.contains("migrating: added ZPLACE.ZSTARS"))
    let context = container.mainContext
    var request = FetchRequest<New.Place>()
    request.sortDescriptors = [SortDescriptor(\.rank)]
    let places = try context.fetch(request)
    #expect(places.map(\.normalizedName) == ["platze 0", "platze 1", "platze 2"])
    #expect(places.map(\.remark) == [nil, "note 1", "note 2"])
    #expect(places.map(\.stars) == [3, 3, 3] && places.map(\.rank) == [0, 1, 2])
    let town = try #require(places[0].town)
    #expect(
      town.title == "Berlin" && town.places.map(\.name) == ["Plätze 0", "Plätze 1", "Plätze 2"])
    #expect(places[2].labels.map(\.word) == ["park"] && places[2].labels.first?.places.count == 3)
    let visit = context.insert(New.Visit.self)
    visit.place = places[1]
    places[0].name = "Ö"
    try context.save()
    container.close()
    #expect(try fixture.rows("SELECT ZNORMALIZEDNAME FROM ZPLACE ORDER BY ZRANK")[0] == "o")
    #expect(
      try fixture.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY 1")
        == ["1|Town|0|1", "2|Place|0|3", "3|Tag|0|1", "4|Visit|0|1"])
    #expect(try fixture.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try fixture.reopened(New.entities).migrationSteps == [])
    let indexes = try fixture.rows(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> '' ORDER BY 1")
    #expect(indexes.contains("ZPLACE_ZNORMALIZEDNAME_INDEX"))
  }

  @Test func refusedMigrationListsAllDifferences() throws {
    let before = try dump()
    #expect(
      throws: StoreError.incompatibleModel(
        path: fixture.url.path,
        differences: [
          "ZPLACE.ZNAME is VARCHAR, the model wants INTEGER",
          "Place.owner is not optional and has no default, and the rows there lack it",
          "Place.tag may be kept in the table Z_2TAGS",
          "Place.note is not optional, and rows lack it", "no column ZPLACE.ZOWNER",
          "no column ZPLACE.ZTAG",
        ])
    ) { try fixture.reopened(Bad.entities) }
    #expect(try dump() == before)
  }

  @Test func leavesTheFileAsItWasWhenTheDiskIsFull() throws {
    try Connection(path: fixture.url.path).execute(
      """
      WITH n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
      INSERT INTO ZPLACE(Z_PK, Z_ENT, Z_OPT, ZNAME, ZRANK) SELECT i, 2, 1, 'Straße ' || i, i FROM n;
      """)
    let before = try dump()
    let pages = try #require(Int(try fixture.rows("PRAGMA page_count")[0]))
    var full = 0
    for more in [0, 1, 5, 20] {
      var options = StoreOptions()
      options.maximumPageCount = pages + more
      do {
        try fixture.reopened(New.entities, options: options).close()
        Issue.record("\(more) more pages were enough")
      } catch StoreError.full {
        full += 1
      }
      #expect(try dump() == before)
    }
    #expect(full == 4)
    let container = try fixture.reopened(New.entities)
    #expect(
      try container.mainContext.count(FetchRequest<New.Place>(where: { $0.stars == 3 })) == 5003)
    #expect(
      try container.mainContext.count(
        FetchRequest<New.Place>(where: { $0.normalizedName == "straße 17" })) == 1)
  }

  @Test func refusesByOptionOrReadOnly() throws {
    let before = try dump()
    var refusing = StoreOptions()
    refusing.migrationPolicy = .refuse
    #expect(throws: StoreError.self) { try fixture.reopened(New.entities, options: refusing) }
    var reading = StoreOptions()
    reading.isReadOnly = true
    #expect(throws: StoreError.self) { try fixture.reopened(New.entities, options: reading) }
    #expect(try dump() == before)
    try fixture.reopened(Old.entities, options: refusing).close()
  }

  @Test func keepsLeftoversUnlessTheyMayBeDropped() throws {
    struct Place: Entity {
      static let entityName = "Place"
      let name = Attribute<String>("name")
    }
    let kept = try fixture.reopened([Place.self])
    #expect(kept.migrationSteps == [])
    kept.close()
    #expect(try fixture.rows("SELECT ZNOTE, ZCITY FROM ZPLACE WHERE ZRANK = 1") == ["note 1|1"])
    try fixture.reopened(Old.entities).close()
    var exact = StoreOptions()
    exact.migrationPolicy = .exact
    exact.indexPolicy = .exact
    let container = try fixture.reopened([Place.self], options: exact)
    #expect(
      container.migrationSteps == [
        "dropped ZPLACE.ZRANK", "dropped ZPLACE.ZCITY", "dropped ZPLACE.Z_FOK_CITY",
        "dropped ZPLACE.ZNOTE", "dropped entity City", "dropped entity Tag",
        "dropped table Z_2TAGS",
      ])
    #expect(try container.mainContext.fetch(FetchRequest<Place>()).count == 3)
    container.close()
    #expect(
      try fixture.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        == ["ZPLACE", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"])
  }

  @Test func refusesAConstraintThatRowsBreak() throws {
    try Connection(path: fixture.url.path).execute("INSERT INTO ZTAG VALUES (2, 3, 1, 'park')")
    do {
      try fixture.reopened(New.entities).close()
      Issue.record("rows with the same word were accepted")
    } catch StoreError.incompatibleModel(_, let differences) {
      #expect(differences.contains("rows of ZTAG have the same ZWORD"))
    }
  }

  @Test func requiredValuesGetTheirDefault() throws {
    struct Place: Entity {
      static let entityName = "Place"
      let name = Attribute<String>("name")
      let note = Attribute<String>("note", default: "none")
    }
    let container = try fixture.reopened([Place.self])
    #expect(container.migrationSteps == ["set ZPLACE.ZNOTE to its default"])
    #expect(
      try fixture.rows("SELECT ZNOTE FROM ZPLACE ORDER BY ZRANK") == ["none", "note 1", "note 2"])
  }

  @Test func keepsAHashOfEachEntity() throws {
    let data = try #require(try fixture.rows("SELECT hex(Z_PLIST) FROM Z_METADATA").first)
    #expect(!data.isEmpty)
    let old = try ManagedObjectModel(entities: Old.entities).versionHashes
    let new = try ManagedObjectModel(entities: New.entities).versionHashes
    #expect(old.values.allSatisfy { $0.count == 32 })
    #expect(old["Place"] != new["Place"] && old["Tag"] != new["Tag"])
    #expect(old == (try ManagedObjectModel(entities: Old.entities.reversed()).versionHashes))
  }
}
