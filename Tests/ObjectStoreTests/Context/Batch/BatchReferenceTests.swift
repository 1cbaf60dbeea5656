// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport
import Testing

/// The ids that a batch is given: of rows that exist, in this store.
@Suite struct BatchReferenceTests {
  private let fixture: StoreFixture
  private let other: StoreFixture
  private let gone: ManagedObjectID
  private let foreign: ManagedObjectID

  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture()
    other = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 1)
    let second = fixture.makeStop("B")
    try fixture.context.save()
    gone = second.objectID
    fixture.context.delete(second)
    try fixture.context.save()
    let same = other.makeStop("C", stopTimes: 1)
    try other.context.save()
    foreign = same.objectID
    #expect(foreign.primaryKey == stop.objectID.primaryKey)
  }

  private func relatedTimes() throws -> [String] {
    try fixture.rows("SELECT ZSTOP FROM ZSTOPTIME ORDER BY Z_PK")
  }

  @Test func aBatchInsertRefusesADeletedObject() throws {
    let gone = gone
    #expect(throws: StoreError.objectGone(gone)) {
      try context.batchInsert(StopTime.self, count: 2) { row, _ in row.stop = gone }
    }
    #expect(throws: StoreError.objectGone(gone)) {
      try context.batchInsert(entityNamed: "StopTime", [["stop": .object(gone)]])
    }
    #expect(try relatedTimes() == ["1"])
  }

  @Test func aBatchInsertRefusesAnObjectOfAnotherStoreOrEntity() throws {
    let foreign = foreign
    #expect(throws: StoreError.foreignObject(foreign)) {
      try context.batchInsert(StopTime.self, count: 2) { row, _ in row.stop = foreign }
    }
    #expect(throws: StoreError.foreignObject(foreign)) {
      try context.batchInsert(entityNamed: "StopTime", [["stop": .object(foreign)]])
    }
    let time = try #require(try context.fetch(FetchRequest<StopTime>()).first).objectID
    #expect(throws: StoreError.self) {
      try context.batchInsert(StopTime.self, count: 1) { row, _ in row.stop = time }
    }
    #expect(try relatedTimes() == ["1"])
  }

  @Test func batchUpdateRefusesIDsOfDeletedAndForeignObjects() throws {
    var update = BatchUpdateRequest<StopTime>()
    update.set(\.stop, to: gone)
    #expect(throws: StoreError.objectGone(gone)) { try context.execute(update) }
    update.set(\.stop, to: foreign)
    #expect(throws: StoreError.foreignObject(foreign)) { try context.execute(update) }
    #expect(try relatedTimes() == ["1"])
  }

  @Test func aBatchDeletionRefusesIDsOfAnotherStore() throws {
    #expect(throws: StoreError.foreignObject(foreign)) {
      try context.execute(BatchDeleteRequest<Stop>(objectIDs: [foreign]))
    }
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
  }

  @Test func aPredicateRefusesAnObjectOfAnotherStore() throws {
    for format in ["SELF == %@", "SELF IN {%@}", "ANY stopTimes.stop == %@"] {
      let predicate = try FetchPredicate(format: format, arguments: [foreign])
      let error = #expect(throws: FetchPredicateError.self) {
        try context.fetch(FetchRequest<Stop>(predicate: predicate))
      }
      #expect("\(String(describing: error))".contains("an object of Stop of the same store"))
    }
  }

  @Test func rowsOfABatchShareTheirObjects() throws {
    let stop = try #require(try context.fetch(FetchRequest<Stop>()).first).objectID
    let count = try context.batchInsert(StopTime.self, count: 3) { row, index in
      row.stop = index == 1 ? nil : stop
    }.count
    #expect(count == 3)
    #expect(try relatedTimes() == ["1", "1", "NULL", "1"])
  }
}
