// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

private struct Twice: Entity {
  let a = Attribute<Int>("name")
  let b = Attribute<String>("name")
}

private struct Clash: Entity {
  let a = Attribute<Int>("name")
  let b = Attribute<String>("Name")
}

private struct BadName: Entity {
  let a = Attribute<Int>("x); DROP TABLE ZSTOP; --")
}

private struct Left: Entity {
  let right = ToOne<Right>("right", inverse: \Right.name)
}

private struct Right: Entity {
  let name = Attribute<String>("name")
}

private struct Nothing: Entity {}

@Suite struct ManagedObjectModelTests {
  @Test func refusesANameThatIsDeclaredTwice() {
    #expect(throws: ModelError.duplicateProperty("name", entity: "Twice")) {
      try ManagedObjectModel(entities: [Twice.self])
    }
    #expect(throws: ModelError.duplicateEntity("Stop")) {
      try ManagedObjectModel(entities: [Stop.self, StopTime.self, Stop.self])
    }
  }

  @Test func numbersColumnsThatWouldClash() throws {
    let entity = try #require(
      try ManagedObjectModel(entities: [Clash.self]).entity(named: "Clash"))
    #expect(entity.attributes.map(\.column) == ["ZNAME", "ZNAME1"])
  }

  @Test func refusesANameThatIsNotOne() {
    #expect(throws: ModelError.invalidName("x); DROP TABLE ZSTOP; --", entity: "BadName")) {
      try ManagedObjectModel(entities: [BadName.self])
    }
  }

  @Test func keepsObjectsOfAnEntityWithoutProperties() throws {
    let fixture = try StoreFixture([Nothing.self])
    _ = fixture.context.insert(Nothing.self)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT * FROM ZNOTHING") == ["1|1|1"])
    let found = try fixture.container.newBackgroundContext().fetch(FetchRequest<Nothing>())
    #expect(found.count == 1)
  }

  @Test func reportsAllErrorsAtOnce() {
    #expect(
      throws: ModelError.several([
        .duplicateProperty("name", entity: "Twice"),
        .invalidName("x); DROP TABLE ZSTOP; --", entity: "BadName"),
      ])
    ) { try ManagedObjectModel(entities: [Twice.self, BadName.self]) }
    #expect(
      throws: ModelError.several(
        [
          .missingDestination("StopTime", relationship: "stopTimes", entity: "Stop"),
          .missingDestination("Right", relationship: "right", entity: "Left"),
        ].sorted { "\($0)" < "\($1)" })
    ) { try ManagedObjectModel(entities: [Stop.self, Left.self]) }
  }

  @Test func refusesAMissingDestinationAndAnInverseThatIsNone() {
    #expect(
      throws: ModelError.missingDestination("StopTime", relationship: "stopTimes", entity: "Stop")
    ) { try ManagedObjectModel(entities: [Stop.self]) }
    #expect(
      throws: ModelError.mismatchedInverse(relationship: "right", entity: "Left", found: nil)
    ) { try ManagedObjectModel(entities: [Left.self, Right.self]) }
  }

  @Test func namesColumnsAndIndexesAsCoreDataDoes() throws {
    let model = try ManagedObjectModel(entities: [StopTime.self, Stop.self])
    #expect(model.entities.map(\.name) == ["Stop", "StopTime"])
    let stop = try #require(model.entity(named: "Stop"))
    #expect(stop.indexes.map(\.name) == ["ZSTOP_ZLONGITUDE_ZLATITUDE"])
    let stopTime = try #require(model.entity(named: "StopTime"))
    #expect(stopTime.columns == ["ZDEPARTURETIME", "ZHEADSIGN", "ZSTOP"])
    #expect(
      stop.relationship(named: "stopTimes")?.storage
        == .inverseColumn("ZSTOP", order: "Z_FOK_STOP"))
  }
}
