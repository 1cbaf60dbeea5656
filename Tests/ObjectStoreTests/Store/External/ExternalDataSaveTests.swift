// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

/// The files after saves, failed saves, undo and batches: always exactly the files that rows refer
/// to.
@Suite struct ExternalDataSaveTests {
  @Test func removesTheFilesOfReplacedAndDeletedValues() throws {
    let fixture = try PhotoFixture()
    let (a, b, c) = (try fixture.save("A"), try fixture.save("B"), try fixture.save("C"))
    #expect(fixture.files.count == 3)
    a.blob = .sample(300)
    b.blob = nil
    fixture.context.delete(c)
    #expect(fixture.files.count == 3)
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 1)
    a.blob = .sample(10)
    try fixture.context.save()
    #expect(fixture.files.isEmpty && a.blob == .sample(10))
  }

  @Test func aChangeOfOtherValuesLeavesTheFileAlone() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let files = fixture.files
    photo.label = "B"
    try fixture.context.save()
    #expect(fixture.files == files && photo.blob == .sample(200))
  }

  @Test func takesBackTheFilesOfAFailedSave() throws {
    var options = PhotoFixture.options
    options.maximumPageCount = 40
    let fixture = try PhotoFixture(options: options)
    let photo = try fixture.save("A")
    let files = fixture.files
    photo.blob = .sample(300)
    let other = fixture.insert("B", .sample(400))
    other.label = String(repeating: "x", count: 1 << 20)
    #expect(throws: StoreError.full(path: fixture.store.container.path)) {
      try fixture.context.save()
    }
    #expect(fixture.files == files && photo.blob == .sample(300) && photo.isUpdated)
    other.label = "B"
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 2)
    #expect(photo.blob == .sample(300) && other.blob == .sample(400))
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o664, 0o666])
  func filesHaveThePermissionsOfTheStore(mode: Int) throws {
    let fixture = try PhotoFixture()
    func permissions(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    let store = fixture.store.container.path
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store)
    _ = try fixture.save("A")
    let file = fixture.folder.appending(path: try #require(fixture.files.first))
    #expect(try permissions(file.path) == mode)
    let ofFolder = mode | (mode & 0o444) >> 2
    #expect(try permissions(fixture.folder.path) == ofFolder)
    #expect(try permissions(fixture.folder.deletingLastPathComponent().path) == ofFolder)
    // The mode of the store applies to files written from then on.
    try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: store)
    _ = try fixture.save("B")
    let modes = try fixture.files.map { try permissions(fixture.folder.appending(path: $0).path) }
    #expect(Set(modes) == [mode, 0o660])
  }

  @Test func savesNothingWhereFilesCannotBeWritten() throws {
    let fixture = try PhotoFixture()
    let photo = fixture.insert("A", .sample(200))
    // A file in the place of the folder; permissions would not stop root.
    let support = fixture.folder.deletingLastPathComponent()
    try Data().write(to: support)
    #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(photo.isInserted && photo.blob == .sample(200))
    #expect(try fixture.store.rows("SELECT 1 FROM ZPHOTO").isEmpty)
    try FileManager.default.removeItem(at: support)
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 1)
  }

  @Test(arguments: MergePolicy.allCases)
  func conflictsLeaveTheFilesOfTheRows(policy: MergePolicy) throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let other = fixture.store.container.newBackgroundContext()
    let theirs = try #require(try other.existingObject(with: photo.objectID).as(Photo.self))
    theirs.blob = .sample(300)
    try other.save()
    photo.blob = .sample(400)
    photo.label = "mine"
    fixture.context.mergePolicy = policy
    if policy == .error {
      let error = #expect(throws: StoreError.self) { try fixture.context.save() }
      guard case .conflict(let conflicts)? = error else { return #expect(Bool(false), "\(policy)") }
      #expect(conflicts[0].conflictingProperties == ["blob"])
      guard case .external? = conflicts[0].persistedSnapshot?["blob"] else {
        return #expect(Bool(false), "the file was read")
      }
    } else {
      try fixture.context.save()
    }
    #expect(try fixture.files == fixture.references() && fixture.files.count == 1)
    let expected: Data =
      policy == .objectTrump || policy == .overwrite ? .sample(400) : .sample(300)
    #expect(try fixture.reopened().blobs() == [expected])
    if policy != .error { #expect(photo.blob == expected) }
  }

  @Test func aRowThatIsGoneIsInsertedAgainWithDataThatWasSet() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let other = fixture.store.container.newBackgroundContext()
    other.delete(try other.existingObject(with: photo.objectID))
    try other.save()
    #expect(fixture.files.isEmpty)
    fixture.context.mergePolicy = .overwrite
    photo.label = "B"
    #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(try fixture.store.rows("SELECT 1 FROM ZPHOTO").isEmpty)
    photo.blob = .sample(300)
    fixture.context.mergePolicy = .overwrite
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 1)
    #expect(try fixture.reopened().blobs() == [.sample(300)])
  }

  @Test func rollbackLeavesEverythingAsItIs() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let files = fixture.files
    photo.blob = .sample(300)
    fixture.insert("B", .sample(400))
    fixture.context.rollback()
    try fixture.context.save()
    #expect(fixture.files == files && photo.blob == .sample(200))
  }

  @Test func anUndoBringsBackWhatASaveRemoved() throws {
    let fixture = try PhotoFixture()
    let undoManager = ContextUndoManager()
    let (a, b) = (try fixture.save("A"), try fixture.save("B", .sample(250)))
    fixture.context.undoManager = undoManager
    a.blob = .sample(300)
    fixture.context.delete(b)
    fixture.context.processPendingChanges()
    try fixture.context.save()
    #expect(fixture.files.count == 1)
    undoManager.undo()
    #expect(a.blob == .sample(200) && !b.isDeleted && b.blob == .sample(250))
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 2)
    #expect(try fixture.reopened().blobs() == [.sample(200), .sample(250)])
    undoManager.redo()
    try fixture.context.save()
    #expect(try fixture.reopened().blobs() == [.sample(300)])
    #expect(try fixture.files == fixture.references())
  }

  @Test func childContextsWriteFilesWhenTheirParentSaves() throws {
    let fixture = try PhotoFixture()
    let photo = try fixture.save("A")
    let files = fixture.files
    let child = ManagedObjectContext(parent: fixture.context, concurrencyType: .mainQueue)
    let childs = try #require(try child.existingObject(with: photo.objectID).as(Photo.self))
    #expect(childs.blob == .sample(200))
    childs.blob = .sample(300)
    let new = child.insert(Photo.self)
    new.label = "B"
    new.blob = .sample(400)
    try child.save()
    #expect(fixture.files == files && photo.blob == .sample(300) && childs.blob == .sample(300))
    try fixture.context.save()
    #expect(try fixture.files == fixture.references() && fixture.files.count == 2)
    #expect(childs.blob == .sample(300) && new.blob == .sample(400) && photo.blob == .sample(300))
    #expect(
      try fixture.reopened().blobs() == [.sample(300), .sample(400)])
  }

  @Test func isPartOfTheHistoryByNameOnly() throws {
    var options = PhotoFixture.options
    options.tracksHistory = true
    let fixture = try PhotoFixture(options: options)
    let photo = try fixture.save("A")
    photo.blob = .sample(300)
    try fixture.context.save()
    let history = try fixture.store.container.history(after: nil)
    #expect(history.flatMap(\.changes).map { $0.updatedProperties ?? [] } == [[], ["blob"]])
    #expect(try fixture.files == fixture.references())
  }

  // MARK: - Batches

  @Test(arguments: [BatchConflictPolicy.ignore, .update])
  func aBatchInsertWritesFilesForTheRowsItWrites(policy: BatchConflictPolicy) throws {
    let fixture = try PhotoFixture()
    _ = try fixture.save("1")
    let result = try fixture.context.batchInsert(
      Photo.self, count: 3, onConflict: policy
    ) { row, index in
      row.label = "\(index)"
      row.blob = .sample(10)
      row.blob = .sample(300 + index)
    }
    #expect(result.count == (policy == .ignore ? 2 : 3))
    #expect(try fixture.files == fixture.references() && fixture.files.count == 3)
    #expect(
      try fixture.reopened().blobs()
        == [.sample(300), policy == .ignore ? .sample(200) : .sample(301), .sample(302)])
  }

  @Test func aBatchInsertThatFailsTakesItsFilesBack() throws {
    let fixture = try PhotoFixture()
    _ = try fixture.save("1")
    let files = fixture.files
    #expect(throws: StoreError.self) {
      try fixture.context.batchInsert(Photo.self, count: 3) { row, index in
        row.label = "\(index)"
        row.blob = .sample(300 + index)
      }
    }
    #expect(fixture.files == files)
    try fixture.context.batchInsert(
      entityNamed: "Photo", [["label": .string("2"), "blob": .data(.sample(400))]])
    #expect(try fixture.files == fixture.references() && fixture.files.count == 2)
  }

  @Test func batchesMarkDefaults() throws {
    let fixture = try PhotoFixture()
    try fixture.context.batchInsert(PhotoAlbum.self, count: 1) { row, _ in row.name = "A" }
    #expect(try fixture.store.rows("SELECT hex(ZCOVER) FROM ZPHOTOALBUM") == ["0101"])
  }

  @Test func aBatchUpdateKeepsItsDataInTheRowsAndRemovesTheFiles() throws {
    let fixture = try PhotoFixture()
    _ = (try fixture.save("A"), try fixture.save("B"))
    var update = BatchUpdateRequest<Photo>()
    update.set(\.blob, to: .sample(300))
    try fixture.context.execute(update)
    #expect(fixture.files.isEmpty)
    #expect(try fixture.reopened().blobs() == [.sample(300), .sample(300)])
  }

  @Test func aBatchDeletionRemovesTheFilesOfTheCascadeToo() throws {
    let fixture = try PhotoFixture()
    let album = fixture.context.insert(PhotoAlbum.self)
    album.name = "A"
    album.cover = .sample(500)
    fixture.insert("A", .sample(300)).album = album
    fixture.insert("B", .sample(400))
    try fixture.context.save()
    #expect(fixture.files.count == 3)
    try fixture.context.execute(BatchDeleteRequest<PhotoAlbum>(FetchRequest()))
    #expect(try fixture.files == fixture.references() && fixture.files.count == 1)
    try fixture.context.execute(BatchDeleteRequest<Photo>(FetchRequest()))
    #expect(fixture.files.isEmpty)
  }
}
