// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct BatchUpdateTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  /// Two stops, of which the first has three stop times.
  init() throws {
    fixture = try StoreFixture()
    fixture.makeStop("a", identifier: 1, stopTimes: 3).longitude = 1
    fixture.makeStop("b", identifier: 2).longitude = 2
    try fixture.context.save()
    fixture.observer.removeAll()
  }

  @Test func updatesInOneStatement() throws {
    var update = BatchUpdateRequest<Stop>(where: { $0.longitude > 1 })
    update.set(\.note, to: "east")
    update.set(\.latitude, to: 5)
    let result = try context.execute(update)
    #expect(result.count == 1 && result.objectIDs == [])
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE",
        "UPDATE ZSTOP SET ZNOTE = ?, ZLATITUDE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK IN "
          + "(SELECT t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZLONGITUDE > ?)",
        "COMMIT",
      ])
    #expect(
      try fixture.rows("SELECT Z_PK, Z_OPT, ZNOTE, ZLATITUDE FROM ZSTOP")
        == ["1|1|NULL|0.0", "2|2|east|5.0"])
  }

  @Test func returnsTheIDsWhereTheyAreWanted() throws {
    var update = BatchUpdateRequest<StopTime>(predicate: try FetchPredicate("stop.name == 'a'"))
    update.set("headsign", to: .null)
    update.resultType = .objectIDs
    let result = try context.execute(update)
    #expect(result.count == 3)
    #expect(result.objectIDs.map(\.primaryKey).sorted() == [1, 2, 3])
    #expect(fixture.observer.sql[1].hasSuffix(" WHERE  t1.ZNAME = ?) RETURNING Z_PK"))
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME WHERE ZHEADSIGN IS NULL") == ["3"])
  }

  @Test func movesMembersBehindExistingOnes() throws {
    let stop = try #require(
      try context.fetch(FetchRequest<Stop>(where: { $0.identifier == 2 })).first)
    var update = BatchUpdateRequest<StopTime>()
    update.set(\.stop, to: stop.objectID)
    #expect(try context.execute(update).count == 3)
    #expect(
      try fixture.rows("SELECT ZSTOP, Z_FOK_STOP FROM ZSTOPTIME")
        == ["2|1024", "2|2048", "2|3072"])
    update.set(\.stop, to: nil)
    try context.execute(update)
    #expect(try fixture.rows("SELECT DISTINCT ZSTOP, Z_FOK_STOP FROM ZSTOPTIME") == ["NULL|NULL"])
  }

  @Test func reportsOfItAsOfASave() throws {
    var update = BatchUpdateRequest<Stop>()
    update.set(\.note, to: "x")
    try context.execute(update, file: "f", line: 3)
    let ends = fixture.observer.events.compactMap { event -> SaveEnd? in
      if case .saveEnd(let end) = event { end } else { nil }
    }
    #expect(ends.map(\.updated) == [2] && ends.map(\.inserted) == [0])
    #expect(ends.map(\.statements) == [3] && ends.map(\.location.line) == [3])
    #expect(fixture.observer.events.contains { $0.kind == .transaction })
    #expect(
      fixture.observer.plans["UPDATE ZSTOP SET ZNOTE = ?, Z_OPT = Z_OPT + 1"]?.map(\.isTableScan)
        == [true])
  }

  @Test func makesASaveOfObjectsReadBeforeAConflict() throws {
    let stop = try #require(try context.fetch(FetchRequest<Stop>()).first)
    stop.note = "mine"
    var update = BatchUpdateRequest<Stop>()
    update.set(\.note, to: "batch")
    try context.execute(update)
    let error = #expect(throws: StoreError.self) { try context.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.objectID) == [stop.objectID])
    #expect(conflicts[0].conflictingProperties == ["note"])
    #expect(stop.note == "mine")
  }

  @Test func refusesWhatDoesNotFit() throws {
    var update = BatchUpdateRequest<Stop>()
    #expect(try context.execute(update).count == 0)
    update.set("nmae", to: .string("x"))
    #expect(throws: StoreError.unknownProperty("nmae", entity: "Stop", nearest: "name")) {
      try context.execute(update)
    }
    update = BatchUpdateRequest()
    update.set("name", to: .integer(1))
    #expect(throws: StoreError.wrongType(property: "name", entity: "Stop", expected: "string")) {
      try context.execute(update)
    }
    var times = BatchUpdateRequest<StopTime>()
    times.set("stop", to: .object(context.insert(Stop.self).objectID))
    #expect(throws: StoreError.self) { try context.execute(times) }
    #expect(fixture.observer.sql == [])
  }
}
