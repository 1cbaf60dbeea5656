// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// `trace-report locks` about a database's files.
@Suite struct LockWarningTests {
  private let directory: TemporaryDirectory
  private let report = BuiltTool("trace-report")
  private var file: URL { directory.url.appending(path: "app.db") }
  private var journal: URL { directory.url.appending(path: "app.db-journal") }

  init() throws { directory = try TemporaryDirectory() }

  private func warnings() async throws -> [String] {
    let run = try await report.run("locks", file.path, "--json")
    #expect(run.status == 0)
    struct Locks: Decodable { var warnings: [String] }
    return try JSONDecoder().decode(Locks.self, from: Data(run.output.utf8)).warnings
  }

  /// Copies a database and its journal in the middle of a transaction, as a power failure leaves them.
  private func writeHotJournal() throws {
    let other = directory.url.appending(path: "other.db").path
    let connection = try Connection(path: other)
    try connection.execute("PRAGMA cache_size = 5; CREATE TABLE t (a, b)")
    try connection.execute(
      """
      WITH n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO t SELECT i, hex(zeroblob(200)) FROM n
      """)
    try connection.execute("BEGIN; UPDATE t SET b = 'x' || b")
    try FileManager.default.copyItem(atPath: other, toPath: file.path)
    try FileManager.default.copyItem(atPath: other + "-journal", toPath: journal.path)
    try connection.execute("ROLLBACK")
  }

  @Test func aHotJournalIsReported() async throws {
    try writeHotJournal()
    let warnings = try await warnings()
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasPrefix("The journal '\(journal.path)' is hot: ") == true)
    // Nothing was rolled back by the observation.
    let bytes = try Data(contentsOf: journal)
    #expect(bytes.prefix(4) == Data([0xd9, 0xd5, 0x05, 0xf9]))
  }

  @Test func theJournalOfAWriterIsNotHot() async throws {
    let connection = try Connection(path: file.path)
    try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try connection.execute("BEGIN; UPDATE t SET a = 2")
    #expect(FileManager.default.fileExists(atPath: journal.path))
    #expect(try await warnings() == [])
    try connection.execute("ROLLBACK")
  }

  @Test(arguments: ["TRUNCATE", "PERSIST"])
  func aJournalThatIsKeptIsNotHot(mode: String) async throws {
    let connection = try Connection(path: file.path)
    try connection.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)")
    #expect(FileManager.default.fileExists(atPath: journal.path))
    #expect(try await warnings() == [])
  }

  /// A program that only reads loses nothing.
  @Test(arguments: [(O_RDWR, 1), (O_RDONLY, 0)])
  func aFileThatWasReplacedWhileOpenIsReported(access: Int32, count: Int) async throws {
    try "old".write(to: file, atomically: false, encoding: .utf8)
    // Not a FileHandle: the programs that other tests start meanwhile would inherit the file.
    let descriptor = open(file.path, access | O_CLOEXEC)
    #expect(descriptor >= 0)
    let other = directory.url.appending(path: "other.db")
    try Connection(path: other.path).execute("CREATE TABLE t (a)")
    #expect(rename(other.path, file.path) == 0)
    let replaced = try await warnings()
    #expect(replaced.count == count)
    #expect(replaced.allSatisfy { $0.contains("[\(getpid())] still has the older file open") })
    #expect(replaced.allSatisfy { $0.contains("what is written to it is lost") })
    close(descriptor)
    #expect(try await warnings() == [])
  }

  @Test func aFileThatIsNoDatabaseIsReported() async throws {
    try "some text".write(to: file, atomically: false, encoding: .utf8)
    let warnings = try await warnings()
    #expect(warnings.first?.hasPrefix("The file is not an SQLite database, or it is") == true)
  }

  /// SQLite names the log, its index and the journal when it opens the database.
  @Test(arguments: ["WAL", "DELETE"], [true, false])
  func aFileThatWasOpenedByAnotherNameIsReportedWithItsHolder(
    mode: String, isRenamed: Bool
  ) async throws {
    let first = directory.url.appending(path: "first.db")
    let connection = try Connection(path: first.path)
    try connection.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)")
    try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    if isRenamed {
      #expect(rename(first.path, file.path) == 0)
    } else {
      #expect(link(first.path, file.path) == 0)
    }
    let run = try await report.run("locks", file.path)
    #expect(run.output.contains("the writer lock is held by "), "\(run.output)")
    let warnings = try await warnings()
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains(" opened the file as '\(first.path)'") == true)
    try connection.execute("ROLLBACK")
  }

  /// It has the descriptors of all three, and no lock that distinguishes them.
  @Test(arguments: ["WAL", "DELETE"])
  func aForkedChildOfAProcessWithSeveralDatabasesIsNotNamed(mode: String) async throws {
    let folder = directory.url.path
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    program.arguments = [
      "python3", "-c",
      """
      import os, sqlite3, sys, time
      os.chdir("\(folder)")
      open_ = [sqlite3.connect(name, isolation_level=None) for name in ("first.db", "second.db", "third.db")]
      for c in open_:
          c.execute("PRAGMA journal_mode = \(mode)").fetchall()
          c.execute("CREATE TABLE t (a)")
      open_[0].execute("BEGIN IMMEDIATE"); open_[0].execute("INSERT INTO t VALUES (1)")
      os.rename("first.db", "renamed.db")
      child = os.fork()
      if child == 0:
          time.sleep(60)
          os._exit(0)
      open("ready", "w").close()
      sys.stdin.read()
      os.kill(child, 9)
      """,
    ]
    let input = Pipe()
    program.standardInput = input
    try program.run()
    defer {
      try? input.fileHandleForWriting.close()
      program.waitUntilExit()
    }
    while !FileManager.default.fileExists(atPath: folder + "/ready"), program.isRunning {
      try await Task.sleep(for: .milliseconds(20))
    }
    for other in ["second.db", "third.db"] {
      let run = try await report.run("locks", folder + "/" + other)
      #expect(!run.output.contains("opened the file as"), "\(run.output)")
    }
  }

  /// The other databases of the folder have the same journal mode, and one of them was not read yet.
  @Test(arguments: ["WAL", "DELETE"])
  func oneOfSeveralDatabasesOfAProcessThatWasRenamedIsFound(mode: String) async throws {
    let paths = ["first.db", "second.db", "third.db"].map { directory.url.appending(path: $0).path }
    for path in paths {
      let connection = try Connection(path: path)
      try connection.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)")
    }
    let open = try paths.map { try Connection(path: $0) }
    try open[1].execute("SELECT * FROM t")
    try open[0].execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    #expect(rename(paths[0], file.path) == 0)
    let run = try await report.run("locks", file.path)
    #expect(run.output.contains("the writer lock is held by "), "\(run.output)")
    #expect(try await warnings().first?.contains(" opened the file as '\(paths[0])'") == true)
    for other in paths[1...] {
      let run = try await report.run("locks", other)
      #expect(!run.output.contains("is held by "), "\(run.output)")
      #expect(!run.output.contains("opened the file as"), "\(run.output)")
    }
    try open[0].execute("ROLLBACK")
  }
}
