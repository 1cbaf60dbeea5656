// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// Where data with external storage is kept, and when it is read.
@Suite struct ExternalDataTests {
  @Test(arguments: [0, 1, 99, 100])
  func keepsSmallDataInItsRowBehindAMark(count: Int) throws {
    let fixture = try PhotoFixture()
    let data = Data.sample(count)
    let photo = try fixture.save("A", data)
    #expect(photo.blob == data && fixture.files.isEmpty)
    #expect(
      try fixture.store.rows("SELECT hex(ZBLOB) FROM ZPHOTO")
        == ["01" + data.map { String(format: "%02X", $0) }.joined()])
    #expect(try fixture.reopened().blobs() == [data])
  }

  @Test func keepsNilAsNULL() throws {
    let fixture = try PhotoFixture()
    let photo = fixture.insert("A", nil)
    try fixture.context.save()
    #expect(photo.blob == nil)
    #expect(try fixture.store.rows("SELECT ZBLOB FROM ZPHOTO") == ["NULL"])
    #expect(try fixture.reopened().blobs() == [nil])
  }

  @Test func keepsLargeDataInAFileAsCoreDataDoes() throws {
    let fixture = try PhotoFixture()
    let data = Data.sample(101)
    let photo = try fixture.save("A", data)
    let file = try #require(fixture.files.first)
    #expect(fixture.files.count == 1 && UUID(uuidString: file)?.uuidString == file)
    #expect(try Data(contentsOf: fixture.folder.appending(path: file)) == data)
    let column = "02" + file.utf8.map { String($0, radix: 16) }.joined() + "00"
    #expect(
      try fixture.store.rows("SELECT lower(hex(ZBLOB)), length(ZBLOB) FROM ZPHOTO")
        == [column + "|38"])
    #expect(photo.blob == data)
    #expect(try fixture.reopened().blobs() == [data])
  }

  @Test func drawsTheLineWhereTheOptionsSay() throws {
    let fixture = try PhotoFixture(options: StoreOptions())
    _ = try fixture.save("A", Data(count: 128 << 10))
    #expect(fixture.files.isEmpty)
    _ = try fixture.save("B", Data(count: 128 << 10 + 1))
    #expect(fixture.files.count == 1)
  }

  @Test func readsTheFileWhenTheValueIsReadAndOnce() throws {
    let fixture = try PhotoFixture()
    _ = try fixture.save("A", .sample(200))
    let observer = RecordingObserver()
    let container = try fixture.store.reopened([Photo.self, PhotoAlbum.self], observer: observer)
    let context = container.newBackgroundContext()
    let photo = try #require(try context.fetch(FetchRequest<Photo>()).first)
    #expect(photo.label == "A")
    #expect(observer.remarks.isEmpty)
    #expect(photo.blob == .sample(200) && photo.blob?.count == 200)
    #expect(observer.remarks.count == 1)
    #expect(observer.remarks[0].hasPrefix("external data: 200 bytes of Photo.blob in "))
    try context.refresh(photo, mergeChanges: false)
    #expect(photo.blob == .sample(200) && observer.remarks.count == 2)
  }

  @Test func theRowCacheHoldsReferencesOnly() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A", .sample(1 << 20))
    #expect(fixture.store.container.statistics.cachedBytes < 10_000)
    #expect(photo.blob?.count == 1 << 20)
    #expect(try fixture.store.container.blobs().map { $0?.count } == [1 << 20])
    #expect(fixture.store.container.statistics.cachedBytes < 10_000)
  }

  @Test func keepsFiftyMegabytes() throws {
    let fixture = try PhotoFixture(options: StoreOptions())
    var data = Data(count: 50_000_000)
    data[49_999_999] = 7
    _ = try fixture.save("A", data)
    #expect(try fixture.reopened().blobs() == [data])
    #expect(try fixture.store.rows("SELECT length(ZBLOB) FROM ZPHOTO") == ["38"])
  }

  @Test func aSetToTheSameBytesIsNoChange() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A", .sample(200))
    photo.blob = .sample(200)
    let files = fixture.files
    try fixture.context.save()
    #expect(try fixture.store.rows("SELECT Z_OPT FROM ZPHOTO") == ["1"])
    #expect(fixture.files == files)
    photo.blob = .sample(200, seed: 1)
    try fixture.context.save()
    #expect(try fixture.store.rows("SELECT Z_OPT FROM ZPHOTO") == ["2"])
    #expect(fixture.files != files && fixture.files.count == 1)
  }

  // MARK: - Missing or damaged files

  @Test func aMissingFileIsAnErrorAtTheAccess() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let path = fixture.folder.appending(path: fixture.files[0]).path
    try FileManager.default.removeItem(atPath: path)
    let error = StoreError.externalData(photo.objectID, property: "blob", .missing(path: path))
    #expect(throws: error) { try photo.value(forKey: "blob") }
    #expect(fixture.context.faultError == nil)
    #expect(photo.blob == nil && photo.label == "A")
    #expect(fixture.context.faultError as? StoreError == error)
    #expect(
      "\(error)".hasSuffix("if the value was replaced or deleted meanwhile, refresh the object"))
    photo.label = "B"
    #expect(throws: error) { try fixture.context.save() }
    fixture.context.rollback()
    photo.blob = .sample(300)
    try fixture.context.save()
    #expect(photo.blob == .sample(300))
  }

  @Test(arguments: [
    "../../../../../../etc/passwd", "../../store.sqlite", "619F5BBC-79B1-4D4B-8F2B-1D2F0F2E../..",
    "", "619F5BBC-79B1-4D4B-8F2B-1D2F0F2E5C1", "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
  ])
  func aDamagedReferenceNamesNoFile(text: String) throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let bytes = "02" + text.utf8.map { String(format: "%02x", $0) }.joined() + "00"
    try Connection(path: fixture.store.url.path).execute("UPDATE ZPHOTO SET ZBLOB = X'\(bytes)'")
    try fixture.context.refresh(photo, mergeChanges: false)
    let error = StoreError.externalData(photo.objectID, property: "blob", .damagedReference)
    #expect(throws: error) { try photo.value(forKey: "blob") }
    #expect(photo.blob == nil)
    fixture.context.rollback()
    photo.blob = nil
    try fixture.context.save()
    fixture.context.delete(photo)
    try fixture.context.save()
    #expect(try fixture.store.rows("SELECT 1 FROM ZPHOTO").isEmpty)
  }

  @Test func anythingButARegularFileIsUnreadable() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let file = fixture.folder.appending(path: fixture.files[0])
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: "/etc/hostname")
    #expect(throws: StoreError.self) { try photo.value(forKey: "blob") }
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: StoreError.self) { try photo.value(forKey: "blob") }
  }

  @Test func takesBytesWithoutAMarkAsTheyAre() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    try Connection(path: fixture.store.url.path).execute("UPDATE ZPHOTO SET ZBLOB = X'FFD8FF'")
    try fixture.context.refresh(photo, mergeChanges: false)
    #expect(photo.blob == Data([0xff, 0xd8, 0xff]))
  }

  @Test func aReadOnlyContainerReadsFiles() throws {
    let fixture = try PhotoFixture()
    _ = try fixture.save("A")
    var options = PhotoFixture.options
    options.isReadOnly = true
    let container = try fixture.reopened(options: options)
    #expect(try container.blobs() == [.sample(200)])
    #expect(try container.orphanedExternalFiles().isEmpty)
  }

  @Test func findsTheFolderThroughALinkToTheStore() throws {
    let fixture = try PhotoFixture()
    _ = try fixture.save("A")
    let elsewhere = try TemporaryDirectory()
    let link = elsewhere.url.appending(path: "link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.store.url)
    let container = try PersistentContainer(at: link, entities: Photo.self, PhotoAlbum.self)
    #expect(try container.blobs() == [.sample(200)])
  }
}
