// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct SaveTests {
  @Test func insertsInOneTransactionWithCoreDatasStatements() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("Am Treptower Park", identifier: 7)
    fixture.observer.removeAll()
    try fixture.context.save()
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE",
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
        "INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME, ZNOTE) "
          + "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        "COMMIT",
      ])
    #expect(
      fixture.observer.bindings[3] == [
        .integer(1), .integer(1), .integer(1), .integer(7), .real(0), .real(0),
        .text("Am Treptower Park"), .null,
      ])
    #expect(try fixture.rows("SELECT * FROM ZSTOP") == ["1|1|1|7|0.0|0.0|Am Treptower Park|NULL"])
    #expect(try fixture.rows("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["1", "0"])
    #expect(stop.objectID.uri == "x-coredata://\(fixture.container.storeUUID)/Stop/p1")
    #expect(!stop.hasChanges && !stop.isFault && !fixture.context.hasChanges)
    #expect(stop.name == "Am Treptower Park")
    #expect(fixture.container.statistics.saves == 1)
  }

  @Test func updatesOnlyWhatChangedAndRaisesTheVersion() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", identifier: 7)
    try fixture.context.save()
    fixture.observer.removeAll()
    stop.name = "B"
    stop.identifier = 7
    #expect(stop.isUpdated)
    try fixture.context.save()
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE", "UPDATE ZSTOP SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?",
        "COMMIT",
      ])
    #expect(fixture.observer.bindings[1] == [.text("B"), .integer(2), .integer(1), .integer(1)])
    #expect(try fixture.rows("SELECT Z_OPT, ZIDENTIFIER, ZNAME FROM ZSTOP") == ["2|7|B"])
    fixture.observer.removeAll()
    stop.name = "B"
    try fixture.context.save()
    #expect(fixture.observer.sql.isEmpty)
  }

  @Test func updatesRowsWithOtherColumnsOneAfterTheOther() throws {
    let fixture = try StoreFixture()
    let stops = ["A", "B", "C", "D"].map { fixture.makeStop($0, identifier: 1) }
    try fixture.context.save()
    fixture.observer.removeAll()
    stops[0].name = "a"
    stops[1].name = "b"
    stops[2].identifier = 2
    stops[3].name = "d"
    stops[3].identifier = 3
    stops[3].note = "note"
    try fixture.context.save()
    let end = "Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE", "UPDATE ZSTOP SET ZNAME = ?, \(end)",
        "UPDATE ZSTOP SET ZNAME = ?, \(end)",
        "UPDATE ZSTOP SET ZIDENTIFIER = ?, \(end)",
        "UPDATE ZSTOP SET ZIDENTIFIER = ?, ZNAME = ?, ZNOTE = ?, \(end)", "COMMIT",
      ])
    #expect(
      fixture.observer.bindings[4] == [
        .integer(3), .text("d"), .text("note"), .integer(2), .integer(4), .integer(1),
      ])
    #expect(
      try fixture.rows("SELECT Z_OPT, ZIDENTIFIER, ZNAME, ZNOTE FROM ZSTOP ORDER BY Z_PK") == [
        "2|1|a|NULL", "2|1|b|NULL", "2|2|C|NULL", "2|3|d|note",
      ])
    stops[0].note = "kept"
    stops[1].note = "lost"
    stops[1].note = nil
    stops[2].note = "more"
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT Z_OPT, ZNOTE FROM ZSTOP ORDER BY Z_PK") == [
        "3|kept", "2|NULL", "3|more", "2|note",
      ])
  }

  @Test func deletesByKeyAndVersion() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    fixture.context.delete(stop)
    fixture.observer.removeAll()
    try fixture.context.save()
    #expect(fixture.observer.sql.contains("DELETE FROM ZSTOP WHERE Z_PK = ? AND Z_OPT = ?"))
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOP") == ["0"])
    #expect(!stop.isDeleted)
    #expect(throws: StoreError.objectGone(stop.objectID)) {
      try fixture.context.existingObject(with: stop.objectID)
    }
  }

  @Test func refusesEveryMissingValueAtOnceAndKeepsTheChanges() throws {
    let fixture = try StoreFixture()
    let stop = fixture.context.insert(Stop.self)
    stop.latitude = .nan
    #expect(
      throws: StoreError.invalid([
        .init(objectID: stop.objectID, property: "identifier", problem: .missing),
        .init(objectID: stop.objectID, property: "latitude", problem: .notANumber),
        .init(objectID: stop.objectID, property: "name", problem: .missing),
      ])
    ) { try fixture.context.save() }
    #expect(stop.isInserted)
    stop.identifier = 1
    stop.latitude = 52.5
    stop.name = "A"
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
  }

  @Test func refusesAConflictAndWritesNothing() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    let other = try fixture.reopened()
    let theirs = try #require(try other.mainContext.fetch(FetchRequest<Stop>()).first)
    theirs.name = "theirs"
    try other.mainContext.save()
    stop.name = "mine"
    let new = fixture.makeStop("new")
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.objectID) == [stop.objectID])
    #expect(conflicts[0].changedValues == ["name": .string("mine")])
    #expect(conflicts[0].snapshot["name"] == .string("A"))
    #expect(conflicts[0].persistedSnapshot?["name"] == .string("theirs"))
    #expect(conflicts[0].oldVersion == 1 && conflicts[0].newVersion == 2)
    #expect(conflicts[0].conflictingProperties == ["name"])
    #expect(
      conflicts[0].description
        == "\(stop.objectID.uri) (version 2 instead of 1, both changed name)")
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["theirs"])
    #expect(stop.name == "mine" && stop.isUpdated && new.isInserted)
    try fixture.context.refresh(stop, mergeChanges: true)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME, Z_OPT FROM ZSTOP ORDER BY 1") == ["mine|3", "new|1"])
  }

  @Test func rollsBackWhenTheFileIsFull() throws {
    var options = StoreOptions()
    options.maximumPageCount = 24
    let fixture = try StoreFixture(options: options)
    let stop = fixture.makeStop("small")
    try fixture.context.save()
    stop.name = String(repeating: "x", count: 1 << 20)
    #expect(throws: StoreError.full(path: fixture.container.path)) { try fixture.context.save() }
    #expect(stop.isUpdated && stop.name.utf8.count == 1 << 20)
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["small"])
    stop.name = "fits"
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["fits"])
  }

  @Test func reportsWhatASaveDid() throws {
    let fixture = try StoreFixture()
    _ = fixture.makeStop("A")
    fixture.observer.removeAll()
    try fixture.context.save(file: "f", line: 3)
    #expect(fixture.observer.events.map(\.kind) == [.saveBegin, .transaction, .saveEnd])
    guard case .saveEnd(let end) = fixture.observer.events.last else { return }
    #expect(end.inserted == 1 && end.updated == 0 && end.deleted == 0 && end.statements == 5)
    #expect(end.location == SourceLocation(file: "f", line: 3) && end.error.isEmpty)
    #expect(end.totalTime >= end.waitTime + end.writeTime + end.commitTime)
  }

  @Test func rollbackDiscardsEveryChange() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    stop.name = "B"
    _ = fixture.context.insert(Stop.self)
    fixture.context.delete(stop)
    fixture.context.rollback()
    #expect(!fixture.context.hasChanges && stop.name == "A" && !stop.isDeleted)
  }

  @Test func insertsABatchPastTheContext() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    let result = try fixture.context.batchInsert(StopTime.self, count: 3) { row, index in
      row.departureTime = Int32(index * 60)
      row.stop = stop.objectID
    }
    #expect(result.objectID(at: 2).primaryKey == 3)
    #expect(
      try fixture.rows(
        "SELECT Z_PK, Z_ENT, Z_OPT, ZDEPARTURETIME, ZSTOP, Z_FOK_STOP FROM ZSTOPTIME")
        == ["1|2|1|0|1|1024", "2|2|1|60|1|2048", "3|2|1|120|1|3072"])
    #expect(try fixture.rows("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["1", "3"])
    #expect(stop.stopTimes.map(\.departureTime) == [0, 60, 120])
    #expect(throws: StoreError.self) {
      try fixture.context.batchInsert(Stop.self, count: 2) { row, index in
        row.identifier = Int64(index)
        if index == 0 { row.name = "A" }
      }
    }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOP") == ["1"])
  }
}
