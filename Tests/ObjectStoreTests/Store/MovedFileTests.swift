// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// A store's file that is deleted, renamed or replaced while a container has it open.
@Suite struct MovedFileTests {
  enum Move: String, CaseIterable {
    case deletion, renaming, replacement, deletionOfTheLog, replacementOfTheLog

    func perform(_ url: URL) throws {
      let files = FileManager.default
      let log = URL(fileURLWithPath: url.path + "-wal")
      switch self {
      case .deletion: try files.removeItem(at: url)
      case .renaming:
        try files.moveItem(at: url, to: url.deletingLastPathComponent().appending(path: "old"))
      case .replacement:
        let other = url.deletingLastPathComponent().appending(path: "other.sqlite")
        try PersistentContainer(at: other, entities: [Stop.self, StopTime.self]).close()
        try #require(rename(other.path, url.path) == 0)
      case .deletionOfTheLog: try files.removeItem(at: log)
      case .replacementOfTheLog:
        try files.removeItem(at: log)
        try Data().write(to: log)
      }
    }
  }

  private func fixture(_ options: StoreOptions = StoreOptions()) throws -> StoreFixture {
    let fixture = try StoreFixture(options: options)
    fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    return fixture
  }

  private func expectMoved(
    _ fixture: StoreFixture, _ location: SourceLocation = #_sourceLocation,
    _ operation: () throws -> Void
  ) {
    #expect(
      throws: StoreError.moved(path: fixture.url.path), sourceLocation: location,
      performing: operation)
  }

  @Test(arguments: Move.allCases, [false, true])
  func nothingIsSavedThere(move: Move, tracksHistory: Bool) throws {
    var options = StoreOptions()
    options.tracksHistory = tracksHistory
    let fixture = try fixture(options)
    let context = fixture.context
    let stop = try #require(try context.fetch(FetchRequest<Stop>()).first)
    try move.perform(fixture.url)
    stop.name = "B"
    fixture.makeStop("C", identifier: 2)
    expectMoved(fixture) { try context.save() }
    #expect(context.hasChanges && stop.name == "B")
    expectMoved(fixture) {
      try context.batchInsert(Stop.self, count: 1) { row, _ in
        (row.name, row.identifier) = ("D", 3)
      }
    }
    expectMoved(fixture) {
      _ = try context.execute(BatchDeleteRequest<StopTime>(FetchRequest()))
    }
    expectMoved(fixture) { try context.obtainPermanentIDs(for: Array(context.insertedObjects)) }
    if tracksHistory {
      expectMoved(fixture) { _ = try fixture.container.deleteHistory(before: Date()) }
    }
    context.rollback()
    #expect(try context.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
    #expect(try context.count(FetchRequest<StopTime>()) == 2)
  }

  @Test func aFileThatIsPutBackIsSavedTo() throws {
    let fixture = try fixture()
    let aside = fixture.folder.url.appending(path: "aside")
    try FileManager.default.moveItem(at: fixture.url, to: aside)
    fixture.makeStop("B", identifier: 2)
    expectMoved(fixture) { try fixture.context.save() }
    try FileManager.default.moveItem(at: aside, to: fixture.url)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY ZIDENTIFIER") == ["A", "B"])
  }

  @Test(arguments: [Move.deletion, .renaming, .replacement], [false, true])
  func noRowOfAnotherFileIsRead(move: Move, isReadOnly: Bool) throws {
    let fixture = try fixture()
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    fixture.container.close()
    let container = try fixture.reopened(options: options)
    try move.perform(fixture.url)
    expectMoved(fixture) { _ = try container.newBackgroundContext().fetch(FetchRequest<Stop>()) }
    expectMoved(fixture) { _ = try container.read { try $0.rows("SELECT 1") } }
  }

  @Test func aLinkToAnotherFileIsNoticed() throws {
    let fixture = try fixture()
    fixture.container.close()
    let link = fixture.folder.url.appending(path: "link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
    let container = try PersistentContainer(at: link, entities: [Stop.self, StopTime.self])
    let other = fixture.folder.url.appending(path: "other.sqlite")
    try PersistentContainer(at: other, entities: [Stop.self, StopTime.self]).close()
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
    #expect(throws: StoreError.moved(path: link.path)) {
      try container.mainContext.fetch(FetchRequest<Stop>())
    }
  }

  @Test func filesOfExternalDataAreRemovedAgain() throws {
    let folder = try StoreFolder()
    let container = try folder.open("photos.sqlite")
    try FileManager.default.removeItem(atPath: folder.path("photos.sqlite"))
    let photo = container.mainContext.insert(Photo.self)
    (photo.label, photo.blob) = ("p", Data(repeating: 7, count: 300_000))
    #expect(throws: StoreError.moved(path: folder.path("photos.sqlite"))) {
      try container.mainContext.save()
    }
    #expect(folder.files("photos.sqlite").isEmpty)
  }
}
