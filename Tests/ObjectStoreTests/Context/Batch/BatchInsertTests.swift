// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import TestSupport
import Testing

@Suite struct BatchInsertTests {
  struct Shelf: Entity {
    let code = Attribute<String>("code")
    let items: ToMany<Item> = ToMany("items", inverse: \.shelf, ordered: true)
  }

  struct Item: Entity {
    let code = Attribute<Int64>("code")
    let place = Attribute<String?>("place")
    let note = Attribute<String?>("note")
    let lowerNote = Attribute<String?>("lowerNote", derivedFrom: \Self.note, \.searchNormalized)
    let shelf = ToOne<Shelf>("shelf", inverse: \.items)
    static let uniquenessConstraints: [UniquenessConstraint<Item>] = [
      UniquenessConstraint(\.code), UniquenessConstraint(\.shelf, \.place),
    ]
  }

  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  /// Items 1 and 2, at the places "a" and "b".
  init() throws {
    fixture = try StoreFixture([Shelf.self, Item.self])
    try fixture.context.batchInsert(Item.self, count: 2) { row, index in
      row.code = Int64(index + 1)
      row.place = ["a", "b"][index]
      row.note = "Old"
    }
    fixture.observer.removeAll()
  }

  private func insert(_ codes: [Int64], _ policy: BatchConflictPolicy) throws -> BatchInsertResult {
    try context.batchInsert(Item.self, count: codes.count, onConflict: policy) { row, index in
      row.code = codes[index]
      row.place = "new \(index)"
    }
  }

  @Test func declaresConstraintsAsUniqueIndexes() throws {
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE sql LIKE '%UNIQUE%' ORDER BY name") == [
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_code ON ZITEM (ZCODE COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_shelf_place ON ZITEM "
          + "(ZSHELF COLLATE BINARY ASC, ZPLACE COLLATE BINARY ASC)",
      ])
  }

  @Test func refusesAFileWithoutAConstraint() throws {
    struct Item: Entity {
      let code = Attribute<Int64>("code")
      static let uniquenessConstraints = [UniquenessConstraint<Item>(\.code)]
    }
    struct Loose: Entity {
      static var entityName: String { "Item" }
      let code = Attribute<Int64>("code")
    }
    let loose = try StoreFixture([Loose.self])
    var refusing = StoreOptions()
    refusing.migrationPolicy = .refuse
    #expect(
      throws: StoreError.incompatibleModel(
        path: loose.container.path, differences: ["no constraint UNIQUE (ZCODE) of ZITEM"])
    ) { try loose.reopened([Item.self], options: refusing) }
    #expect(try loose.reopened([Item.self]).migrationSteps == ["made (ZCODE) of ZITEM unique"])
  }

  @Test func insertsNothingWhereOneRowFails() throws {
    #expect(throws: StoreError.self) { try insert([3, 2], .fail) }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZITEM") == ["2"])
    #expect(try insert([3, 4], .fail).objectIDs.map(\.primaryKey) == [3, 4])
  }

  @Test func leavesOutRowsThatAConstraintForbids() throws {
    let result = try insert([3, 2, 4], .ignore)
    #expect(result.count == 2)
    #expect(
      fixture.observer.sql.contains {
        $0.hasPrefix("INSERT OR IGNORE INTO ZITEM(Z_PK, ") && $0.hasSuffix(" RETURNING Z_PK")
      })
    #expect(
      try fixture.rows("SELECT ZCODE, ZPLACE, Z_OPT FROM ZITEM ORDER BY ZCODE")
        == ["1|a|1", "2|b|1", "3|new 0|1", "4|new 2|1"])
    let items = try result.objects(in: context).map { try $0.value(forKey: "code") }
    #expect(items == [.integer(3), .integer(4)])
    guard case .saveEnd(let end)? = fixture.observer.events.last(where: { $0.kind == .saveEnd })
    else {
      Issue.record("no save")
      return
    }
    #expect(end.inserted == 2)
  }

  @Test func updatesTheSetAttributesOfExistingRows() throws {
    let result = try insert([3, 2], .update)
    #expect(result.objectIDs.map(\.primaryKey) == [3, 2])
    #expect(
      fixture.observer.sql.contains {
        $0.contains(" ON CONFLICT(ZCODE) DO UPDATE SET Z_OPT = Z_OPT + 1, ZLOWERNOTE = iif(?")
      })
    #expect(
      try fixture.rows("SELECT ZCODE, ZPLACE, ZNOTE, ZLOWERNOTE, Z_OPT FROM ZITEM ORDER BY ZCODE")
        == ["1|a|Old|old|1", "2|new 1|Old|old|2", "3|new 0|NULL|NULL|1"])
  }

  @Test func updatesByAConstraintOfSeveralProperties() throws {
    let shelf = context.insert(Shelf.self)
    shelf.code = "s"
    try context.save()
    for (code, note) in [(7, "First"), (8, "Second")] {
      try context.batchInsert(
        entityNamed: "Item",
        [
          [
            "code": .integer(Int64(code)), "place": .string("p"), "note": .string(note),
            "shelf": .object(shelf.objectID),
          ]
        ], onConflict: .update)
    }
    #expect(
      try fixture.rows("SELECT ZCODE, ZLOWERNOTE, Z_OPT FROM ZITEM WHERE ZSHELF = 1")
        == ["8|second|2"])
  }

  @Test func insertsByName() throws {
    let result = try context.batchInsert(
      entityNamed: "Item",
      [["code": .integer(9), "note": .string("Ünter")], ["code": .integer(10)]])
    #expect(result.objectID(at: 1).primaryKey == 4)
    #expect(
      try fixture.rows("SELECT ZCODE, ZLOWERNOTE FROM ZITEM WHERE ZCODE > 8")
        == ["9|unter", "10|NULL"])
    #expect(throws: StoreError.unknownEntity("Itme")) {
      try context.batchInsert(entityNamed: "Itme", [])
    }
    #expect(throws: StoreError.unknownProperty("cod", entity: "Item", nearest: "code")) {
      try context.batchInsert(entityNamed: "Item", [["cod": .integer(1)]])
    }
    #expect(throws: StoreError.wrongType(property: "code", entity: "Item", expected: "int64")) {
      try context.batchInsert(entityNamed: "Item", [["code": .string("1")]])
    }
    #expect(throws: StoreError.self) {
      try context.batchInsert(entityNamed: "Item", [["note": .string("no code")]])
    }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZITEM") == ["4"])
  }
}
