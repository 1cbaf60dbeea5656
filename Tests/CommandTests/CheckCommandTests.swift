// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `trace-report check`.
@Suite(.enabled(if: Python.has("sqlite3"))) struct CheckCommandTests {
  private let directory: TemporaryDirectory
  private let report = BuiltTool("trace-report")
  private var database: String { directory.path("app.db") }

  init() throws { directory = try TemporaryDirectory() }

  private struct Check: Decodable {
    struct Problem: Decodable { var kind: String }
    struct Log: Decodable { var transactions: Int }
    var verdict: String
    var problems: [Problem]
    var remarks: [String]
    var log: Log?
    var failure: String?
  }

  private func check(_ path: String, status: Int32) async throws -> Check {
    let run = try await report.run("check", path, "--json")
    #expect(run.status == status, "\(run.output) \(run.errorOutput)")
    return try JSONDecoder().decode(Check.self, from: Data(run.output.utf8))
  }

  /// Runs a script to its end; `P` is the database.
  private func python(_ code: String) async throws {
    let run = try await report.run(
      through: [
        "timeout", "60", "python3", "-c",
        "import os, shutil, sqlite3, sys\nP = sys.argv[1]\n" + code, database,
      ],
      [])
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  private static let rows = """
    c = sqlite3.connect(P, isolation_level=None)
    c.execute('CREATE TABLE t (a INTEGER PRIMARY KEY, b)'); c.execute('CREATE INDEX i ON t (b)')
    c.executemany('INSERT INTO t (b) VALUES (?)', [('x' * 500 + str(i),) for i in range(500)])

    """

  @Test(arguments: ["WAL", "DELETE"]) func aSoundFileIsSound(mode: String) async throws {
    try await python(Self.rows + "c.execute('PRAGMA journal_mode = \(mode)'); c.close()")
    let before = try FolderSnapshot(directory.url)
    let check = try await check(database, status: 0)
    #expect(check.verdict == "sound" && check.problems.isEmpty)
    #expect(
      check.remarks.contains { $0.contains("has no log, which is normal") } == (mode == "WAL"))
    #expect(try FolderSnapshot(directory.url) == before)
  }

  @Test func aDamagedPageIsFound() async throws {
    try await python(
      Self.rows + """
        c.close(); f = open(P, 'r+b'); f.seek(4096 * 20); f.write(b'\\xff' * 300); f.close()
        """)
    let check = try await check(database, status: 2)
    #expect(check.verdict == "damaged")
    #expect(check.problems.allSatisfy { $0.kind == "integrity" } && !check.problems.isEmpty)
  }

  @Test func aCutFileIsFound() async throws {
    try await python(Self.rows + "c.close(); os.truncate(P, os.path.getsize(P) // 2)")
    let check = try await check(database, status: 2)
    #expect(check.problems.first?.kind == "truncated")
  }

  @Test func aRowWithoutItsParentIsFound() async throws {
    try await python(
      Self.rows
        + "c.execute('CREATE TABLE u (t REFERENCES t)'); c.execute('INSERT INTO u VALUES (9999)')")
    let check = try await check(database, status: 2)
    #expect(check.problems.map(\.kind) == ["foreignKeys"])
  }

  @Test func aFileThatIsNoDatabaseIsFound() async throws {
    try "some text that is no database".write(toFile: database, atomically: true, encoding: .utf8)
    let check = try await check(database, status: 2)
    #expect(check.problems.map(\.kind) == ["noDatabase"])
  }

  /// The log of a program that was killed.
  @Test func transactionsOfTheLogAreCounted() async throws {
    try await python(
      """
      c = sqlite3.connect(P, isolation_level=None); c.execute('PRAGMA journal_mode = WAL')
      c.execute('CREATE TABLE t (a)'); [c.execute('INSERT INTO t VALUES (1)') for i in range(9)]
      sys.stdout.flush(); os.kill(os.getpid(), 0); os._exit(0)
      """)
    let before = try FolderSnapshot(directory.url)
    let check = try await check(database, status: 0)
    #expect(check.log?.transactions == 10)
    #expect(check.remarks.first?.hasPrefix("The next connection recovers 10 transactions") == true)
    #expect(try FolderSnapshot(directory.url) == before)
  }

  @Test func aDamagedLogIsFound() async throws {
    try await python(
      """
      c = sqlite3.connect(P, isolation_level=None); c.execute('PRAGMA journal_mode = WAL')
      c.execute('CREATE TABLE t (a)'); [c.execute('INSERT INTO t VALUES (1)') for i in range(9)]
      f = os.open(P + '-wal', os.O_RDWR); os.pwrite(f, b'\\xff' * 9, 32 + 4120 * 5 + 300); os._exit(0)
      """)
    let check = try await check(database, status: 2)
    #expect(check.problems.map(\.kind) == ["damagedLog"])
  }

  @Test func theLogOfAnotherDatabaseIsFound() async throws {
    try await python(
      """
      c = sqlite3.connect(P, isolation_level=None); c.execute('PRAGMA journal_mode = WAL')
      c.execute('CREATE TABLE t (a)'); shutil.copy(P + '-wal', P + '2'); c.close(); os.unlink(P)
      c = sqlite3.connect(P); c.execute('PRAGMA page_size = 1024'); c.execute('PRAGMA journal_mode = WAL')
      c.execute('CREATE TABLE u (a)'); c.close(); os.rename(P + '2', P + '-wal')
      """)
    let check = try await check(database, status: 2)
    #expect(check.problems.map(\.kind).contains("foreignLog"))
  }

  @Test(arguments: ["WAL", "DELETE"]) func aDatabaseInUseIsCheckedAndNamesItsProgram(
    mode: String
  ) async throws {
    let program = try PythonProgram(
      "c.execute('BEGIN IMMEDIATE'); c.execute('INSERT INTO t VALUES (2)')", database: database,
      mode: mode)
    defer { program.end() }
    let run = try await report.run("check", database, "--json")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("\"pid\" : \(program.pid)"))
    #expect(run.output.contains("'.backup COPY'"))
  }

  @Test func aLockedDatabaseIsNotChecked() async throws {
    let program = try PythonProgram(
      "c.execute('PRAGMA locking_mode = EXCLUSIVE'); c.execute('INSERT INTO t VALUES (2)')",
      database: database, mode: "DELETE")
    defer { program.end() }
    let check = try await check(database, status: 3)
    #expect(check.verdict == "inconclusive")
    #expect(check.failure?.contains("is locked by another program") == true)
  }

  @Test func aHotJournalIsRolledBackInTheCopyOnly() async throws {
    try await python(
      Self.rows + """
        c.execute('PRAGMA cache_size = 5'); c.execute('BEGIN'); c.execute("UPDATE t SET b = 'y' || b")
        os._exit(0)
        """)
    let before = try FolderSnapshot(directory.url)
    let check = try await check(database, status: 0)
    #expect(check.remarks.contains { $0.hasPrefix("The journal is hot") })
    #expect(try FolderSnapshot(directory.url) == before)
  }
}
