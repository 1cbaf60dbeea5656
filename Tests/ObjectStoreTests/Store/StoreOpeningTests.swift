// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

@Suite struct StoreOpeningTests {
  private func open(
    _ url: URL, _ entities: [any Entity.Type] = [Stop.self, StopTime.self],
    readOnly: Bool = false
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.isReadOnly = readOnly
    return try PersistentContainer(
      at: url, entities: entities, options: options, instruments: Instruments(observers: []))
  }

  @Test func refusesAFileThatIsNoDatabase() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "text.sqlite")
    try Data(repeating: 65, count: 5000).write(to: url)
    #expect(throws: StoreError.notADatabase(path: url.path)) { try open(url) }
    #expect(try Data(contentsOf: url) == Data(repeating: 65, count: 5000))
  }

  // SQLite's own tables begin with `sqlite_`; a program's may begin with `sqlite`.
  @Test(arguments: ["place", "sqliteplace"])
  func refusesADatabaseThatIsNoStore(_ table: String) throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "other.sqlite")
    try Connection(path: url.path).execute("CREATE TABLE \(table) (name)")
    #expect(throws: StoreError.notAStore(path: url.path, tables: [table])) { try open(url) }
  }

  @Test func listsEverythingInWhichTheSchemaDiffers() throws {
    let fixture = try StoreFixture([Stop.self, StopTime.self])
    fixture.container.close()
    try Connection(path: fixture.url.path).execute(
      """
      ALTER TABLE ZSTOP DROP COLUMN ZNOTE; DROP TABLE ZSTOPTIME;
      ALTER TABLE ZSTOP RENAME COLUMN ZNAME TO ZNAME0; ALTER TABLE ZSTOP ADD COLUMN ZNAME FLOAT
      """)
    #expect(
      throws: StoreError.incompatibleModel(
        path: fixture.url.path,
        differences: [
          "ZSTOP.ZNAME is FLOAT, the model wants VARCHAR", "no column ZSTOP.ZNOTE",
          "no table ZSTOPTIME",
        ])
    ) { try open(fixture.url) }
  }

  @Test func refusesAMissingFolderByName() throws {
    let url = URL(filePath: "/nonexistent-folder/a.sqlite")
    #expect(
      throws: StoreError.cannotOpen(
        path: url.path, reason: "No such file or directory; check that its folder exists")
    ) { try open(url) }
  }

  @Test func reportsACorruptFile() throws {
    let fixture = try StoreFixture()
    for index in 0..<2000 { fixture.makeStop("stop \(index)") }
    try fixture.context.save()
    fixture.container.close()
    var bytes = try Data(contentsOf: fixture.url)
    for index in 8192..<bytes.count { bytes[index] = 0xff }
    try bytes.write(to: fixture.url)
    #expect(throws: StoreError.self) {
      _ = try open(fixture.url).mainContext.fetch(FetchRequest<Stop>())
    }
  }

  @Test func refusesToSaveReadOnly() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let container = try open(fixture.url, readOnly: true)
    let stop = try #require(try container.mainContext.fetch(FetchRequest<Stop>()).first)
    stop.name = "B"
    #expect(throws: StoreError.readOnly(path: fixture.url.path)) {
      try container.mainContext.save()
    }
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
    #expect(throws: StoreError.self) {
      try open(fixture.folder.url.appending(path: "none.sqlite"), readOnly: true)
    }
  }

  @Test func createsMissingIndexesAndDropsForeignOnesOnlyByOption() throws {
    let fixture = try StoreFixture()
    fixture.container.close()
    try Connection(path: fixture.url.path).execute(
      "DROP INDEX ZSTOP_ZLONGITUDE_ZLATITUDE; CREATE INDEX mine ON ZSTOP (ZNAME)")
    let names = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> '' ORDER BY 1"
    try open(fixture.url).close()
    #expect(
      try fixture.rows(names)
        == ["ZSTOPTIME_ZSTOP_INDEX", "ZSTOP_ZLONGITUDE_ZLATITUDE", "mine"])
    var options = StoreOptions()
    options.indexPolicy = .exact
    try fixture.reopened(options: options).close()
    #expect(
      try fixture.rows(names) == ["ZSTOPTIME_ZSTOP_INDEX", "ZSTOP_ZLONGITUDE_ZLATITUDE"])
  }

  @Test func takesOverTheFilesEntityNumbers() throws {
    let fixture = try StoreFixture()
    fixture.container.close()
    try Connection(path: fixture.url.path).execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 10;
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Other', 0, 5);
      ALTER TABLE ZSTOP ADD COLUMN ZEXTRA BLOB
      """)
    let container = try open(fixture.url)
    let stop = container.mainContext.insert(Stop.self)
    stop.identifier = 1
    stop.name = "A"
    try container.mainContext.save()
    #expect(try fixture.rows("SELECT Z_PK, Z_ENT FROM ZSTOP") == ["1|11"])
    #expect(
      try fixture.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
        == ["1|5", "11|1", "12|0"])
  }

  @Test func refusesUseAfterClosing() throws {
    let fixture = try StoreFixture()
    fixture.container.close()
    #expect(throws: StoreError.closed(path: fixture.url.path)) {
      try fixture.context.fetch(FetchRequest<Stop>())
    }
  }
}
