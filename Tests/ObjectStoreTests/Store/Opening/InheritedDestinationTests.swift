// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// The owner of a pet is any animal.
private enum Wide {
  struct Animal: Entity {
    static let entityName = "Animal"
    let name = Attribute<String>("name")
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Dog: Entity {
    typealias Parent = Animal
    static let entityName = "Dog"
    let bark = Attribute<String?>("bark")
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToOne<Animal> = ToOne("owner", inverse: \.pets)
  }

  static var entities: [any Entity.Type] { [Animal.self, Dog.self, Pet.self] }
}

/// The owner of a pet is a dog.
private enum Narrow {
  struct Animal: Entity {
    static let entityName = "Animal"
    let name = Attribute<String>("name")
  }

  struct Dog: Entity {
    typealias Parent = Animal
    static let entityName = "Dog"
    let bark = Attribute<String?>("bark")
    let pets: ToMany<Pet> = ToMany("pets", inverse: \.owner)
  }

  struct Pet: Entity {
    static let entityName = "Pet"
    let name = Attribute<String>("name")
    let owner: ToOne<Dog> = ToOne("owner", inverse: \.pets)
  }

  static var entities: [any Entity.Type] { [Animal.self, Dog.self, Pet.self] }
}

@Suite struct InheritedDestinationTests {
  @Test func aParentTakesOverTheRelationship() throws {
    let fixture = try StoreFixture(Narrow.entities)
    let dog = fixture.context.insert(Narrow.Dog.self)
    dog.name = "Rex"
    let pet = fixture.context.insert(Narrow.Pet.self)
    pet.name = "flea"
    pet.owner = dog
    try fixture.context.save()
    fixture.container.close()
    let container = try fixture.reopened(Wide.entities)
    let found = try #require(try container.mainContext.fetch(FetchRequest<Wide.Pet>()).first)
    #expect(found.owner?.name == "Rex" && found.owner?.pets.count == 1)
    container.close()
  }

  @Test(arguments: [true, false])
  func subentityIsAcceptedAsDestinationIfAllRowsBelongToIt(isDog: Bool) throws {
    let fixture = try StoreFixture(Wide.entities)
    let context = fixture.context
    let pet = context.insert(Wide.Pet.self)
    pet.name = "flea"
    if isDog {
      let dog = context.insert(Wide.Dog.self)
      dog.name = "Rex"
      pet.owner = dog.as(Wide.Animal.self)
    } else {
      let animal = context.insert(Wide.Animal.self)
      animal.name = "Rex"
      pet.owner = animal
    }
    try context.save()
    fixture.container.close()
    do {
      let container = try fixture.reopened(Narrow.entities)
      let found = try #require(try container.mainContext.fetch(FetchRequest<Narrow.Pet>()).first)
      #expect(isDog && found.owner?.name == "Rex")
      container.close()
    } catch StoreError.incompatibleModel(_, let differences) {
      #expect(!isDog)
      #expect(
        differences.contains(
          "Pet.owner leads to Dog in the model, and 1 row leads to an object that is none"))
    }
  }
}
