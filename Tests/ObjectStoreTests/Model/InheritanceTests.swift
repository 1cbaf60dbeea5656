// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

@Suite struct InheritanceTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture(vehicleEntities)
  }

  /// One vehicle, two night buses, one tram; all but the tram in a depot, whose first is a bus.
  private func fill() throws {
    let depot = context.insert(Depot.self)
    depot.name = "Treptow"
    let vehicle = context.insert(Vehicle.self)
    vehicle.number = 1
    vehicle.depot = depot
    for number in 2...3 {
      let bus = context.insert(NightBus.self)
      bus.number = number
      bus.label = "Ü\(number)"
      bus.line = "N\(number)"
      depot.vehicles.append(bus.assumedVehicle)
      if number == 3 { depot.first = bus.as(Vehicle.self) }
    }
    let tram = context.insert(Tram.self)
    tram.number = 4
    tram.line = 68
    let driver = context.insert(Driver.self)
    driver.name = "Anna"
    if let tram = tram.as(Vehicle.self) { driver.vehicles.append(tram) }
    driver.vehicles.append(vehicle)
    try context.save()
  }

  @Test func aConflictNamesThePropertiesOfItsEntityOnly() throws {
    try fill()
    let tram = try #require(try context.fetch(FetchRequest<Tram>()).first)
    tram.line = 69
    try Connection(path: fixture.url.path).execute("UPDATE ZVEHICLE SET Z_OPT = 9")
    let error = #expect(throws: StoreError.self) { try context.save() }
    guard case .conflict(let conflicts)? = error else { return }
    #expect(conflicts.first?.snapshot["line"] == .double(68))
    #expect(conflicts.first?.changedValues == ["line": .double(69)])
    #expect(conflicts.first?.snapshot["seats"] == nil)
  }

  @Test func anUndoBehindASaveInsertsASubentityAgain() throws {
    try fill()
    let tram = try #require(try context.fetch(FetchRequest<Tram>()).first)
    let undoManager = ContextUndoManager()
    context.undoManager = undoManager
    context.delete(tram)
    try context.save()
    undoManager.undo()
    try context.save()
    #expect(tram.line == 68 && tram.number == 4)
    #expect(try fixture.rows("SELECT ZNUMBER FROM ZVEHICLE WHERE ZNUMBER = 4") == ["4"])
  }

  @Test func batchesReportTheIDsOfTheRowsOwnEntities() throws {
    try fill()
    let vehicles = Set(try context.fetchObjectIDs(FetchRequest<Vehicle>()))
    #expect(Set(vehicles.map(\.entityName)) == ["Vehicle", "NightBus", "Tram"])
    var update = BatchUpdateRequest<Vehicle>()
    update.set(\.label, to: "all")
    update.resultType = .objectIDs
    #expect(Set(try context.execute(update).objectIDs) == vehicles)
    var deletion = BatchDeleteRequest(FetchRequest<Vehicle>())
    deletion.resultType = .objectIDs
    #expect(Set(try context.execute(deletion).objectIDs) == vehicles)
  }

  @Test func keepsOneTableForAHierarchy() throws {
    try fill()
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE sql LIKE '%VEHICLE%' ORDER BY rowid")
        == [
          "CREATE TABLE ZVEHICLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZNUMBER INTEGER, ZSEATS INTEGER, ZDEPOT INTEGER, ZFLAGSHIP INTEGER, ZLINE1 FLOAT, "
            + "ZLABEL VARCHAR, ZNORMALIZEDLABEL VARCHAR, ZLINE VARCHAR )",
          "CREATE TABLE Z_2VEHICLES ( Z_2DRIVERS INTEGER, Z_3VEHICLES INTEGER, "
            + "PRIMARY KEY (Z_2DRIVERS, Z_3VEHICLES) )",
          "CREATE INDEX Z_2VEHICLES_Z_3VEHICLES_INDEX ON Z_2VEHICLES (Z_3VEHICLES, Z_2DRIVERS)",
          "CREATE INDEX ZVEHICLE_Z_ENT_INDEX ON ZVEHICLE (Z_ENT)",
          "CREATE INDEX ZVEHICLE_ZDEPOT_INDEX ON ZVEHICLE (ZDEPOT)",
          "CREATE INDEX ZVEHICLE_ZFLAGSHIP_INDEX ON ZVEHICLE (ZFLAGSHIP)",
          "CREATE INDEX ZVEHICLE_ZNUMBER_INDEX ON ZVEHICLE (ZNUMBER)",
          "CREATE INDEX ZVEHICLE_ZLINE1_ZNUMBER ON ZVEHICLE (ZLINE1, ZNUMBER)",
        ])
    #expect(
      try fixture.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY 1") == [
        "1|Depot|0|1", "2|Driver|0|1", "3|Vehicle|0|4", "4|Bus|3|0", "5|NightBus|4|0",
        "6|Tram|3|0",
      ])
    #expect(
      try fixture.rows(
        """
        SELECT Z_ENT, Z_OPT, ZNUMBER, ZSEATS, ZLINE, ZLINE1, ZNORMALIZEDLABEL, ZDEPOT
        FROM ZVEHICLE ORDER BY ZNUMBER
        """) == [
          "3|1|1|NULL|NULL|NULL|NULL|1", "5|1|2|40|N2|NULL|u2|1", "5|1|3|40|N3|NULL|u3|1",
          "6|1|4|NULL|NULL|68.0|NULL|NULL",
        ])
    #expect(try fixture.rows("SELECT Z3_FIRST FROM ZDEPOT") == ["5"])
  }

  @Test func fetchesAllKindsOrOne() throws {
    try fill()
    let other = fixture.container.newBackgroundContext()
    fixture.observer.removeAll()
    var request = FetchRequest<Vehicle>(where: { $0.number > 0 })
    request.sortDescriptors = [SortDescriptor(\.number)]
    let all = try other.fetch(request)
    #expect(
      fixture.observer.sql == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZNORMALIZEDLABEL, t0.ZNUMBER, "
          + "t0.ZSEATS, t0.ZLINE, t0.ZLINE1, t0.ZDEPOT, t0.ZFLAGSHIP FROM ZVEHICLE t0 WHERE "
          + " t0.ZNUMBER > ?  ORDER BY t0.ZNUMBER"
      ])
    #expect(all.map(\.number) == [1, 2, 3, 4])
    #expect(all.map { $0.entity.name } == ["Vehicle", "NightBus", "NightBus", "Tram"])
    #expect(all.map { $0.objectID.entityName } == ["Vehicle", "NightBus", "NightBus", "Tram"])
    #expect(all.map { $0.as(Bus.self)?.seats } == [nil, 40, 40, nil])
    #expect(all.map { $0.as(NightBus.self)?.line } == [nil, "N2", "N3", nil])
    #expect(all.map { $0.as(Tram.self)?.line } == [nil, nil, nil, 68])
    #expect(all.map { $0.as(Bus.self)?.label } == [nil, "Ü2", "Ü3", nil])

    request.includesSubentities = false
    fixture.observer.removeAll()
    #expect(try other.fetch(request).map(\.number) == [1])
    #expect(
      fixture.observer.sql.first?.contains("WHERE ( t0.Z_ENT = ? AND  t0.ZNUMBER > ?)  ORDER")
        == true)
    #expect(try other.count(request) == 1)
  }

  @Test func fetchesASubentityWithInheritedConditions() throws {
    try fill()
    let other = fixture.container.newBackgroundContext()
    fixture.observer.removeAll()
    var request = FetchRequest<Bus>(where: { $0.number >= 2 && $0.normalizedLabel == "u3" })
    request.sortDescriptors = [SortDescriptor(\.number, ascending: false)]
    #expect(try other.fetch(request).map(\.number) == [3])
    #expect(
      fixture.observer.sql[0].hasSuffix(
        "FROM ZVEHICLE t0 WHERE ( t0.Z_ENT IN (?,?) AND ( t0.ZNUMBER >= ? AND "
          + " t0.ZNORMALIZEDLABEL = ?))  ORDER BY t0.ZNUMBER DESC"))
    #expect(fixture.observer.bindings[0].prefix(2) == [.integer(4), .integer(5)])
    let buses = FetchRequest<NightBus>(predicate: try FetchPredicate("number < 3 OR line = 'N3'"))
    #expect(try other.fetch(buses).map(\.line).sorted { $0 ?? "" < $1 ?? "" } == ["N2", "N3"])
    #expect(try other.count(FetchRequest<Bus>()) == 2)
    #expect(try other.count(FetchRequest<Vehicle>()) == 4)
    #expect(try other.count(FetchRequest<Tram>(where: { $0.line == 68 })) == 1)
    #expect(
      try other.fetchObjectIDs(FetchRequest<Vehicle>()).map(\.entityName).sorted()
        == ["NightBus", "NightBus", "Tram", "Vehicle"])
  }

  @Test func followsRelationshipsToTheRightKind() throws {
    try fill()
    let other = fixture.container.newBackgroundContext()
    let depot = try #require(try other.fetch(FetchRequest<Depot>()).first)
    let first = try #require(depot.first)
    #expect(first.entity.name == "NightBus" && first.isFault)
    #expect(first.as(NightBus.self)?.line == "N3" && first.number == 3)
    #expect(first.as(Tram.self) == nil)
    #expect(first.flagship === depot)
    #expect(Set(depot.vehicles.map(\.entity.name)) == ["Vehicle", "NightBus"])
    #expect(depot.vehicles.map(\.number).sorted() == [1, 2, 3])
    let driver = try #require(try other.fetch(FetchRequest<Driver>()).first)
    #expect(driver.vehicles.map(\.entity.name).sorted() == ["Tram", "Vehicle"])
    let tram = try #require(try other.fetch(FetchRequest<Tram>()).first)
    #expect(tram.drivers.map(\.name) == ["Anna"])
    #expect(tram.depot == nil)
    tram.depot = depot
    try other.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZVEHICLE WHERE ZDEPOT = 1") == ["4"])
  }

  @Test func setsAndComparesObjectsOfSubentities() throws {
    try fill()
    let tram = try #require(try context.fetch(FetchRequest<Tram>()).first)
    let depot = try #require(try context.fetch(FetchRequest<Depot>()).first)
    try depot.setValue(.object(tram.objectID), forKey: "first")
    #expect(depot.first?.as(Tram.self) === tram)
    try context.save()
    #expect(
      try fixture.rows("SELECT ZFIRST, Z3_FIRST FROM ZDEPOT") == ["\(tram.objectID.primaryKey)|6"])
    let request = FetchRequest<Depot>(predicate: try FetchPredicate("#first = %@", tram.objectID))
    #expect(try context.fetch(request).count == 1)
    depot.first = nil
    try context.save()
    #expect(try fixture.rows("SELECT ZFIRST, Z3_FIRST FROM ZDEPOT") == ["NULL|NULL"])
    #expect(throws: StoreError.self) {
      try depot.setValue(.object(depot.objectID), forKey: "first")
    }
  }

  @Test func takesPendingChangesOfAllKinds() throws {
    try fill()
    let tram = context.insert(Tram.self)
    tram.number = 0
    tram.line = 1
    var request = FetchRequest<Vehicle>()
    request.sortDescriptors = [SortDescriptor(\.number)]
    #expect(try context.fetch(request).map(\.number) == [0, 1, 2, 3, 4])
    #expect(try context.fetch(FetchRequest<Bus>()).count == 2)
    request.includesSubentities = false
    #expect(try context.fetch(request).map(\.number) == [1])
    context.delete(tram)
    #expect(try context.count(FetchRequest<Vehicle>()) == 4)
  }

  @Test func keepsOneObjectARowHoweverItIsFetched() throws {
    try fill()
    let tram = try #require(try context.fetch(FetchRequest<Tram>()).first)
    let vehicle = try #require(
      try context.fetch(FetchRequest<Vehicle>(where: { $0.number == 4 })).first)
    #expect((vehicle as AnyManagedObject) === tram)
    vehicle.number = 40
    #expect(tram.number == 40 && tram.isUpdated)
    tram.line = 69
    try context.save()
    #expect(
      try fixture.rows("SELECT ZNUMBER, ZLINE1, Z_OPT FROM ZVEHICLE WHERE Z_ENT = 6") == [
        "40|69.0|2"
      ])
    context.delete(vehicle)
    try context.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZVEHICLE") == ["3"])
  }

  @Test func insertsABatchOfASubentity() throws {
    try context.batchInsert(NightBus.self, count: 2) { row, index in
      row.number = index
      row.label = "Ä"
      row.line = "N\(index)"
    }
    #expect(
      try fixture.rows(
        "SELECT Z_ENT, ZNUMBER, ZSEATS, ZLINE, ZNORMALIZEDLABEL, ZLINE1 FROM ZVEHICLE")
        == ["5|0|40|N0|a|NULL", "5|1|40|N1|a|NULL"])
    #expect(try fixture.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Vehicle'") == ["2"])
  }

  @Test func changesABatchOfOneKindOnly() throws {
    try fill()
    var update = BatchUpdateRequest<Bus>()
    update.set(\.seats, to: 50)
    #expect(try context.execute(update).count == 2)
    #expect(
      try fixture.rows("SELECT Z_ENT, ZSEATS FROM ZVEHICLE ORDER BY ZNUMBER")
        == ["3|NULL", "5|50", "5|50", "6|NULL"])
    #expect(try context.execute(BatchDeleteRequest(FetchRequest<Bus>())).count == 2)
    #expect(try fixture.rows("SELECT Z_ENT FROM ZVEHICLE ORDER BY ZNUMBER") == ["3", "6"])
    #expect(try fixture.rows("SELECT ZFIRST FROM ZDEPOT") == ["NULL"])
  }

  @Test func prefetchesObjectsOfTheRightKind() throws {
    try fill()
    let other = fixture.container.newBackgroundContext()
    var request = FetchRequest<Depot>()
    request.relationshipKeyPathsForPrefetching = ["vehicles", "first"]
    let depot = try #require(try other.fetch(request).first)
    fixture.observer.removeAll()
    #expect(Set(depot.vehicles.map(\.entity.name)) == ["Vehicle", "NightBus"])
    #expect(depot.first?.as(NightBus.self)?.line == "N3")
    #expect(fixture.observer.sql == [])
  }

  @Test func hasNoObjectsOfAnAbstractEntity() async throws {
    #expect(throws: StoreError.abstractEntity("Bus")) { try context.insert(entityNamed: "Bus") }
    #expect(throws: StoreError.abstractEntity("Bus")) {
      try context.batchInsert(Bus.self, count: 1) { _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = try StoreFixture(vehicleEntities).context.insert(Bus.self)
    }
  }

  @Test func checksOnlyPropertiesOfTheObjectsEntity() throws {
    let tram = context.insert(Tram.self)
    tram.number = 1
    #expect(
      throws: StoreError.invalid([
        .init(objectID: tram.objectID, property: "line", problem: .missing)
      ])
    ) { try context.save() }
    #expect(throws: StoreError.self) { try tram.value(forKey: "seats") }
    #expect(try tram.value(forKey: "number") == .integer(1))
  }

  /// Written by hand as Core Data writes it: other entity numbers, and a later column appended.
  @Test func opensAStoreThatCoreDataMade() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "copied.sqlite")
    try Connection(path: url.path).execute(
      """
      CREATE TABLE ZANIMAL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLEGS INTEGER,
        ZFAVORITEOF INTEGER, ZOWNER INTEGER, ZNAME VARCHAR , ZCOLOR VARCHAR);
      CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZFAVORITE INTEGER, Z7_FAVORITE INTEGER, ZNAME VARCHAR );
      CREATE INDEX ZANIMAL_Z_ENT_INDEX ON ZANIMAL (Z_ENT);
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      INSERT INTO Z_PRIMARYKEY VALUES (7,'Animal',0,2), (8,'Cat',7,0), (9,'Dog',7,0),
        (12,'Person',0,1);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_METADATA VALUES (1, '619F5BBC-79B3-4C5B-8B4C-0A0F0C0D0E0F', x'00');
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      INSERT INTO ZANIMAL VALUES (1, 8, 3, 4, NULL, 1, 'Tom', 'grey'), (2, 9, 1, 4, 1, 1, 'Rex', NULL);
      INSERT INTO ZPERSON VALUES (1, 12, 1, 2, 9, 'Eva');
      """)
    let container = try PersistentContainer(
      at: url, entities: [Animal.self, Cat.self, Dog.self, Person.self],
      instruments: Instruments(observers: []))
    let animals = try container.mainContext.fetch(FetchRequest<Animal>())
    #expect(animals.map { "\($0.entity.name) \($0.name ?? "")" } == ["Cat Tom", "Dog Rex"])
    #expect(animals[0].as(Cat.self)?.color == "grey")
    let person = try #require(animals[0].owner)
    #expect(person.favorite === animals[1] && person.favorite?.as(Dog.self) != nil)
    let dog = container.mainContext.insert(Dog.self)
    dog.name = "Bello"
    dog.owner = person
    try container.mainContext.save()
    let rows = try Connection(path: url.path, mode: .readOnly)
      .prepare("SELECT Z_PK || '|' || Z_ENT || '|' || ZOWNER FROM ZANIMAL WHERE ZNAME = 'Bello'")
    #expect(try rows.step() && rows.string(0) == "3|9|1")
  }

  @Test func refusesHierarchiesThatAreNone() {
    #expect(throws: ModelError.missingSuperentity("Bus", entity: "NightBus")) {
      try ManagedObjectModel(entities: [NightBus.self])
    }
    #expect(throws: ModelError.circularInheritance(entity: "Loop")) {
      try ManagedObjectModel(entities: [Loop.self])
    }
    #expect(throws: ModelError.duplicateProperty("name", entity: "Shadow")) {
      try ManagedObjectModel(entities: [Animal.self, Person.self, Shadow.self])
    }
  }
}

extension ManagedObject<NightBus> {
  fileprivate var assumedVehicle: ManagedObject<Vehicle> {
    guard let vehicle = self.as(Vehicle.self) else { preconditionFailure("a bus is a vehicle") }
    return vehicle
  }
}

private struct Animal: Entity {
  let name = Attribute<String?>("name")
  let legs = Attribute<Int?>("legs")
  let owner = ToOne<Person>("owner", inverse: \.animals)
  let favoriteOf = ToOne<Person>("favoriteOf", inverse: \.favorite)
}

private struct Cat: Entity {
  typealias Parent = Animal
  let color = Attribute<String?>("color")
}

private struct Dog: Entity {
  typealias Parent = Animal
}

private struct Person: Entity {
  let name = Attribute<String?>("name")
  let animals: ToMany<Animal> = ToMany("animals", inverse: \.owner)
  let favorite: ToOne<Animal> = ToOne("favorite", inverse: \.favoriteOf)
}

private struct Shadow: Entity {
  typealias Parent = Animal
  let shadow = Attribute<String>("name")
}

private struct Loop: Entity {
  typealias Parent = Loop
  let name = Attribute<String>("name")
}
