// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Picture: Entity {
  let name = Attribute<String>("name")
  let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
}

@Suite struct BackupTests {
  @Test func copiesSavedRowsWhileTheStoreIsInUse() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    fixture.makeStop("unsaved", identifier: 2)
    let url = fixture.folder.url.appending(path: "backup.sqlite")
    fixture.observer.removeAll()
    try fixture.container.backUp(to: url)
    #expect(fixture.observer.sql == ["VACUUM INTO ?"])
    let copy = try PersistentContainer(at: url, entities: Stop.self, StopTime.self)
    #expect(copy.migrationSteps.isEmpty && copy.storeUUID == fixture.container.storeUUID)
    let stop = try #require(try copy.mainContext.fetch(FetchRequest<Stop>()).first)
    #expect(stop.name == "A" && stop.stopTimes.count == 2)
    #expect(try copy.mainContext.count(FetchRequest<Stop>()) == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
    #expect(names.filter { $0.hasPrefix("backup.sqlite-") && $0.count > 20 } == [])
  }

  @Test func copiesTheFilesOfExternalStorage() throws {
    let fixture = try StoreFixture([Picture.self])
    let data = Data(repeating: 3, count: 300_000)
    let picture = fixture.context.insert(Picture.self)
    (picture.name, picture.blob) = ("a", data)
    try fixture.context.save()
    let other = try TemporaryDirectory()
    let url = other.url.appending(path: "copy.sqlite")
    try fixture.container.backUp(to: url)
    picture.blob = nil
    try fixture.context.save()
    let copy = try PersistentContainer(at: url, entities: Picture.self)
    #expect(try copy.mainContext.fetch(FetchRequest<Picture>()).first?.blob == data)
  }

  @Test func overwritesNothingAndLeavesNothingWhenItFails() throws {
    let fixture = try StoreFixture()
    #expect(throws: StoreError.self) { try fixture.container.backUp(to: fixture.url) }
    let missing = fixture.folder.url.appending(path: "missing/backup.sqlite")
    #expect(throws: StoreError.self) { try fixture.container.backUp(to: missing) }
    let web = try #require(URL(string: "https://example.org/a.sqlite"))
    #expect(throws: StoreError.self) { try fixture.container.backUp(to: web) }
    fixture.makeStop("A")
    try fixture.context.save()
  }

  @Test func copiesAStoreInMemoryToAFile() throws {
    let container = try PersistentContainer(inMemory: Stop.self, StopTime.self)
    let stop = container.mainContext.insert(Stop.self)
    (stop.name, stop.identifier) = ("A", 1)
    try container.mainContext.save()
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "copy.sqlite")
    try container.backUp(to: url)
    let copy = try PersistentContainer(at: url, entities: Stop.self, StopTime.self)
    #expect(try copy.mainContext.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
  }

  @Test func refusesAKeyThatTheLinkedSQLiteWouldIgnore() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "secret.sqlite")
    var options = StoreOptions()
    options.encryptionKey = "it's secret"
    let error = #expect(throws: StoreError.noEncryption(path: url.path)) {
      try PersistentContainer(at: url, entities: Stop.self, StopTime.self, options: options)
    }
    #expect(!"\(try #require(error))".contains("secret'"))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}
