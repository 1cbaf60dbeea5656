// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

struct Acquaintance: Entity {
  let name = Attribute<String?>("name")
  let friends: ToMany<Acquaintance> = ToMany("friends", inverse: \.friends)
  let favourites: ToMany<Acquaintance> = ToMany("favourites", inverse: \.favourites, ordered: true)
}

/// A many-to-many that is its own inverse.
@Suite struct ReflexiveRelationshipTests {
  private func makeAcquaintances(
    _ names: String...
  ) throws -> (StoreFixture, [ManagedObject<Acquaintance>]) {
    let fixture = try StoreFixture([Acquaintance.self])
    let people = names.map { name in
      let person = fixture.context.insert(Acquaintance.self)
      person.name = name
      return person
    }
    return (fixture, people)
  }

  @Test func keepsAPairForEachDirection() throws {
    let (fixture, people) = try makeAcquaintances("a", "b", "c")
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE name LIKE 'Z_1FRIENDS%'") == [
        "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, "
          + "PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )",
        "CREATE INDEX Z_1FRIENDS_REFLEXIVE_INDEX ON Z_1FRIENDS (REFLEXIVE, Z_1FRIENDS)",
      ])
    people[0].friends.insert(people[1])
    people[2].friends.insert(people[0])
    #expect(people[1].friends.contains(people[0]) && people[0].friends.count == 2)
    try fixture.context.save()
    let pairs = "SELECT Z_1FRIENDS, REFLEXIVE FROM Z_1FRIENDS ORDER BY 1, 2"
    #expect(try fixture.rows(pairs) == ["1|2", "1|3", "2|1", "3|1"])
    let container = try fixture.reopened([Acquaintance.self])
    var request = FetchRequest<Acquaintance>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    let again = try container.mainContext.fetch(request)
    #expect(again.map { $0.friends.map(\.name).count } == [2, 1, 1])
    again[1].friends.remove(again[0])
    #expect(again[0].friends.map(\.name) == ["c"])
    try container.mainContext.save()
    #expect(try fixture.rows(pairs) == ["1|3", "3|1"])
    container.mainContext.delete(again[2])
    try container.mainContext.save()
    #expect(try fixture.rows(pairs).isEmpty && again[0].friends.isEmpty)
  }

  @Test func anObjectMayBeItsOwnFriend() throws {
    let (fixture, people) = try makeAcquaintances("a")
    people[0].friends.insert(people[0])
    #expect(people[0].friends.count == 1)
    try fixture.context.save()
    let pairs = "SELECT Z_1FRIENDS, REFLEXIVE FROM Z_1FRIENDS"
    #expect(try fixture.rows(pairs) == ["1|1"])
    people[0].friends.remove(people[0])
    try fixture.context.save()
    #expect(try fixture.rows(pairs).isEmpty && people[0].friends.isEmpty)
  }

  @Test func keepsAnOrderForEachSide() throws {
    let (fixture, people) = try makeAcquaintances("a", "b", "c")
    for person in [people[2], people[1]] { people[0].favourites.append(person) }
    people[1].favourites.append(people[2])
    try fixture.context.save()
    let container = try fixture.reopened([Acquaintance.self])
    var request = FetchRequest<Acquaintance>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    let again = try container.mainContext.fetch(request)
    #expect(
      again.map { $0.favourites.map { $0.name ?? "" } } == [["c", "b"], ["a", "c"], ["a", "b"]])
    again[0].favourites.insert(again[1], at: 0)
    try container.mainContext.save()
    #expect(
      try fixture.rows(
        "SELECT REFLEXIVE FROM Z_1FAVOURITES WHERE Z_1FAVOURITES = 1 ORDER BY Z_FOK_1FAVOURITES")
        == ["2", "3"])
  }

  @Test func isSearchedByPredicates() throws {
    let (fixture, people) = try makeAcquaintances("a", "b", "c")
    people[0].friends.insert(people[1])
    try fixture.context.save()
    let request = FetchRequest<Acquaintance>(
      predicate: try FetchPredicate("ANY friends.name == 'b'"))
    #expect(try fixture.context.fetch(request) == [people[0]])
    #expect(
      try fixture.context.fetch(
        FetchRequest<Acquaintance>(predicate: try FetchPredicate("friends.@count == 1"))
      ).count == 2)
  }

  @Test func isSearchedUnderUnsavedChanges() throws {
    let (fixture, people) = try makeAcquaintances("a", "b", "c")
    people[0].friends.insert(people[1])
    try fixture.context.save()
    people[1].name = "x"
    let request = FetchRequest<Acquaintance>(
      predicate: try FetchPredicate("ANY friends.name == 'x'"))
    #expect(try fixture.context.fetch(request) == [people[0]])
  }

  @Test func isPrefetched() throws {
    let (fixture, people) = try makeAcquaintances("a", "b", "c")
    people[0].friends.insert(people[1])
    people[0].friends.insert(people[2])
    try fixture.context.save()
    let container = try fixture.reopened([Acquaintance.self])
    var request = FetchRequest<Acquaintance>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.relationshipKeyPathsForPrefetching = ["friends"]
    let again = try container.mainContext.fetch(request)
    #expect(!again[0].hasFault(for: \.friends))
    #expect(again.map { $0.friends.count } == [2, 1, 1])
  }
}
