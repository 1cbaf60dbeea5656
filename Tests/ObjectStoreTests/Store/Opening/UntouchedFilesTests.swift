// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// A read-only opening changes no file, and no opening destroys a log.
@Suite struct UntouchedFilesTests {
  private func open(
    _ url: URL, readOnly: Bool = false, recordsIO: Bool = false
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.isReadOnly = readOnly
    options.recordsIO = recordsIO
    return try PersistentContainer(
      at: url, entities: [Stop.self, StopTime.self], options: options)
  }

  private func names(_ container: PersistentContainer) throws -> [String] {
    let context = container.newBackgroundContext(name: "reader")
    return try context.fetch(FetchRequest<Stop>()).map(\.name).sorted()
  }

  /// Copies a store as a program leaves it that ends within its work.
  private func left(_ fixture: StoreFixture, _ sides: [String]) throws -> TemporaryDirectory {
    fixture.makeStop("A")
    try fixture.context.save()
    let left = try TemporaryDirectory()
    for side in sides {
      try FileManager.default.copyItem(
        atPath: fixture.url.path + side, toPath: left.path("store.sqlite" + side))
    }
    return left
  }

  @Test(
    arguments: [["", "-wal"], ["", "-wal", "-shm"]], [false, true])
  func readOnlyOpeningReadsTheLogAndLeavesAllFiles(sides: [String], recordsIO: Bool) throws {
    let fixture = try StoreFixture()
    let left = try left(fixture, sides)
    let before = try FolderSnapshot(left.url)
    do {
      let container = try open(
        left.url.appending(path: "store.sqlite"), readOnly: true, recordsIO: recordsIO)
      #expect(try names(container) == ["A"])
      #expect(try FolderSnapshot(left.url, readsBytes: false).names == before.names)
      container.close()
    }
    #expect(try FolderSnapshot(left.url) == before)
  }

  @Test func readOnlyOpeningOfAClosedStoreMakesNoFile() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    fixture.container.close()
    let before = try FolderSnapshot(fixture.folder.url)
    do {
      let container = try open(fixture.url, readOnly: true)
      #expect(try names(container) == ["A"])
      #expect(try FolderSnapshot(fixture.folder.url, readsBytes: false).names == before.names)
    }
    #expect(try FolderSnapshot(fixture.folder.url) == before)
  }

  /// Each sees the other's work, in whichever order they are opened.
  @Test func storeThatOnlyReadsLeavesTheOneThatWritesItsLocks() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    fixture.container.close()
    let reader = try open(fixture.url, readOnly: true)
    #expect(try names(reader) == ["A"])
    let writer = try open(fixture.url)
    add("B", to: writer)
    try writer.mainContext.save()
    #expect(try names(reader) == ["A", "B"])
    let second = try open(fixture.url, readOnly: true)
    #expect(try names(second) == ["A", "B"])
    let locks = LockedBytes(of: fixture.url.path)
    let before = locks.list
    #expect(!before.isEmpty)
    second.close()
    reader.close()
    #expect(locks.list.allSatisfy(before.contains))
    #expect(locks.areOfThisProcess)
    add("C", to: writer)
    try writer.mainContext.save()
    withExtendedLifetime(locks) {}
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY 1") == ["A", "B", "C"])
  }

  private func add(_ name: String, to container: PersistentContainer) {
    let stop = container.mainContext.insert(Stop.self)
    stop.identifier = 2
    stop.name = name
  }

  @Test(arguments: [false, true], [0, 1])
  func logOfAnEmptyFileIsNotDestroyed(readOnly: Bool, size: Int) throws {
    let fixture = try StoreFixture()
    let left = try left(fixture, ["-wal"])
    let url = left.url.appending(path: "store.sqlite")
    try Data(count: size).write(to: url)
    let before = try FolderSnapshot(left.url)
    let error = #expect(throws: StoreError.self) { try open(url, readOnly: readOnly) }
    #expect(error?.description.contains("store.sqlite-wal") == true)
    #expect(try FolderSnapshot(left.url) == before)
  }

  /// As after a program that ended while it made the store: the journal restores no page.
  @Test func emptyFileBesideTheJournalOfItsMakingBecomesAStore() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    var journal = Data(count: 512)
    try Data().write(to: url)
    try journal.write(to: URL(filePath: url.path + "-journal"))
    try open(url).close()
    try Data().write(to: url)
    journal[19] = 1
    try journal.write(to: URL(filePath: url.path + "-journal"))
    #expect(throws: StoreError.self) { try open(url) }
    #expect(try Data(contentsOf: URL(filePath: url.path + "-journal")) == journal)
  }

  /// Cleaning up a folder of external storage looks into the other files beside the store.
  @Test func logOfANeighborIsNotDestroyed() throws {
    let fixture = try StoreFixture()
    let left = try left(fixture, ["-wal"])
    let names = ["photos.db", "photos.db-wal"].map { left.path($0) }
    try Data().write(to: URL(filePath: names[0]))
    try FileManager.default.moveItem(atPath: left.path("store.sqlite-wal"), toPath: names[1])
    let log = try Data(contentsOf: URL(filePath: names[1]))
    let photos = try PersistentContainer(
      at: left.url.appending(path: "photos.sqlite"), entities: [Picture.self])
    photos.close()
    #expect(try Data(contentsOf: URL(filePath: names[1])) == log)
    #expect(try Data(contentsOf: URL(filePath: names[0])).isEmpty)
  }

  private struct Picture: Entity {
    static let entityName = "Picture"
    let data = Attribute<Data?>("data", allowsExternalBinaryDataStorage: true)
  }
}
