// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum First {
  struct Owner: Entity {
    static let entityName = "Owner"
    let name = Attribute<String>("name")
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Shop: Entity {
    static let entityName = "Shop"
    let name = Attribute<String>("name")
    let friends: ToMany<Pet> = ToMany("friends", inverse: \.friend)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToOne<Owner> = ToOne("owner", inverse: \.pets)
    let friend: ToOne<Shop> = ToOne("friend", inverse: \.friends)
  }

  static var entities: [any Entity.Type] { [Owner.self, Shop.self, Pet.self] }
}

/// Both relationships lead to the other entity.
private enum Swapped {
  struct Owner: Entity {
    static let entityName = "Owner"
    let name = Attribute<String>("name")
    let friends: ToMany<Pet> = ToMany("friends", inverse: \.friend)
  }

  struct Shop: Entity {
    static let entityName = "Shop"
    let name = Attribute<String>("name")
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToOne<Shop> = ToOne("owner", inverse: \.pets)
    let friend: ToOne<Owner> = ToOne("friend", inverse: \.friends)
  }

  static var entities: [any Entity.Type] { [Owner.self, Shop.self, Pet.self] }
}

/// One relationship leads to the other entity, and nothing else of the pet has changed.
private enum Moved {
  struct Owner: Entity {
    static let entityName = "Owner"
    let name = Attribute<String>("name")
  }

  struct Shop: Entity {
    static let entityName = "Shop"
    let name = Attribute<String>("name")
    let friends: ToMany<Pet> = ToMany("friends", inverse: \.friend)
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToOne<Shop> = ToOne("owner", inverse: \.pets)
    let friend: ToOne<Shop> = ToOne("friend", inverse: \.friends)
  }

  static var entities: [any Entity.Type] { [Owner.self, Shop.self, Pet.self] }
}

/// The relationship is to-many, and leads to the other entity.
private enum Many {
  struct Owner: Entity {
    static let entityName = "Owner"
    let name = Attribute<String>("name")
  }

  struct Shop: Entity {
    static let entityName = "Shop"
    let name = Attribute<String>("name")
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToMany<Shop> = ToMany("owner", inverse: \.pets)
  }

  static var entities: [any Entity.Type] { [Owner.self, Shop.self, Pet.self] }
}

/// The owner has another name, and all entities another attribute.
private enum Renamed {
  struct Human: Entity {
    static let entityName = "Human"
    static let renamingIdentifier: String? = "Owner"
    let name = Attribute<String>("name")
    let age = Attribute<Int>("age", default: 0)
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let age = Attribute<Int>("age", default: 0)
    let owner: ToOne<Human> = ToOne("owner", inverse: \.pets)
  }

  static var entities: [any Entity.Type] { [Human.self, Pet.self] }
}

/// The relationship is gone.
private enum Without {
  struct Owner: Entity {
    static let entityName = "Owner"
    let name = Attribute<String>("name")
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
  }

  static var entities: [any Entity.Type] { [Owner.self, Pet.self] }
}

@Suite struct DestinationTests {
  /// An owner and a shop, both with the key 1, and a pet.
  private func makeFile(hasOwner: Bool = true, owners: Int = 1) throws -> StoreFixture {
    let fixture = try StoreFixture(First.entities)
    let context = fixture.context
    let pet = context.insert(First.Pet.self)
    pet.name = "pet of Ada"
    for index in 0..<owners {
      let owner = context.insert(First.Owner.self)
      owner.name = index == owners - 1 ? "Ada" : "nobody"
      try context.save()
      if hasOwner { pet.owner = owner }
    }
    let shop = context.insert(First.Shop.self)
    shop.name = "shop"
    try context.save()
    fixture.container.close()
    return fixture
  }

  private func options(
    _ policy: StoreOptions.MigrationPolicy, isReadOnly: Bool = false
  ) -> StoreOptions {
    var options = StoreOptions()
    options.migrationPolicy = policy
    options.isReadOnly = isReadOnly
    return options
  }

  private func refusal(
    _ fixture: StoreFixture, _ entities: [any Entity.Type], _ options: StoreOptions = StoreOptions()
  ) -> [String] {
    do {
      try fixture.reopened(entities, options: options).close()
    } catch StoreError.incompatibleModel(_, let differences) {
      return differences
    } catch {
      Issue.record("\(error)")
    }
    return []
  }

  private func expectAdasPet(_ fixture: StoreFixture) throws {
    let container = try fixture.reopened(First.entities)
    let pet = try #require(try container.mainContext.fetch(FetchRequest<First.Pet>()).first)
    #expect(pet.owner?.name == "Ada")
    container.close()
  }

  /// Makes the file one of a version that kept no destinations.
  private func removeRecord(_ fixture: StoreFixture) throws {
    let connection = try Connection(path: fixture.url.path)
    let rows = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    _ = try rows.step()
    var list = try #require(
      try PropertyListSerialization.propertyList(from: Data(rows.blob(0)), format: nil)
        as? [String: Any])
    rows.reset()
    list["ObjectStoreDestinations"] = nil
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    data.withUnsafeBytes { update.bind(blob: $0, at: 1) }
    try update.run()
  }

  @Test(arguments: [
    (StoreOptions.MigrationPolicy.automatic, false), (.exact, false), (.refuse, false),
    (.automatic, true),
  ])
  func refusesAnotherDestination(
    _ policy: StoreOptions.MigrationPolicy, isReadOnly: Bool
  ) throws {
    let fixture = try makeFile()
    #expect(
      refusal(fixture, Swapped.entities, options(policy, isReadOnly: isReadOnly)).contains(
        "Pet.owner leads to Shop in the model and to Owner in the file, where 1 row has a value"))
    try expectAdasPet(fixture)
  }

  @Test func takesOverARelationshipWithoutValues() throws {
    let fixture = try makeFile(hasOwner: false)
    let container = try fixture.reopened(Swapped.entities)
    #expect(container.migrationSteps == [])
    let context = container.mainContext
    let pet = try #require(try context.fetch(FetchRequest<Swapped.Pet>()).first)
    pet.owner = try context.fetch(FetchRequest<Swapped.Shop>()).first
    try context.save()
    container.close()
    #expect(
      refusal(fixture, First.entities) == [
        "Pet.owner leads to Owner in the model and to Shop in the file, where 1 row has a value"
      ])
  }

  @Test func refusesAnotherDestinationOfAToMany() throws {
    let fixture = try makeFile()
    #expect(
      refusal(fixture, Many.entities).contains(
        "Pet.owner leads to Shop in the model and to Owner in the file, where 1 row has a value"))
    try expectAdasPet(fixture)
  }

  @Test func followsARenamedDestination() throws {
    let fixture = try makeFile()
    let container = try fixture.reopened(Renamed.entities)
    let pet = try #require(try container.mainContext.fetch(FetchRequest<Renamed.Pet>()).first)
    #expect(pet.owner?.name == "Ada")
    container.close()
  }

  @Test(arguments: [false, true])
  func refusesAnOlderModelThatLacksTheRenamedDestination(isWithoutRecord: Bool) throws {
    let fixture = try makeFile()
    try fixture.reopened(Renamed.entities).close()
    if isWithoutRecord { try removeRecord(fixture) }
    let differences = refusal(fixture, First.entities)
    #expect(
      differences.contains(
        isWithoutRecord
          ? "Pet.owner leads to Owner, which the file lacks, and 1 row there has a value"
          : "Pet.owner leads to Owner in the model and to Human in the file, where 1 row has a value"
      ), "\(differences)")
    let container = try fixture.reopened(Renamed.entities)
    let pet = try #require(try container.mainContext.fetch(FetchRequest<Renamed.Pet>()).first)
    #expect(pet.owner?.name == "Ada" && pet.owner?.pets.count == 1)
    container.close()
  }

  @Test func keepsTheDestinationOfARelationshipThatTheModelLacks() throws {
    let fixture = try makeFile()
    try fixture.reopened(Without.entities).close()
    #expect(
      refusal(fixture, Swapped.entities).contains(
        "Pet.owner leads to Shop in the model and to Owner in the file, where 1 row has a value"))
    try expectAdasPet(fixture)
  }

  // MARK: - Files without destinations

  @Test func theHashOfAnEntityProvesItsDestination() throws {
    let fixture = try makeFile()
    try removeRecord(fixture)
    #expect(
      refusal(fixture, Moved.entities).contains(
        "Pet.owner leads to Shop in the model and to Owner in the file, where 1 row has a value"))
    try expectAdasPet(fixture)
  }

  @Test func theKeysOfRowsProveTheirDestination() throws {
    let fixture = try makeFile(owners: 2)
    try removeRecord(fixture)
    #expect(
      refusal(fixture, Swapped.entities) == [
        "Pet.owner leads to Shop, and 1 row there has the key of none; all have keys of Owner"
      ])
    try expectAdasPet(fixture)
  }

  @Test func openingAddsDestinationsToAFileWithoutThem() throws {
    let fixture = try makeFile()
    try removeRecord(fixture)
    try fixture.reopened(First.entities).close()
    #expect(
      refusal(fixture, Swapped.entities).contains(
        "Pet.owner leads to Shop in the model and to Owner in the file, where 1 row has a value"))
  }
}
