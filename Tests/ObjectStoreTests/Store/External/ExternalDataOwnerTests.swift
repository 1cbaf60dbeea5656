// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// Stores that share a folder of external data, or have lost theirs: none loses a file.
@Suite struct ExternalDataOwnerTests {
  private let stores: StoreFolder
  private let five = Dictionary(
    uniqueKeysWithValues: (0..<5).map { ("\($0)", Data.sample(200 + $0)) })

  init() throws { stores = try StoreFolder() }

  private func fill(_ name: String, _ values: [String: Data]? = nil) throws {
    try stores.with(name) { try $0.setPhotos((values ?? five).mapValues { $0 }) }
  }

  @Test(arguments: [
    ["photos.sqlite", "photos.db"], ["photos.sqlite", "photos"],
    ["photos.sqlite", "PHOTOS.sqlite"], ["photos", "photos.photos", "photos.sqlite"],
    ["photos.sqlite", "photos.sqlite.bak"], ["bücher & söhne.db", "bücher & söhne.sqlite"],
  ])
  func storesOfOneFolderKeepTheirData(names: [String]) throws {
    for name in names { try fill(name) }
    for name in names + names.reversed() { #expect(try stores.values(name) == five) }
    // Nor does a save of one remove data of another.
    try stores.with(names[0]) { try $0.setPhotos(["0": .sample(900), "1": nil]) }
    for name in names.dropFirst() { #expect(try stores.values(name) == five) }
    #expect(try stores.values(names[0])["0"] == .sample(900))
  }

  @Test(arguments: ["photos.backup", "copy.sqlite", "photos.sqlite.bak", "photos copy"])
  func aCopyKeepsTheDataThatItsOriginalDeletes(copy: String) throws {
    try fill("photos.sqlite")
    try stores.copy("photos.sqlite", to: copy)
    try stores.with("photos.sqlite") {
      try $0.setPhotos(["0": nil, "1": .sample(900), "new": .sample(901)])
    }
    #expect(try stores.values(copy) == five)
    // The opening of the copy removed nothing that the original has saved since.
    #expect(try stores.values("photos.sqlite")["new"] == .sample(901))
    try stores.with(copy) { try $0.setPhotos(["2": nil, "3": .sample(902)]) }
    #expect(try stores.values("photos.sqlite")["2"] == .sample(202))
    try stores.move(copy, to: "photos.sqlite")
    #expect(try stores.values("photos.sqlite")["3"] == .sample(902))
  }

  @Test func aCopyThatIsOpenKeepsItsDataToo() throws {
    try fill("photos.sqlite")
    try stores.copy("photos.sqlite", to: "copy.sqlite")
    let copy = try stores.open("copy.sqlite")
    defer { copy.close() }
    let original = try stores.open("photos.sqlite")
    defer { original.close() }
    try original.setPhotos(["0": nil])
    try copy.setPhotos(["1": nil])
    #expect(try copy.photoValues()["0"] == .sample(200))
    #expect(try original.photoValues()["1"] == .sample(201))
  }

  @Test(arguments: [false, true])
  func aStoreThatWasRenamedFindsItsData(withFolder: Bool) throws {
    try fill("photos.sqlite")
    try stores.move("photos.sqlite", to: "album.db", withFolder: withFolder)
    #expect(try stores.values("album.db", readOnly: true) == five)
    // A new store by the old name leaves the other's data alone.
    try fill("photos.sqlite", ["x": .sample(500)])
    #expect(try stores.values("album.db") == five)
    #expect(try stores.values("photos.sqlite") == ["x": .sample(500)])
    // From now on it has all in its own folder.
    #expect(stores.files("album.db").count == 5)
    try FileManager.default.removeItem(atPath: stores.path(".photos_SUPPORT"))
    #expect(try stores.values("album.db") == five)
  }

  @Test func aStoreThatReplacesAnotherLeavesTheOthersFiles() throws {
    try fill("photos.sqlite")
    try stores.move("photos.sqlite", to: "elsewhere")
    try FileManager.default.createDirectory(
      atPath: stores.path("away"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: stores.path("elsewhere"), toPath: stores.path("away/photos.sqlite"))
    try fill("photos.sqlite", ["x": .sample(500)])
    _ = try stores.values("photos.sqlite")
    try FileManager.default.removeItem(atPath: stores.path("photos.sqlite"))
    try FileManager.default.moveItem(
      atPath: stores.path("away/photos.sqlite"), toPath: stores.path("photos.sqlite"))
    #expect(try stores.values("photos.sqlite") == five)
  }

  @Test func anOlderStateThatIsRestoredHasItsDataAndTheNewerOneToo() throws {
    try fill("photos.sqlite")
    try stores.copy("photos.sqlite", to: "old.backup")
    try stores.with("photos.sqlite") { try $0.setPhotos(["new": .sample(900)]) }
    try stores.copy("photos.sqlite", to: "away.backup")
    try FileManager.default.createDirectory(
      atPath: stores.path("away"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: stores.path("away.backup"), toPath: stores.path("away/new.sqlite"))
    try stores.move("old.backup", to: "photos.sqlite")
    // The newer file is one that no row refers to now.
    #expect(try stores.values("photos.sqlite") == five)
    #expect(stores.files("photos.sqlite", in: "_TRASH").count == 1)
    try FileManager.default.removeItem(atPath: stores.path("photos.sqlite"))
    try FileManager.default.moveItem(
      atPath: stores.path("away/new.sqlite"), toPath: stores.path("photos.sqlite"))
    #expect(try stores.values("photos.sqlite")["new"] == .sample(900))
    #expect(stores.files("photos.sqlite", in: "_TRASH").isEmpty)
  }

  @Test func aFolderWithoutAMarkIsTakenOverAndAHalfWrittenMarkIsNot() throws {
    try fill("photos.sqlite")
    let marks = stores.path(".photos_SUPPORT/ObjectStoreOwners")
    let orphan = UUID().uuidString
    func putOrphan() throws {
      let path = stores.path(".photos_SUPPORT/_EXTERNAL_DATA/" + orphan)
      try Data.sample(5).write(to: URL(fileURLWithPath: path))
    }
    // As an older version has left it.
    try FileManager.default.removeItem(atPath: marks)
    try putOrphan()
    #expect(try stores.values("photos.sqlite") == five)
    #expect(stores.files("photos.sqlite", in: "_TRASH") == [orphan])
    let uuid = try stores.with("photos.sqlite") { $0.storeUUID }
    #expect(try String(contentsOfFile: marks, encoding: .utf8) == "\n\(uuid) photos.sqlite\n")
    try Data("\n\(uuid) photos.sqlite\n5E0B4A0C".utf8).write(to: URL(fileURLWithPath: marks))
    try putOrphan()
    #expect(try stores.values("photos.sqlite") == five)
    #expect(stores.files("photos.sqlite").contains(orphan))
  }

  @Test func aFolderThatTwoDirectoriesShareByALinkIsShared() throws {
    try fill("photos.sqlite")
    try FileManager.default.createDirectory(
      atPath: stores.path("other"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: stores.path("photos.sqlite"), toPath: stores.path("other/photos.sqlite"))
    try FileManager.default.createSymbolicLink(
      atPath: stores.path("other/.photos_SUPPORT"),
      withDestinationPath: stores.path(".photos_SUPPORT"))
    #expect(try stores.values("other/photos.sqlite") == five)
    try stores.with("photos.sqlite") { try $0.setPhotos(["0": nil]) }
    try stores.with("other/photos.sqlite") { try $0.setPhotos(["1": nil]) }
    #expect(try stores.values("other/photos.sqlite")["0"] == .sample(200))
    #expect(try stores.values("photos.sqlite")["1"] == .sample(201))
  }

  @Test func aHardLinkToTheStoreLosesNothing() throws {
    try fill("photos.sqlite")
    try FileManager.default.linkItem(
      atPath: stores.path("photos.sqlite"), toPath: stores.path("link.db"))
    #expect(try stores.values("link.db") == five)
    try stores.with("link.db") { try $0.setPhotos(["x": .sample(700)]) }
    #expect(try stores.values("photos.sqlite") == five.merging(["x": .sample(700)]) { a, _ in a })
  }

  @Test func aStoreAloneRemovesUnreferencedFiles() throws {
    try fill("photos.sqlite")
    // No database: they may have the same name.
    try Data("{}".utf8).write(to: stores.url.appending(path: "photos.json"))
    try stores.with("photos.sqlite") { try $0.setPhotos(["0": nil, "1": .sample(900)]) }
    #expect(stores.files("photos.sqlite").count == 4)
    #expect(stores.files("photos.sqlite", in: "_TRASH").isEmpty)
    // Beside a store that is no copy they go to the trash, where it can be seen.
    try fill("photos.db", ["x": .sample(500)])
    try stores.with("photos.sqlite") { try $0.setPhotos(["2": nil]) }
    #expect(stores.files("photos.sqlite", in: "_TRASH").count == 1)
    let listed = try stores.with("photos.db") { try $0.orphanedExternalFiles() }
    #expect(Set(listed.map(\.lastPathComponent)) == stores.files("photos.sqlite", in: "_TRASH"))
    let count = try stores.with("photos.db") {
      try $0.deleteOrphanedExternalFiles(olderThan: .zero)
    }
    #expect(count == 1)
  }

  @Test func theTrashKeepsWhatACopyRefersTo() throws {
    try fill("photos.sqlite")
    try fill("photos.db", ["x": .sample(500)])
    try stores.copy("photos.sqlite", to: "copy.sqlite", withFolder: true)
    try stores.with("photos.sqlite") { try $0.setPhotos(["0": nil]) }
    #expect(stores.files("photos.sqlite", in: "_TRASH").count == 1)
    try FileManager.default.removeItem(atPath: stores.path(".copy_SUPPORT"))
    let (listed, deleted) = try stores.with("photos.sqlite") {
      (try $0.orphanedExternalFiles(), try $0.deleteOrphanedExternalFiles(olderThan: .zero))
    }
    #expect(listed.isEmpty && deleted == 0)
    #expect(try stores.values("copy.sqlite") == five)
  }
}
