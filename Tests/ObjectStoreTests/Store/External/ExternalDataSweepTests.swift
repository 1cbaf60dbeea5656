// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// Files that a crash has left, and how they go to the trash without harm to another save or store.
@Suite struct ExternalDataSweepTests {
  private let fixture: PhotoFixture

  init() throws { fixture = try PhotoFixture() }

  /// Sweeps unreferenced files at once.
  private static var sweeping: StoreOptions {
    var options = PhotoFixture.options
    options.externalDataGracePeriod = .zero
    return options
  }

  private var trash: URL { fixture.store.folder.url.appending(path: ".store_SUPPORT/_TRASH") }

  private func makeOrphan() throws -> URL {
    let url = fixture.folder.appending(path: UUID().uuidString)
    try Data.sample(10).write(to: url)
    return url
  }

  @Test func listsAndSweepsWhatNoRowRefersTo() throws {
    let photo = try fixture.save("A")
    let container = fixture.store.container
    #expect(try container.orphanedExternalFiles().isEmpty)
    let orphan = try makeOrphan()
    // No file of ours: it stays.
    let note = fixture.folder.appending(path: "README")
    try Data().write(to: note)
    #expect(try container.orphanedExternalFiles().map(\.path) == [orphan.path])
    // It may belong to a save of another process, or to a backup that is being restored.
    #expect(try fixture.reopened().orphanedExternalFiles().map(\.path) == [orphan.path])
    let reopened = try fixture.reopened(options: Self.sweeping)
    let trashed = trash.appending(path: orphan.lastPathComponent)
    #expect(try reopened.orphanedExternalFiles().map(\.path) == [trashed.path])
    #expect(try Data(contentsOf: trashed) == .sample(10))
    #expect(try reopened.deleteOrphanedExternalFiles(olderThan: .seconds(60)) == 0)
    #expect(try reopened.deleteOrphanedExternalFiles(olderThan: .zero) == 1)
    #expect(try reopened.orphanedExternalFiles().isEmpty)
    #expect(try fixture.files == (fixture.references() + ["README"]).sorted())
    #expect(photo.blob == .sample(200))
  }

  @Test func aReadOnlyOpeningSweepsNothing() throws {
    _ = try fixture.save("A")
    let orphan = try makeOrphan()
    var options = Self.sweeping
    options.isReadOnly = true
    let container = try fixture.reopened(options: options)
    #expect(try container.orphanedExternalFiles().map(\.path) == [orphan.path])
  }

  @Test func anOpeningBesideASaveNeitherWaitsNorTakesItsFiles() throws {
    _ = try fixture.save("A")
    let orphan = try makeOrphan()
    var options = PhotoFixture.options
    options.busyTimeout = .milliseconds(20)
    try fixture.context.batchInsert(Photo.self, count: 2) { row, index in
      row.label = "\(index)"
      row.blob = .sample(300)
      guard index == 1 else { return }
      #expect(fixture.files.count == 4)
      _ = try fixture.reopened(options: options)
      #expect(fixture.files.count == 4)
    }
    #expect(FileManager.default.fileExists(atPath: orphan.path))
    _ = try fixture.reopened(options: Self.sweeping)
    #expect(try fixture.files == fixture.references() && fixture.files.count == 3)
  }

  @Test func aFileOfASaveThatIsUnderWayIsFoundWhereverItIs() throws {
    _ = try fixture.save("A")
    try fixture.context.batchInsert(Photo.self, count: 2) { row, index in
      row.label = "\(index)"
      row.blob = .sample(300)
      guard index == 1 else { return }
      // Like a sweep of another process after its grace period.
      for uuid in Set(fixture.files).subtracting(try fixture.references()) {
        try FileManager.default.createDirectory(at: trash, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
          at: fixture.folder.appending(path: uuid), to: trash.appending(path: uuid))
      }
    }
    #expect(fixture.files.count == 1)
    var options = Self.sweeping
    options.isReadOnly = true
    #expect(
      try fixture.reopened(options: options).blobs() == [.sample(300), .sample(300), .sample(200)])
    #expect(try fixture.reopened(options: options).orphanedExternalFiles().isEmpty)
    // An opening that may write brings it back.
    #expect(try fixture.reopened(options: Self.sweeping).blobs().count == 3)
    #expect(try fixture.files == fixture.references() && fixture.files.count == 3)
  }

  @Test func aReferenceOfADroppedAttributeCounts() throws {
    struct Bare: Entity {
      static let entityName = "Photo"
      let label = Attribute<String>("label")
      let icon = Attribute<Data?>("icon", allowsExternalBinaryDataStorage: true)
    }
    _ = try fixture.save("A")
    let orphan = try makeOrphan()
    _ = try fixture.store.reopened([Bare.self], options: Self.sweeping)
    #expect(!FileManager.default.fileExists(atPath: orphan.path))
    #expect(try fixture.reopened().blobs() == [.sample(200)])
    var options = Self.sweeping
    options.migrationPolicy = .exact
    _ = try fixture.store.reopened([Bare.self], options: options)
    #expect(fixture.files.isEmpty)
  }

  /// Wherever a process is stopped, its store opens, and the rows have their files.
  @Test(arguments: ["written", "committed"])
  func storeIsSoundAfterACrash(moment: String) throws {
    let photo = try fixture.save("A")
    let copy = try TemporaryDirectory()
    let folder = fixture.store.folder.url
    func takeCopy() throws {
      for name in ["store.sqlite", "store.sqlite-wal", ".store_SUPPORT"] {
        try FileManager.default.copyItem(
          at: folder.appending(path: name), to: copy.url.appending(path: name))
      }
    }
    if moment == "written" {
      #expect(throws: CancellationError.self) {
        try fixture.context.batchInsert(Photo.self, count: 1) { row, _ in
          row.label = "B"
          row.blob = .sample(300)
          try takeCopy()
          throw CancellationError()
        }
      }
    } else {
      // The old file is there still.
      let old = fixture.folder.appending(path: fixture.files[0])
      let data = try Data(contentsOf: old)
      photo.blob = .sample(300)
      try fixture.context.save()
      try data.write(to: old)
      try takeCopy()
    }
    let container = try PersistentContainer(
      at: copy.url.appending(path: "store.sqlite"), entities: Photo.self, PhotoAlbum.self,
      options: Self.sweeping)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: copy.path(".store_SUPPORT/_EXTERNAL_DATA"))
    #expect(files.count == 1)
    #expect(try container.orphanedExternalFiles().count == 1)
    #expect(
      try container.blobs() == [.sample(moment == "written" ? 200 : 300)])
  }
}
