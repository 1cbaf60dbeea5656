// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport
import Testing

/// Behaviours of fetches that Core Data has, on two saved stops, one of them changed, and one that
/// is not saved.
@Suite struct FetchBehaviourTests {
  private let fixture: StoreFixture
  private let saved: [ManagedObject<Stop>]
  private let new: ManagedObject<Stop>
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture()
    saved = [fixture.makeStop("a", identifier: 10), fixture.makeStop("b", identifier: 30)]
    try fixture.context.save()
    saved[0].name = "z"
    fixture.context.delete(saved[1])
    new = fixture.makeStop("b", identifier: 3)
  }

  private let isB = FetchRequest<Stop>(where: { $0.name == "b" })

  @Test func aRequestHasCoreDatasDefaults() {
    let request = FetchRequest<Stop>()
    #expect(request.predicate == nil && request.sortDescriptors.isEmpty)
    #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
    #expect(request.includesPendingChanges && request.includesSubentities)
    #expect(request.returnsObjectsAsFaults && request.includesPropertyValues)
    #expect(!request.returnsDistinctResults && request.propertiesToFetch.isEmpty)
    #expect(!request.shouldRefreshRefetchedObjects)
  }

  @Test func objectsIDsAndCountsSeePendingChanges() throws {
    #expect(try context.fetch(isB) == [new])
    #expect(try context.fetchObjectIDs(isB) == [new.objectID])
    #expect(try context.count(isB) == 1)
    var limited = FetchRequest<Stop>()
    #expect(try context.count(limited) == 2)
    limited.fetchLimit = 1
    #expect(try context.count(limited) == 1)
  }

  @Test func withoutPendingChangesMembershipIsTheStoresAndValuesAreTheContexts() throws {
    var request = FetchRequest<Stop>(where: { $0.name == "a" })
    request.includesPendingChanges = false
    let found = try context.fetch(request)
    #expect(found == [saved[0]] && found[0].name == "z")
    #expect(try context.count(request) == 1)
  }

  @Test func dictionariesAreOfTheStoreWithAllAttributesAndNoRelationship() throws {
    let rows = try context.fetchDictionaries(isB)
    #expect(rows.count == 1)
    #expect(rows[0].names == ["identifier", "latitude", "longitude", "name", "note"])
    let time = context.insert(StopTime.self)
    time.headsign = "x"
    try context.save()
    let times = try context.fetchDictionaries(FetchRequest<StopTime>())
    #expect(times[0].names == ["departureTime", "headsign"])
    var request = FetchRequest<StopTime>()
    request.propertiesToFetch = ["stop"]
    #expect(try context.fetchDictionaries(request)[0].values == [.null])
    var toMany = FetchRequest<Stop>()
    toMany.propertiesToFetch = ["stopTimes"]
    #expect(throws: FetchPredicateError.self) { try context.fetchDictionaries(toMany) }
  }

  @Test func aggregatesGroupsAndTheirConditions() throws {
    try context.save()
    _ = fixture.makeStop("b", identifier: 27)
    try context.save()
    var sum = FetchRequest<Stop>()
    sum.propertiesToFetch = [.sum("identifier", as: "sum")]
    #expect(try context.fetchDictionaries(sum).map(\.values) == [[.double(40)]])
    var groups = FetchRequest<Stop>()
    groups.propertiesToFetch = ["name", .count(as: "count")]
    groups.propertiesToGroupBy = ["name"]
    groups.sortDescriptors = [SortDescriptor(\.name)]
    #expect(
      try context.fetchDictionaries(groups).map(\.values)
        == [[.string("b"), .integer(2)], [.string("z"), .integer(1)]])
    groups.havingPredicate = try FetchPredicate("$count > 1")
    #expect(try context.fetchDictionaries(groups).count == 1)
  }

  @Test func objectsAreRealizedBesideAPendingInsertToo() throws {
    let other = fixture.container.newBackgroundContext()
    let pending = other.insert(Stop.self)
    var request = FetchRequest<Stop>()
    #expect(try other.fetch(request).filter(\.isFault).count == 2)
    other.reset()
    _ = other.insert(Stop.self)
    request.returnsObjectsAsFaults = false
    let found = try other.fetch(request)
    #expect(found.count == 3 && !found.contains(where: \.isFault))
    withExtendedLifetime(pending) {}
  }

  @Test func anUnknownEntityIsAnError() {
    #expect(throws: StoreError.unknownEntity("Nothing")) {
      try context.fetch(entityNamed: "Nothing")
    }
  }

  @Test func pendingObjectsOfSubentitiesAreIncludedByOption() throws {
    let fixture = try StoreFixture(vehicleEntities)
    fixture.context.insert(NightBus.self).number = 1
    var request = FetchRequest<Vehicle>()
    #expect(try fixture.context.fetch(request).count == 1)
    request.includesSubentities = false
    #expect(try fixture.context.fetch(request).isEmpty)
    #expect(try fixture.context.fetch(FetchRequest<Tram>()).isEmpty)
  }
}
