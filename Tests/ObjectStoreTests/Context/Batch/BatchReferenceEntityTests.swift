// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport
import Testing

@Suite struct BatchReferenceEntityTests {
  struct Animal: Entity {
    let name = Attribute<String?>("name")
    let kennel: ToOne<Kennel> = ToOne("kennel", inverse: \.guest)
  }

  struct Dog: Entity {
    typealias Parent = Animal
  }

  struct Kennel: Entity {
    let code = Attribute<Int64>("code")
    let guest = ToOne<Animal>("guest", inverse: \.kennel)
    static let uniquenessConstraints = [UniquenessConstraint<Kennel>(\.code)]
  }

  /// Beside the key of an object whose entity has subentities, Core Data keeps its entity.
  @Test func anUpsertChangesTheEntityOfAReferenceWithItsKey() throws {
    let fixture = try StoreFixture([Animal.self, Dog.self, Kennel.self])
    let context = fixture.context
    let (animal, dog) = (context.insert(Animal.self), context.insert(Dog.self))
    try context.save()
    var rows: [String] = []
    for guest in [animal.objectID, dog.objectID, nil] {
      try context.batchInsert(Kennel.self, count: 1, onConflict: .update) { row, _ in
        row.code = 1
        row.guest = guest
      }
      rows += try fixture.rows("SELECT ZGUEST, Z1_GUEST FROM ZKENNEL")
    }
    #expect(rows == ["1|1", "2|2", "NULL|NULL"])
  }

  @Test func aBatchDeletionLeavesNoEntityOfAReferenceThatItEmpties() throws {
    let fixture = try StoreFixture([Animal.self, Dog.self, Kennel.self])
    let context = fixture.context
    let (dog, kennel) = (context.insert(Dog.self), context.insert(Kennel.self))
    kennel.code = 1
    kennel.guest = dog.as(Animal.self)
    try context.save()
    #expect(try fixture.rows("SELECT ZGUEST, Z1_GUEST FROM ZKENNEL") == ["1|2"])
    try context.execute(BatchDeleteRequest(FetchRequest<Dog>()))
    #expect(try fixture.rows("SELECT ZGUEST, Z1_GUEST FROM ZKENNEL") == ["NULL|NULL"])
  }
}
