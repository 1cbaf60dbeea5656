// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `trace-report locks --rescue`: files that a program still has open are saved before it ends.
@Suite(.enabled(if: Python.has("sqlite3"))) struct RescueTests {
  private let directory: TemporaryDirectory
  private let saved: TemporaryDirectory
  private let report = BuiltTool("trace-report")
  private var database: String { directory.path("app.db") }
  private var folder: String { saved.path("rescued") }

  init() throws {
    directory = try TemporaryDirectory()
    saved = try TemporaryDirectory()
  }

  /// The rows that a program of another language reads.
  private func query(_ sql: String, in path: String) async throws -> String {
    let script = """
      import sqlite3, sys
      print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())
      """
    return try await report.run(through: ["python3", "-c", script, path, sql], []).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func eachCommitOfADeletedLogIsReadable() async throws {
    let program = try PythonProgram(
      """
      c.execute('PRAGMA wal_autocheckpoint = 0'); os.unlink(P + '-wal')
      for i in range(1000): c.execute('INSERT INTO t VALUES (?)', (i,))
      """, database: database, mode: "WAL")
    let run = try await report.run("locks", database, "--rescue", folder)
    kill(program.pid, SIGKILL)
    program.end()
    #expect(run.status == 0, "\(run.errorOutput)")
    // CREATE TABLE and the first row are two more.
    #expect(run.output.contains("with 1,002 transactions in the log. integrity_check: ok."))
    #expect(run.output.contains("from python3[\(program.pid)]"))
    let copy = folder + "/app.db"
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
        "app.db", "app.db-wal",
      ])
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    #expect(try await query("SELECT count(*), sum(a) FROM t", in: copy) == "[(1001, 499501)]")
    #expect(try await query("SELECT name FROM sqlite_schema", in: database) == "[]")
  }

  @Test func aProgramThatCommitsMeanwhileIsSavedInOneState() async throws {
    let program = try PythonProgram(
      """
      import threading
      c.close(); c = sqlite3.connect(P, isolation_level=None, check_same_thread=False)
      c.execute('CREATE TABLE n (a, b)')
      os.unlink(P + '-wal')
      def run():
          for i in range(100000):
              c.execute('BEGIN'); c.execute('INSERT INTO n VALUES (?, 1)', (i,))
              c.execute('INSERT INTO n VALUES (?, 2)', (i,)); c.execute('COMMIT')
              time.sleep(0.005)
      threading.Thread(target=run, daemon=True).start()
      """, database: database, mode: "WAL")
    defer { program.end() }
    let run = try await report.run("locks", database, "--rescue", folder)
    #expect(run.status == 0, "\(run.errorOutput)")
    let copy = folder + "/app.db"
    #expect(
      try await query("SELECT count(*) FROM n GROUP BY a HAVING count(*) <> 2", in: copy) == "[]")
  }

  @Test(arguments: ["WAL", "DELETE"]) func aDeletedDatabaseIsSaved(mode: String) async throws {
    let program = try PythonProgram(
      "[os.unlink(P + s) for s in ['', '-wal', '-shm'] if os.path.exists(P + s)]",
      database: database, mode: mode)
    defer { program.end() }
    let run = try await report.run("locks", database, "--rescue", folder)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try await query("SELECT a FROM t", in: folder + "/app.db") == "[(1,)]")
  }

  @Test func aTransactionWithoutItsJournalIsSavedWithTheJournal() async throws {
    let program = try PythonProgram(
      """
      c.execute('PRAGMA cache_size = 5')
      c.executemany('INSERT INTO t VALUES (?)', [('x' * 2000,)] * 100)
      c.execute('BEGIN'); c.execute('UPDATE t SET a = 2'); os.unlink(P + '-journal')
      """, database: database, mode: "DELETE")
    defer { program.end() }
    let run = try await report.run("locks", database, "--rescue", folder)
    #expect(run.status == 0, "\(run.errorOutput)")
    // The copy is rolled back.
    #expect(
      try await query("SELECT count(*) FROM t WHERE a = 2", in: folder + "/app.db") == "[(0,)]")
  }

  @Test func theFolderIsNewAndNotTheDatabases() async throws {
    let program = try PythonProgram(
      "os.unlink(P + '-wal')", database: database, mode: "WAL")
    defer { program.end() }
    let existing = try await report.run("locks", database, "--rescue", saved.url.path)
    #expect(existing.status == 1)
    #expect(existing.errorOutput.contains("File exists; name a folder that does not exist"))
    let beside = try await report.run("locks", database, "--rescue", directory.path("new"))
    #expect(beside.status == 64)
    #expect(beside.errorOutput.contains("is in the folder of the database"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: saved.url.path) == [])
  }

  @Test func withoutADeletedFileThereIsNothingToSave() async throws {
    let program = try PythonProgram("", database: database, mode: "WAL")
    defer { program.end() }
    let run = try await report.run("locks", database, "--rescue", folder)
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("nothing to save"))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
