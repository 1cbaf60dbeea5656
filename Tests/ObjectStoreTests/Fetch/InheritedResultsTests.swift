// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreInstruments
import TestSupport
import Testing

/// Results of a table that holds several entities.
@Suite struct InheritedResultsTests {
  /// A vehicle, a night bus and a tram, numbered 1 to 3; the bus is the first of a depot.
  private func makeStore() throws -> (StoreFixture, PersistentContainer, RecordingObserver) {
    let fixture = try StoreFixture(vehicleEntities)
    let context = fixture.context
    context.insert(Vehicle.self).number = 1
    let bus = context.insert(NightBus.self)
    bus.number = 2
    let tram = context.insert(Tram.self)
    tram.number = 3
    tram.line = 68
    context.insert(Depot.self).first = bus.as(Vehicle.self)
    try context.save()
    let observer = RecordingObserver()
    return (fixture, try fixture.reopened(vehicleEntities, observer: observer), observer)
  }

  @Test func recognizesTheEntityOfPartsAndKeys() throws {
    let (fixture, container, observer) = try makeStore()
    var request = FetchRequest<Vehicle>()
    request.sortDescriptors = [SortDescriptor(\.number)]
    request.propertiesToFetch = ["number"]
    let parts = try container.mainContext.fetch(request)
    #expect(
      observer.sql == [
        "SELECT t0.Z_ENT, t0.Z_PK, t0.ZNUMBER FROM ZVEHICLE t0 ORDER BY t0.ZNUMBER"
      ])
    let names = ["Vehicle", "NightBus", "Tram"]
    #expect(parts.map(\.objectID.entityName) == names)
    #expect(parts.map(\.number) == [1, 2, 3])
    #expect(container.statistics.faults == 0)
    request.includesPropertyValues = false
    #expect(try container.mainContext.fetchObjectIDs(request).map(\.entityName) == names)
    request.includesPropertyValues = true
    request.propertiesToFetch = []
    #expect(try container.mainContext.fetchObjectIDs(request).map(\.entityName) == names)
    withExtendedLifetime(fixture) {}
  }

  @Test func aControllerHasObjectsOfSubentities() throws {
    let (fixture, container, _) = try makeStore()
    var request = FetchRequest<Vehicle>()
    request.sortDescriptors = [SortDescriptor(\.number)]
    let controller = try FetchedResultsController(request, context: container.mainContext)
    try controller.performFetch()
    let objects = try controller.snapshot.indices.map { try controller.object(at: $0) }
    #expect(objects.map { $0?.number } == [1, 2, 3])
    #expect(objects.map { $0?.objectID.entityName } == ["Vehicle", "NightBus", "Tram"])
    withExtendedLifetime(fixture) {}
  }

  @Test func recognizesTheEntityOfIDsInDictionaries() throws {
    let (fixture, container, observer) = try makeStore()
    let context = container.mainContext
    var request = FetchRequest<Vehicle>(predicate: try FetchPredicate("number > 1"))
    request.sortDescriptors = [SortDescriptor(\.number)]
    request.propertiesToFetch = [.objectID, "number"]
    let rows = try context.fetchDictionaries(request)
    #expect(
      observer.sql == [
        "SELECT t0.Z_PK, t0.Z_ENT, t0.ZNUMBER FROM ZVEHICLE t0 WHERE  t0.ZNUMBER > ?  "
          + "ORDER BY t0.ZNUMBER"
      ])
    #expect(rows.map { $0.objectID?.entityName } == ["NightBus", "Tram"])
    #expect(rows.map(\.number) == [2, 3])
    var depots = FetchRequest<Depot>()
    depots.propertiesToFetch = ["first", "first.number"]
    let depot = try context.fetchDictionaries(depots)[0]
    guard case .object(let id) = depot["first"] else { return #expect(Bool(false)) }
    #expect(id == rows[0].objectID)
    #expect(depot["first.number"] == .integer(2))
    #expect(try context.existingObject(with: id).value(forKey: "number") == .integer(2))
    withExtendedLifetime(fixture) {}
  }

  @Test func readsAToOneOfAPartWithItsEntity() throws {
    let (fixture, container, _) = try makeStore()
    var request = FetchRequest<Depot>()
    request.propertiesToFetch = ["first"]
    let first = try #require(try container.mainContext.fetch(request)[0].first)
    #expect(first.objectID.entityName == "NightBus")
    #expect(container.statistics.faults == 0)
    withExtendedLifetime(fixture) {}
  }

  @Test func countsOneEntityOfTheTable() throws {
    let (fixture, container, observer) = try makeStore()
    var request = FetchRequest<Bus>(predicate: try FetchPredicate("number > 0"))
    request.propertiesToFetch = [.count(as: "n"), .max("number", as: "last")]
    let rows = try container.mainContext.fetchDictionaries(request)
    #expect(rows.map(\.values) == [[.integer(1), .integer(2)]])
    #expect(
      observer.sql.first?.hasPrefix(
        "SELECT COUNT( t0.Z_PK), max( t0.ZNUMBER) FROM ZVEHICLE t0 WHERE ( t0.Z_ENT IN (")
        == true)
    withExtendedLifetime(fixture) {}
  }
}
