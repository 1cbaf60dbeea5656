// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// A change of a relationship, in a store that the first model made and filled.
struct RelatedChange: CustomTestStringConvertible, Sendable {
  let name: String
  let old: String
  let new: String
  /// Lines of the dump; empty where the second model is refused.
  var expected: [String] = []
  /// The members of `Owner.pets`, or of the other names, by owner: numbers of pets in order.
  var members = [[3, 1], [2]]

  var testDescription: String { name }

  private static let pets = "Owner: pets ->> Pet #; name String\nPet: name String"
  private static let owned =
    "Owner: pets ->> Pet/owner #; name String\nPet: owner -> Owner/pets; name String"
  private static let kept = ["Owner/1 name=1 pets=[3, 1]", "Owner/2 name=2 pets=[2]"]

  static let all = [
    RelatedChange(
      name: "a to-many gains an inverse", old: pets, new: owned,
      expected: kept + ["Pet/1 name=1 owner=Owner/1", "Pet/2 name=2 owner=Owner/2"]),
    RelatedChange(
      name: "a to-many without an inverse is renamed", old: pets,
      new: "Owner: animals ->> Pet # <pets; name String\nPet: name String",
      expected: ["Owner/1 animals=[3, 1] name=1"]),
    RelatedChange(
      name: "a to-many gains an inverse, and is renamed", old: pets,
      new: "Owner: animals ->> Pet/owner # <pets; name String\n"
        + "Pet: owner -> Owner/animals; name String",
      expected: ["Owner/1 animals=[3, 1] name=1", "Pet/2 name=2 owner=Owner/2"]),
    RelatedChange(
      name: "a pair loses its to-one end", old: owned, new: pets, expected: kept),
    RelatedChange(
      name: "a pair becomes two relationships", old: owned,
      new: "Owner: pets ->> Pet #; name String\nPet: owner -> Owner; name String",
      expected: kept + ["Pet/1 name=1 owner=Owner/1", "Pet/2 name=2 owner=Owner/2"]),
    RelatedChange(
      name: "the to-one end is another one", old: owned,
      new: "Owner: pets ->> Pet/keeper #; name String\nPet: keeper -> Owner/pets; name String",
      expected: kept + ["Pet/3 keeper=Owner/1 name=3"]),
    RelatedChange(
      name: "a to-many becomes a to-one",
      old: "Owner: pets ->> Pet; name String\nPet: name String",
      new: "Owner: pets -> Pet; name String\nPet: name String",
      expected: ["Owner/1 name=1 pets=Pet/3", "Owner/2 name=2 pets=Pet/2"], members: [[3], [2]]),
    RelatedChange(
      name: "a to-many with several members becomes a to-one",
      old: "Owner: pets ->> Pet; name String\nPet: name String",
      new: "Owner: pets -> Pet; name String\nPet: name String"),
    RelatedChange(
      name: "a to-one becomes a to-many",
      old: "Owner: pets -> Pet; name String\nPet: name String",
      new: "Owner: pets ->> Pet; name String\nPet: name String",
      expected: ["Owner/1 name=1 pets=[3]", "Owner/2 name=2 pets=[2]"], members: [[3], [2]]),
    RelatedChange(
      name: "the inverse of an ordered to-many becomes a to-many", old: owned,
      new: "Owner: pets ->> Pet/owner #; name String\nPet: owner ->> Owner/pets; name String",
      expected: kept + ["Pet/1 name=1 owner=[1]"]),
    RelatedChange(
      name: "a to-many without an inverse gains a to-many", old: pets,
      new: "Owner: pets ->> Pet/owners #; name String\nPet: owners ->> Owner/pets; name String",
      expected: kept + ["Pet/2 name=2 owners=[2]"]),
    RelatedChange(
      name: "a to-many without an inverse moves to the parent",
      old: "Base: name String\nOwner ^Base: pets ->> Pet #\nPet: name String",
      new: "Base: pets ->> Pet #; name String\nOwner ^Base: note String\nPet: name String",
      expected: ["Owner/1 name=1 note=nil pets=[3, 1]"]),
    RelatedChange(
      name: "a many-to-many moves to a new parent",
      old: "Owner: pets ->> Pet/owners #; name String\nPet: owners ->> Owner/pets; name String",
      new: "Base: pets ->> Pet/owners #; name String\nOwner ^Base: note String\n"
        + "Pet: owners ->> Base/pets; name String",
      expected: ["Owner/1 name=1 note=nil pets=[3, 1]", "Pet/2 name=2 owners=[2]"]),
    RelatedChange(
      name: "two pairs exchange their ends",
      old: "Owner: pets ->> Pet/owner; cats ->> Pet/friend; name String\n"
        + "Pet: owner -> Owner/pets; friend -> Owner/cats; name String",
      new: "Owner: pets ->> Pet/friend; cats ->> Pet/owner; name String\n"
        + "Pet: friend -> Owner/pets; owner -> Owner/cats; name String",
      expected: [
        "Owner/1 cats=[1, 3] name=1 pets=[1, 3]", "Pet/1 friend=Owner/1 name=1 owner=Owner/1",
      ]),
    RelatedChange(
      name: "two to-ones become each other's inverses",
      old: "Owner: pets -> Pet; name String\nPet: owner -> Owner; name String",
      new: "Owner: pets -> Pet/owner; name String\nPet: owner -> Owner/pets; name String",
      expected: ["Owner/1 name=1 pets=Pet/3", "Pet/3 name=3 owner=Owner/1"], members: [[3], [2]]),
    RelatedChange(
      name: "a to-one of two objects to a third gains a to-one as its inverse",
      old: "Owner: pets -> Pet; name String\nPet: owner -> Owner; name String",
      new: "Owner: pets -> Pet/owner; name String\nPet: owner -> Owner/pets; name String",
      members: [[3], [3]]),
    RelatedChange(
      name: "members of another kind",
      old: "Owner: pets ->> Base #; name String\nBase: name String\nPet ^Base: note String\n"
        + "Dog ^Base: text String",
      new: "Owner: pets ->> Dog #; name String\nBase: name String\nPet ^Base: note String\n"
        + "Dog ^Base: text String"),
  ]
}

/// Relationships keep their members, by name and in their order, whatever the model makes of them.
@Suite struct RelatedMigrationTests {
  private func fill(_ url: URL, _ model: ManagedObjectModel, _ members: [[Int]]) throws {
    let container = try PersistentContainer(at: url, model: model, options: StoreOptions())
    let context = container.newBackgroundContext()
    func objects(_ entity: String, _ count: Int) throws -> [AnyManagedObject] {
      try (1...count).map { number in
        let object = try context.insert(entityNamed: entity)
        try object.setValue(.string("\(number)"), forKey: "name")
        return object
      }
    }
    let pets = try objects("Pet", 3)
    try context.save()
    let owners = try objects("Owner", members.count)
    for (owner, numbers) in zip(owners, members) {
      let members = numbers.map { pets[$0 - 1] }
      if owner.entity.relationship(named: "pets")?.isToMany == true {
        try owner.setValue(members, forKey: "pets")
      } else {
        try owner.setValue(.object(members[0].objectID), forKey: "pets")
      }
    }
    try context.save()
    container.close()
  }

  @Test(arguments: RelatedChange.all, [StoreOptions.MigrationPolicy.automatic, .exact])
  func keepsMembersAndTheirOrder(
    change: RelatedChange, policy: StoreOptions.MigrationPolicy
  ) throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    let (old, new) = (
      try ModelText(change.old).model(in: folder), try ModelText(change.new).model(in: folder)
    )
    try fill(url, old, change.members)
    var options = StoreOptions()
    options.migrationPolicy = policy
    do {
      let container = try PersistentContainer(at: url, model: new, options: options)
      let found = try dump(container)
      #expect(!change.expected.isEmpty, "\(found) \(container.migrationSteps)")
      for line in change.expected { #expect(found.contains(line), "\(found)") }
      container.close()
      let again = try PersistentContainer(at: url, model: new, options: options)
      #expect(again.migrationSteps.isEmpty)
      #expect(try dump(again) == found)
    } catch StoreError.incompatibleModel(_, let differences) {
      #expect(change.expected.isEmpty, "\(differences)")
      let container = try PersistentContainer(at: url, model: old, options: StoreOptions())
      #expect(container.migrationSteps.isEmpty)
    }
  }

  /// No member is lost here, but a relationship has objects that the program never put in.
  @Test(arguments: [StoreOptions.MigrationPolicy.automatic, .exact])
  func aStepNamesTheRelationshipThatGainsObjects(policy: StoreOptions.MigrationPolicy) throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    let old = try ModelText(
      "Owner: name String; pets ->> Pet\nPet: name String; owner -> Owner"
    ).model(in: folder)
    let first = try PersistentContainer(at: url, model: old, options: StoreOptions())
    let context = first.newBackgroundContext()
    let (owner, pet) = (
      try context.insert(entityNamed: "Owner"), try context.insert(entityNamed: "Pet")
    )
    try pet.setValue(.object(owner.objectID), forKey: "owner")
    try context.save()
    first.close()
    let new = try ModelText(
      "Owner: name String; pets ->> Pet/owner\nPet: name String; owner -> Owner/pets"
    ).model(in: folder)
    var options = StoreOptions()
    options.migrationPolicy = policy
    let container = try PersistentContainer(at: url, model: new, options: options)
    #expect(
      container.migrationSteps.first
        == "Owner.pets has the objects of its new inverse Pet.owner")
    #expect(try dump(container).contains("Owner/1 name=nil pets=[1]"))
    container.close()
    let again = try PersistentContainer(at: url, model: new, options: options)
    #expect(again.migrationSteps.isEmpty)
  }

  /// Core Data's files do not show which model they were made with.
  @Test func migrationOfACoreDataFileKeepsRelationships() throws {
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    let file = try CoreDataFile(
      ["Owner", "Pet"],
      """
      CREATE TABLE ZOWNER (\(head), ZFAVORITE INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZPET (\(head), Z1PETS INTEGER, Z_FOK_1PETS INTEGER, ZNAME VARCHAR);
      INSERT INTO ZOWNER VALUES (1, 1, 1, 2, 'o');
      INSERT INTO ZPET VALUES (1, 2, 1, 1, 2048, 'p'), (2, 2, 1, 1, 1024, 'q');
      """)
    let container = try file.open(
      ModelText(
        "Owner: favorite ->> Pet; animals ->> Pet/owner # <pets; name String\n"
          + "Pet: owner -> Owner/animals; name String"
      ).model(in: file.folder))
    #expect(
      try dump(container) == [
        "Owner/1 animals=[2, 1] favorite=[2] name=o", "Pet/1 name=p owner=Owner/1",
        "Pet/2 name=q owner=Owner/1",
      ])
    #expect(container.migrationSteps.contains("renamed ZPET.Z1PETS to ZOWNER"))
    #expect(container.migrationSteps.contains("moved Owner.favorite from ZOWNER.ZFAVORITE"))
  }
  /// The column of a to-one that the model lacks may be that of a to-many, by its index and its keys.
  @Test func aToOneOfCoreDataThatTheModelLacksIsAnObstacle() throws {
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    let file = try CoreDataFile(
      ["Owner", "Pet"],
      """
      CREATE TABLE ZOWNER (\(head), ZNAME VARCHAR);
      CREATE TABLE ZPET (\(head), ZRANK INTEGER, ZOWNER INTEGER, ZNAME VARCHAR);
      CREATE INDEX ZPET_ZOWNER_INDEX ON ZPET (ZOWNER);
      INSERT INTO ZOWNER VALUES (1, 1, 1, 'o'); INSERT INTO ZPET VALUES (1, 2, 1, 1, 1, 'p');
      """)
    #expect(
      throws: StoreError.incompatibleModel(
        path: file.url.path,
        differences: [
          "Owner.pets may be kept in the column ZPET.ZOWNER", "no column ZPET.Z1PETS",
        ])
    ) {
      try file.open(
        ModelText("Owner: pets ->> Pet; name String\nPet: rank Int64; name String")
          .model(in: file.folder))
    }
  }
}
