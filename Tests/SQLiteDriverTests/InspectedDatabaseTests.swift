// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct InspectedDatabaseTests {
  let folder: TemporaryDirectory
  var path: String { folder.path("store.sqlite") }
  init() throws { folder = try TemporaryDirectory() }

  /// Names, bytes and modification dates of the folder's files.
  private func snapshot() throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      let date = try FileManager.default.attributesOfItem(atPath: folder.path(name))[
        .modificationDate]
      let bytes = try Data(contentsOf: URL(filePath: folder.path(name)))
      files[name] = "\(String(describing: date)) \(bytes.count) \(bytes.hashValue)"
    }
    return files
  }

  private func sum(_ database: InspectedDatabase) throws -> Int64 {
    let statement = try database.connection.prepare("SELECT sum(a) FROM t")
    #expect(try statement.step())
    return statement.int64(0)
  }

  private func make(_ journalMode: String) throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute(
      "PRAGMA journal_mode=\(journalMode); CREATE TABLE t(a); INSERT INTO t VALUES(40), (2)")
    return connection
  }

  private func inspect(_ access: InspectedDatabase.Access) throws {
    let before = try snapshot()
    do {
      let database = try InspectedDatabase(path: path)
      #expect(database.access == access)
      #expect(try sum(database) == 42)
      #expect(throws: SQLiteError.self) { try database.connection.execute("DELETE FROM main.t") }
      #expect(try snapshot() == before)
    } catch {
      Issue.record(error)
    }
    #expect(try snapshot() == before)
  }

  @Test func whatCannotBeCopiedIsOneSentence() throws {
    for (code, reason) in [
      (CocoaError.fileWriteOutOfSpace, "No space left on device"),
      (CocoaError.fileWriteNoPermission, "Permission denied"),
    ] {
      let error = InspectionError(CocoaError(code), path: "a.sqlite")
      #expect(
        "\(error)"
          == "'a.sqlite' has to be copied to be read, since its log is not checkpointed, and cannot be: "
          + "\(reason); point TMPDIR to a folder with room")
    }
  }

  /// Nothing is unreadable to root.
  @Test(.enabled(if: geteuid() != 0)) func whatMayNotBeReadIsReported() throws {
    _ = try make("DELETE")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: InspectionError.unreadable(path, reason: "Permission denied")) {
      _ = try InspectedDatabase(path: path)
    }
  }

  @Test func rollbackFileIsReadInPlace() throws {
    _ = try make("DELETE")
    try inspect(.shared)
  }

  @Test func closedWALFileIsReadAsImmutable() throws {
    _ = try make("WAL")
    #expect(try snapshot().keys.sorted() == ["store.sqlite"])
    try inspect(.immutable)
  }

  @Test func WALFileInUseIsReadBesideItsUser() throws {
    let user = try make("WAL")
    let before = try snapshot().filter { $0.key != "store.sqlite-shm" }
    do {
      let database = try InspectedDatabase(path: path)
      #expect(database.access == .shared)
      #expect(try sum(database) == 42)
      try user.execute("INSERT INTO t VALUES(1)")
      #expect(try sum(database) == 43)
      try user.execute("DELETE FROM t WHERE a = 1")
    }
    #expect(before.keys.sorted() == ["store.sqlite", "store.sqlite-wal"])
    #expect(try snapshot()["store.sqlite"] == before["store.sqlite"])
    #expect(try snapshot().count == 3)
  }

  @Test func unusedLogIsReadFromACopy() throws {
    let user = try make("WAL")
    let left = try TemporaryDirectory()
    for side in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + side, toPath: left.path("store.sqlite" + side))
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: left.url.path).sorted()
    let database = try InspectedDatabase(path: left.path("store.sqlite"))
    #expect(database.access == .copy)
    #expect(try sum(database) == 42)
    #expect(try FileManager.default.contentsOfDirectory(atPath: left.url.path).sorted() == before)
    #expect(
      FileManager.default.contentsEqual(
        atPath: path + "-wal", andPath: left.path("store.sqlite-wal")))
    _ = user
  }

  @Test func threeFilesOfACrashAreReadAndNoneIsLostOrNew() throws {
    let user = try make("WAL")
    let left = try TemporaryDirectory()
    for side in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(
        atPath: path + side, toPath: left.path("store.sqlite" + side))
    }
    do {
      let database = try InspectedDatabase(path: left.path("store.sqlite"))
      #expect(try sum(database) == 42)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: left.url.path).sorted()
    #expect(names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
    // The -shm file is SQLite's lock table and holds no data; the reader may rebuild it.
    for side in ["", "-wal"] {
      #expect(
        FileManager.default.contentsEqual(
          atPath: path + side, andPath: left.path("store.sqlite" + side)))
    }
    _ = user
  }

  @Test func hotJournalIsRolledBackInACopy() throws {
    let user = try make("DELETE")
    let left = try TemporaryDirectory()
    // A tiny page cache spills the open transaction into the file.
    try user.execute(
      "PRAGMA cache_size=1; BEGIN; WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 2000) "
        + "INSERT INTO t SELECT 1000 + i FROM n")
    for side in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: path + side, toPath: left.path("store.sqlite" + side))
    }
    let database = try InspectedDatabase(path: left.path("store.sqlite"))
    #expect(database.access == .copy)
    #expect(try sum(database) == 42)
    #expect(try FileManager.default.contentsOfDirectory(atPath: left.url.path).count == 2)
  }

  private func failure(_ path: String) -> InspectionError? {
    do {
      _ = try InspectedDatabase(path: path, busyTimeout: 10)
      return nil
    } catch {
      return error
    }
  }

  @Test func missingFile() {
    #expect(failure(path) == .missing(path))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func folderInPlaceOfFile() {
    #expect(failure(folder.url.path) == .notAFile(folder.url.path))
  }

  @Test func encryptedOrOtherFile() throws {
    try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
      .write(to: URL(filePath: path))
    #expect(failure(path) == .notADatabase(path))
    #expect(failure(path)?.description.contains("encrypted") == true)
  }

  @Test func corruptFile() throws {
    _ = try make("DELETE")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(100..<1000, with: Data(repeating: 0xff, count: 900))
    try bytes.write(to: URL(filePath: path))
    guard case .corrupt = failure(path) else {
      Issue.record("\(String(describing: failure(path)))")
      return
    }
  }

  @Test func lockedFile() throws {
    let user = try make("DELETE")
    try user.execute("BEGIN EXCLUSIVE")
    #expect(failure(path) == .locked(path))
  }
}
