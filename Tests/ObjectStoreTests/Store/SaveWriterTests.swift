// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import Testing

@testable import ObjectStore

/// Plans that are written without a context or an object.
@Suite struct SaveWriterTests {
  private let fixture: StoreFixture
  private let store: PersistentStore
  private let stop: EntityDescription
  private let stopTime: EntityDescription

  init() throws {
    fixture = try StoreFixture()
    store = fixture.container.store
    stop = try #require(store.model.entity(named: "Stop"))
    stopTime = try #require(store.model.entity(named: "StopTime"))
  }

  private func write(_ plan: SavePlan) throws -> SaveOutcome {
    var operation = SaveOperation(of: store, by: SaveOrigin(contextID: 7), location: .unknown)
    var outcome = SaveOutcome()
    try operation.run { writer in
      try writer.write(plan)
      outcome = writer.outcome
    }
    return outcome
  }

  private func row(
    _ entity: EntityDescription, _ key: Int64, _ values: [String: StoreValue],
    over snapshot: RowSnapshot? = nil
  ) -> SavePlan.Row {
    let isNew = snapshot == nil
    var changes: [StoreValue?] =
      isNew ? entity.defaultValues : entity.defaultValues.map { _ in nil }
    for (slot, name) in entity.slotNames.enumerated() {
      if let value = values[name] { changes[slot] = value }
    }
    return SavePlan.Row(entity: entity, key: key, changes: changes, snapshot: snapshot)
  }

  private func reference(_ entity: EntityDescription, _ key: Int64) -> StoreValue {
    .object(ManagedObjectID(reference: entity.reference, primaryKey: key))
  }

  private func insertion(of name: String, key: Int64 = -1) -> SavePlan.Row {
    row(stop, key, ["name": .string(name), "identifier": .integer(1)])
  }

  /// A change by another program.
  private func change(_ sql: String) throws {
    try Connection(path: fixture.url.path, mode: .readWrite).execute(sql)
  }

  /// A saved stop as a reader finds it.
  private func snapshot(_ key: Int64) throws -> RowSnapshot {
    var cost = QueryCost()
    return try #require(
      try store.row(of: stop, key, interests: [], contextID: 0, cost: &cost))
  }

  @Test func rowsReferToEachOtherByTheKeysThatTheyGet() throws {
    var plan = SavePlan()
    plan.insertions = [
      row(stopTime, -1, ["stop": reference(stop, -2)]), insertion(of: "Zoo", key: -2),
      row(stopTime, -3, ["stop": reference(stop, -2)]),
    ]
    let outcome = try write(plan)
    #expect(outcome.keys == [1, 1, 2])
    #expect(try fixture.rows("SELECT Z_PK, ZSTOP FROM ZSTOPTIME") == ["1|1", "2|1"])
    #expect(try fixture.rows("SELECT Z_PK, ZNAME, Z_OPT FROM ZSTOP") == ["1|Zoo|1"])
  }

  @Test func aReferenceToARowThatThePlanDoesNotInsertIsNULL() throws {
    var plan = SavePlan()
    plan.insertions = [row(stopTime, -1, ["stop": reference(stop, -9)])]
    _ = try write(plan)
    #expect(try fixture.rows("SELECT Z_PK, ZSTOP FROM ZSTOPTIME") == ["1|NULL"])
  }

  @Test func membersGetPositionsWithGapsAndKeepOrderedOnes() throws {
    var plan = SavePlan()
    plan.insertions =
      [insertion(of: "Zoo")] + (2...4).map { row(stopTime, -$0, ["stop": reference(stop, -1)]) }
    func member(_ key: Int64, _ orderKey: Int64?) -> SavePlan.Order.Member {
      .init(
        entity: stopTime, id: .init(table: stopTime.index, key: key), isInserted: orderKey == nil,
        orderKey: orderKey)
    }
    let order = SavePlan.Order(
      relationship: try #require(stop.relationship(named: "stopTimes")),
      members: [member(-4, nil), member(-2, nil), member(-3, nil)], isAppended: false)
    plan.links = [
      SavePlan.Links(
        entity: stop, owner: .init(table: stop.index, key: -1), properties: ["stopTimes"],
        orders: [order])
    ]
    let outcome = try write(plan)
    #expect(outcome.orderKeys == [[[3072, 3073, 3074]]])
    #expect(
      try fixture.rows("SELECT Z_PK, Z_FOK_STOP FROM ZSTOPTIME ORDER BY Z_FOK_STOP")
        == ["3|3072", "1|3073", "2|3074"])
  }

  @Test func aPlanThatFailsWritesNothingOfItsRows() throws {
    var plan = SavePlan()
    plan.insertions = [insertion(of: "Zoo")]
    _ = try write(plan)
    let old = try snapshot(1)
    try change("UPDATE ZSTOP SET ZNOTE = 'other', Z_OPT = 2")
    plan.insertions = [insertion(of: "Park")]
    plan.updates = [row(stop, 1, ["name": .string("Tiergarten")], over: old)]
    #expect { try write(plan) } throws: { error in
      guard case StoreError.conflict(let conflicts) = error else { return false }
      return conflicts.map(\.conflictingProperties) == [[]]
        && conflicts.map(\.newVersion) == [2]
    }
    #expect(try fixture.rows("SELECT Z_PK, ZNAME, ZNOTE, Z_OPT FROM ZSTOP") == ["1|Zoo|other|2"])
  }

  @Test(arguments: [
    (MergePolicy.storeTrump, "Park|other|3"), (.objectTrump, "Park|mine|3"),
    (.overwrite, "Park|mine|3"), (.rollback, "Zoo|other|2"),
  ])
  func aConflictIsResolvedByThePolicyOfThePlan(policy: MergePolicy, row written: String) throws {
    var plan = SavePlan(mergePolicy: policy)
    plan.insertions = [insertion(of: "Zoo")]
    _ = try write(plan)
    let old = try snapshot(1)
    try change("UPDATE ZSTOP SET ZNOTE = 'other', Z_OPT = 2")
    plan.insertions = []
    plan.updates = [
      row(stop, 1, ["name": .string("Park"), "note": .string("mine")], over: old)
    ]
    let outcome = try write(plan)
    #expect(try fixture.rows("SELECT ZNAME, ZNOTE, Z_OPT FROM ZSTOP") == [written])
    #expect(outcome.resolutions.map(\.key) == [SavePlan.RowID(table: stop.index, key: 1)])
  }

  @Test func aDeletionOfANewerRowIsKeptByStoreTrump() throws {
    var plan = SavePlan(mergePolicy: .storeTrump)
    plan.insertions = [insertion(of: "Zoo")]
    _ = try write(plan)
    let old = try snapshot(1)
    try change("UPDATE ZSTOP SET ZNOTE = 'other', Z_OPT = 2")
    plan.insertions = []
    plan.deletions = [row(stop, 1, [:], over: old)]
    let outcome = try write(plan)
    #expect(try fixture.rows("SELECT ZNAME, Z_OPT FROM ZSTOP") == ["Zoo|2"])
    guard case .kept(let row)? = outcome.resolutions.values.first else {
      Issue.record("the deletion was not resolved")
      return
    }
    #expect(row.version == 2)
  }
}
