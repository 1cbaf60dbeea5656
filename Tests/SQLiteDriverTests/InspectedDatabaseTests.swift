// SPDX-License-Identifier: Apache-2.0

import CSQLiteFiles
import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct InspectedDatabaseTests {
  let folder: TemporaryDirectory
  var path: String { folder.path("store.sqlite") }
  init() throws { folder = try TemporaryDirectory() }

  /// Without the bytes: this process has the database open.
  private func snapshot() throws -> FolderSnapshot {
    try FolderSnapshot(folder.url, readsBytes: false)
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

  private func inspect(isCopy: Bool = false, in other: TemporaryDirectory? = nil) throws {
    let path = other?.path("store.sqlite") ?? path
    let url = (other ?? folder).url
    let isInUse = other == nil
    let before = try FolderSnapshot(url, readsBytes: !isInUse)
    do {
      let database = try InspectedDatabase(path: path)
      #expect(database.isCopy == isCopy)
      #expect(try sum(database) == 42)
      if !isCopy {
        #expect(throws: SQLiteError.self) { try database.connection.execute("DELETE FROM main.t") }
      }
      #expect(try FolderSnapshot(url, readsBytes: !isInUse) == before)
    } catch {
      Issue.record(error)
    }
    #expect(try FolderSnapshot(url, readsBytes: !isInUse) == before)
  }

  private func copies(of sides: [String]) throws -> TemporaryDirectory {
    let left = try TemporaryDirectory()
    for side in sides {
      try FileManager.default.copyItem(
        atPath: path + side, toPath: left.path("store.sqlite" + side))
    }
    return left
  }

  /// Nothing is unreadable to root.
  @Test(.enabled(if: geteuid() != 0)) func unreadableDatabaseIsReported() throws {
    _ = try make("DELETE")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: InspectionError.unreadable(path, reason: "Permission denied")) {
      _ = try InspectedDatabase(path: path)
    }
  }

  /// Steps of a backup; more than these begin again without end.
  private func steps(of database: InspectedDatabase, _ write: () -> Void = {}) throws -> Int {
    var steps = 0
    try database.connection.copy(
      to: Connection(path: folder.path("copy.sqlite")), isCancelled: { steps > 20 }
    ) { _, _ in
      steps += 1
      write()
    }
    return steps
  }

  /// 10,000 pages, of which a step of a backup copies 4,096.
  private func makeLarge() throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL; CREATE TABLE t(a); CREATE TABLE b(c);
      INSERT INTO b VALUES (zeroblob(5120000)); INSERT INTO t VALUES (42)
      """)
    return connection
  }

  /// A lock of the same process is not visible to a read-only connection.
  @Test func aDatabaseThatThisProcessHasOpenIsCopiedInOnePass() throws {
    let connection = try makeLarge()
    let count = try steps(of: InspectedDatabase(path: path))
    #expect(count <= 4)
    withExtendedLifetime(connection) {}
  }

  @Test func aDatabaseIsCopiedAsItIsWhileAnotherConnectionWrites() throws {
    let connection = try makeLarge()
    let count = try steps(of: InspectedDatabase(path: path)) {
      do { try connection.execute("INSERT INTO t VALUES (1)") } catch { Issue.record(error) }
    }
    #expect(count <= 4)
    let copy = try Connection(path: folder.path("copy.sqlite"))
    let sum = try copy.prepare("SELECT sum(a) FROM t")
    #expect(try sum.step() && sum.int64(0) == 42)
  }

  @Test func rollbackFileIsReadInPlace() throws {
    _ = try make("DELETE")
    try inspect()
  }

  @Test func closedWALFileIsReadInPlace() throws {
    _ = try make("WAL")
    #expect(try snapshot().names == ["store.sqlite"])
    try inspect()
  }

  @Test func WALFileInUseIsReadBesideItsUser() throws {
    let user = try make("WAL")
    let before = try snapshot()
    do {
      let database = try InspectedDatabase(path: path)
      #expect(!database.isCopy)
      #expect(try sum(database) == 42)
      #expect(try snapshot() == before)
      try user.execute("INSERT INTO t VALUES(1)")
      #expect(try sum(database) == 43)
      _ = try user.checkpoint(.truncate)
      #expect(try sum(database) == 43)
      try user.execute("DELETE FROM t WHERE a = 1")
      #expect(try sum(database) == 42)
    }
    #expect(try snapshot().names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
  }

  /// No reader has set a read mark then.
  @Test func firstTransactionOfALogIsRead() throws {
    let user = try Connection(path: path)
    try user.execute("PRAGMA journal_mode=WAL")
    let early = try InspectedDatabase(path: path)
    try user.execute("CREATE TABLE t(a)")
    #expect(try sum(early) == 0)
    try user.execute("INSERT INTO t VALUES(40), (2)")
    #expect(try sum(early) == 42)
    try inspect()
  }

  @Test func writerThatComesLaterIsSeen() throws {
    _ = try make("WAL")
    let database = try InspectedDatabase(path: path)
    #expect(try sum(database) == 42)
    let writer = try Connection(path: path)
    try writer.execute("INSERT INTO t VALUES(1)")
    #expect(try sum(database) == 43)
    _ = try writer.checkpoint(.truncate)
    try writer.execute("INSERT INTO t VALUES(1)")
    #expect(try sum(database) == 44)
  }

  @Test func writeDuringATransactionOfTheInspectionIsBusy() throws {
    try make("WAL").execute(
      "CREATE TABLE big(x); WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 900) "
        + "INSERT INTO big SELECT zeroblob(3000) FROM n")
    let database = try InspectedDatabase(path: path)
    try database.connection.execute("BEGIN; SELECT count(*) FROM t")
    let writer = try Connection(path: path)
    try writer.execute("UPDATE big SET x = 1")
    let error = #expect(throws: SQLiteError.self) {
      try database.connection.execute("SELECT sum(length(x)) FROM big")
    }
    #expect(error?.isBusy == true)
    try database.connection.execute("ROLLBACK")
    #expect(try sum(database) == 42)
  }

  @Test(arguments: [["", "-wal"], ["", "-wal", "-shm"]])
  func filesOfACrashAreReadInPlace(sides: [String]) throws {
    let user = try make("WAL")
    try inspect(in: copies(of: sides))
    _ = user
  }

  @Test func hotJournalIsRolledBackInACopy() throws {
    let user = try make("DELETE")
    // A tiny page cache spills the open transaction into the file.
    try user.execute(
      "PRAGMA cache_size=1; BEGIN; WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 2000) "
        + "INSERT INTO t SELECT 1000 + i FROM n")
    try inspect(isCopy: true, in: copies(of: ["", "-journal"]))
    _ = user
  }

  @Test(arguments: [0, 1, 511], ["-wal", "-journal"])
  func logOfACutFileStays(size: Int, companion: String) throws {
    let user = try make(companion == "-wal" ? "WAL" : "DELETE")
    try user.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
    let left = try copies(of: [companion])
    let file = left.path("store.sqlite")
    try Data(count: size).write(to: URL(filePath: file))
    let before = try FolderSnapshot(left.url)
    #expect(failure(file) == .fault(.cut(file, companion: file + companion)))
    #expect(throws: SQLiteError.self) { _ = try Connection(path: file, mode: .guarded) }
    #expect(try FolderSnapshot(left.url) == before)
  }

  @Test(.endsWhenStuck, arguments: ["", "-wal", "-journal", "-shm"])
  func pipeIsNotOpened(side: String) throws {
    if !side.isEmpty { _ = try make("DELETE") }
    #expect(mkfifo(path + side, 0o600) == 0)
    #expect(failure(path) == .fault(.notRegular(path + side)))
  }

  /// Closing any descriptor of a file drops all locks that the process has on it.
  @Test(arguments: ["WAL", "DELETE"])
  func locksOfTheSameProcessSurvive(journalMode: String) throws {
    let user = try make(journalMode)
    try user.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
    let locked = LockedBytes(of: path)
    let before = locked.list
    #expect(!before.isEmpty)
    #expect(try sum(InspectedDatabase(path: path)) == 42)
    #expect(locked.list == before)
    let copy = folder.path("copy")
    #expect(CSQLiteFiles_copy(path, copy) == 0)
    #expect(try size(copy) == size(path))
    #expect(locked.list == before)
    try user.execute("COMMIT")
    #expect(try sum(InspectedDatabase(path: path)) == 43)
    withExtendedLifetime(locked) {}
  }

  private func size(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
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
