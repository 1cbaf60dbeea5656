// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@testable import ObjectStore

/// An opening trusts the seal of its model, and no other.
@Suite struct StoreSealTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func isSealed() throws -> Bool {
    let connection = try Connection(path: fixture.url.path, mode: .readOnly)
    let seal = try #require(try StoreSeal(connection))
    return try seal.fits(ManagedObjectModel(entities: [Stop.self, StopTime.self]))
  }

  private func reopen() throws -> [String] {
    let container = try fixture.reopened()
    defer { container.close() }
    return container.migrationSteps
  }

  private func execute(_ sql: String) throws {
    try Connection(path: fixture.url.path, mode: .readWrite).execute(sql)
  }

  @Test func aNewFileIsSealed() throws {
    #expect(try isSealed())
    #expect(try reopen() == [])
  }

  @Test func rowsDoNotBreakTheSeal() throws {
    fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    #expect(try isSealed())
  }

  @Test(
    arguments: [
      "ALTER TABLE ZSTOP DROP COLUMN ZNAME", "DROP INDEX ZSTOP_ZLONGITUDE_ZLATITUDE",
      "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'StopTime'; DROP TABLE ZSTOPTIME",
    ])
  func aFileThatNoLongerFitsIsAdapted(sql: String) throws {
    try execute(sql)
    #expect(try !isSealed())
    _ = try reopen()
    #expect(try isSealed())
    #expect(
      try fixture.rows("SELECT ZNAME FROM ZSTOP INDEXED BY ZSTOP_ZLONGITUDE_ZLATITUDE, ZSTOPTIME")
        == [])
  }

  @Test func anotherWriterOfTheMetadataBreaksTheSeal() throws {
    try execute("UPDATE Z_METADATA SET Z_UUID = 'B'")
    #expect(try !isSealed())
    #expect(try reopen() == [])
    #expect(try isSealed())
  }

  @Test(
    arguments: [
      "Note: value Int32; text String\nOwner: name String",
      "Note: value Int64; text String; more String\nOwner: name String",
      "Note: value Int64\nOwner: name String",
      "Note: value Int64; text String; owner -> Owner\nOwner: name String",
      "Note: value Int64; text String\nOwner: name Binary",
      "Note: value Int64; text String",
    ])
  func theSealOfAModelIsNotThatOfAnother(text: String) throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    let known = "Note: value Int64; text String\nOwner: name String"
    func model(_ text: String) throws -> ManagedObjectModel {
      try ModelText(text).model(in: folder)
    }
    try PersistentContainer(at: url, model: model(known), options: StoreOptions()).close()
    let connection = try Connection(path: url.path, mode: .readOnly)
    let seal = try #require(try StoreSeal(connection))
    #expect(try seal.fits(model(known)))
    #expect(try !seal.fits(model(text)))
  }

  @Test func aSecondOpeningOfAFileWithOtherContentsWritesNothing() throws {
    try execute("ALTER TABLE ZSTOP ADD COLUMN ZOTHER VARCHAR")
    #expect(try reopen() == [])
    let list = try fixture.rows("SELECT hex(Z_PLIST) FROM Z_METADATA")
    #expect(try !isSealed())
    #expect(try reopen() == [])
    #expect(try fixture.rows("SELECT hex(Z_PLIST) FROM Z_METADATA") == list)
  }
}
