// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// Openings of a file that another program holds, or left in the middle of a transaction.
@Suite struct LockedOpeningTests {
  private var readOnly: StoreOptions {
    var options = StoreOptions()
    options.isReadOnly = true
    return options
  }

  @Test(arguments: ["DELETE", "WAL"])
  func aReadOnlyOpeningOfALockedFileWaitsAndIsThenBusy(journalMode: String) throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    fixture.container.close()
    let holder = try Connection(path: fixture.url.path, mode: .readWrite)
    try holder.execute("PRAGMA journal_mode = \(journalMode)")
    try holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    try holder.execute("BEGIN EXCLUSIVE; UPDATE ZSTOP SET ZNAME = 'B'")
    var options = readOnly
    options.busyTimeout = .milliseconds(30)
    do {
      let container = try fixture.reopened(options: options)
      _ = try container.mainContext.fetch(FetchRequest<Stop>())
      Issue.record("a locked file was read")
    } catch let error as StoreError {
      guard case .busy = error else {
        Issue.record("\(error)")
        return
      }
    }
    try holder.execute("ROLLBACK")
  }

  /// A copy of the file and of its journal, as a crash leaves them.
  @Test func aReadOnlyOpeningRefusesAFileWithAHotJournal() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("first")
    try fixture.context.save()
    fixture.container.close()
    let crashed = fixture.folder.url.appending(path: "crashed.sqlite")
    do {
      let writer = try Connection(path: fixture.url.path, mode: .readWrite)
      try writer.execute(
        """
        PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;
        UPDATE ZSTOP SET ZNAME = 'halfway';
        CREATE TABLE t AS WITH n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 4000)
        SELECT hex(randomblob(100)) FROM n
        """)
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(
          atPath: fixture.url.path + suffix, toPath: crashed.path + suffix)
      }
      try writer.execute("ROLLBACK")
    }
    func open(_ options: StoreOptions) throws -> [String] {
      let container = try PersistentContainer(
        at: crashed, entities: [Stop.self, StopTime.self], options: options)
      let context = container.newBackgroundContext()
      return try context.fetch(FetchRequest<Stop>()).map(\.name)
    }
    #expect { try open(readOnly) } throws: { error in
      "\(error)".contains("its journal has to be rolled back")
    }
    #expect(try open(StoreOptions()) == ["first"])
    #expect(try open(readOnly) == ["first"])
  }
}
