// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Failures of the file, copies of SQLite, and settings: a case that is reported, and similar ones that are
/// not.
@Suite struct CorruptionRuleTests {
  private static let malformed = "SQLITE_CORRUPT: database disk image is malformed"
  private static let rules: Set = [
    "HandleCorruption", "OneSQLitePerProcess", "OneNamePerDatabase", "KeepDatabaseLocal",
    "KeepDurableSettings",
  ]

  private func findings(
    path: String = "/srv/app.db", _ write: (inout LockRuns, LockRuns.Program) -> Void
  ) -> [Finding] {
    var runs = LockRuns()
    let program = runs.open(1, "a", path: path)
    write(&runs, program)
    return runs.profile.findings.filter { Self.rules.contains($0.rule) }
  }

  @Test func theFirstFailureOfManyIsReported() {
    let found = findings { runs, program in
      runs.run("SELECT a FROM t", line: 3, of: program, at: 1, rows: 1)
      runs.run("UPDATE t SET a = 1", line: 9, of: program, at: 20, error: Self.malformed)
      for time in 30..<130 {
        runs.run("SELECT b FROM t", line: 4, of: program, at: Double(time), error: Self.malformed)
      }
    }
    #expect(found.map(\.rule) == ["HandleCorruption"])
    #expect(found.first?.caller.line == 9)
    #expect(
      found.first?.message == """
        It failed first with \(Self.malformed); 1 other statement or line followed, 101 times in all.
        """)
    #expect(found.first?.severity == .warning)
  }

  /// As of a test that deserializes damaged bytes.
  @Test(arguments: ["", ":memory:", "file:a?mode=memory"])
  func aDatabaseInMemoryIsNoDamagedFile(path: String) {
    let found = findings(path: path) { runs, program in
      runs.run("SELECT a FROM t", line: 3, of: program, at: 1, error: Self.malformed)
    }
    #expect(found.isEmpty)
  }

  @Test func eachKindOfFailureHasItsFinding() {
    let errors = [
      "SQLITE_NOTADB: file is not a database", "SQLITE_IOERR: disk I/O error",
      "SQLITE_FULL: database or disk is full",
      "SQLITE_READONLY: attempt to write a readonly database",
      "SQLITE_BUSY: database is locked", "SQLITE_CONSTRAINT: UNIQUE constraint failed",
    ]
    let found = findings { runs, program in
      for (number, error) in errors.enumerated() {
        runs.run("DELETE FROM t", line: UInt64(number), of: program, at: 1, error: error)
      }
    }
    #expect(found.map(\.caller.line).sorted() == [0, 1, 2, 3])
    #expect(found.filter { $0.severity == .note }.map(\.caller.line) == [3])
  }

  @Test func twoCopiesOfSQLiteAtATimeAreReported() {
    let both = findings { runs, program in
      _ = runs.open(1, "a", connection: 2, library: "/venv/apsw.so")
      runs.run("SELECT 1", line: 3, of: program, at: 1)
      runs.run("SELECT 2", line: 4, of: program, at: 2, connection: 2)
      runs.run("SELECT 3", line: 5, of: program, at: 3, connection: 2)
    }
    #expect(both.map(\.rule) == ["OneSQLitePerProcess"])
    #expect(both.map(\.caller.line) == [4])
    #expect(both.first?.message.contains("/usr/lib/libsqlite3.so.0 and /venv/apsw.so") == true)
  }

  @Test(arguments: [1, 2] as [Int64])
  func twoNamesOfAFileAtATimeAreReported(process: Int64) {
    let found = findings { runs, program in
      let second = runs.open(process, "b", path: "/srv/current.db", connection: 2)
      runs.run("SELECT 2", line: 4, of: second, at: 2, connection: 2)
      runs.run("SELECT 1", line: 3, of: program, at: 3)
    }
    #expect(found.map(\.rule) == ["OneNamePerDatabase"])
    #expect(found.map(\.caller.line) == [4])
    #expect(found.first?.message.contains("'/srv/app.db' and '/srv/current.db'") == true)
  }

  /// A copy without slots does not show a statement that is not prepared.
  @Test func connectionWithoutStatementsIsReportedAtItsOpeningLine() {
    let found = findings { runs, program in
      _ = runs.open(
        1, "a", path: "/srv/current.db", connection: 2, library: "/venv/apsw.so", line: 8)
      runs.run("SELECT 1", line: 3, of: program, at: 3)
    }
    #expect(Set(found.map(\.rule)) == ["OneNamePerDatabase", "OneSQLitePerProcess"])
    #expect(found.map(\.caller.line) == [8, 8])
  }

  @Test(arguments: ["nfs4": 1, "fuse.sshfs": 1, "fuse.bindfs": 0, "virtiofs": 0, "": 0])
  func aDatabaseOnAnotherMachineIsReportedOnce(type: String, count: Int) {
    let found = findings { runs, program in
      for connection in [2, 3] as [UInt64] {
        _ = runs.open(
          1, "a", path: "/mnt/app.db", inode: 8, connection: connection, fileSystem: type)
        runs.run(
          "SELECT 2", line: connection, of: program, at: Double(connection), connection: connection)
      }
    }
    #expect(found.map(\.rule) == Array(repeating: "KeepDatabaseLocal", count: count))
    #expect(found.map(\.caller.line) == Array(repeating: 2, count: count))
  }

  /// It was killed, and a new file has the number of the one that it had open.
  @Test func filesOfAKilledProgramAreClosed() {
    #expect(
      findings { runs, program in
        runs.run("SELECT 1", line: 3, of: program, at: 1)
        let second = runs.open(2, "b", path: "/srv/test-2.db", connection: 2, at: 2)
        runs.run("SELECT 2", line: 4, of: second, at: 3, connection: 2)
        runs.close(2, of: second, at: 4)
        let third = runs.open(3, "c", path: "/srv/test-3.db", connection: 2, at: 5)
        runs.run("SELECT 3", line: 5, of: third, at: 6, connection: 2)
      }.isEmpty)
  }

  /// As of containers, and of a file that is made under another name.
  @Test func mountsAndNamesOneAfterTheOtherAreNot() {
    #expect(
      findings { runs, program in
        _ = runs.open(2, "b", path: "/data/app.db")
        runs.close(1, of: program)
        runs.close(1, of: .init(pid: 2, name: "b"))
        _ = runs.open(1, "a", path: "/srv/current.db", connection: 2)
      }.isEmpty)
  }

  @Test func copiesOneAfterAnotherOrOfOtherFilesOrProcessesAreNot() {
    #expect(
      findings { runs, program in
        runs.close(1, of: program)
        _ = runs.open(1, "a", connection: 2, library: "/venv/apsw.so")
      }.isEmpty)
    #expect(
      findings { runs, _ in
        _ = runs.open(1, "a", path: "/srv/b.db", inode: 8, connection: 2, library: "/venv/apsw.so")
        _ = runs.open(2, "b", library: "/venv/apsw.so")
        _ = runs.open(1, "a", connection: 3)
      }.isEmpty)
  }

  @Test(arguments: [
    "PRAGMA synchronous = OFF", "pragma main.synchronous=0", "PRAGMA journal_mode = 'MEMORY'",
    "PRAGMA journal_mode(off)", "PRAGMA writable_schema = ON",
  ])
  func aSettingWithoutProtectionIsANote(sql: String) {
    let found = findings { runs, program in
      runs.run(sql, line: 5, of: program, at: 1, writes: false)
    }
    #expect(found.map(\.rule) == ["KeepDurableSettings"])
    #expect(found.first?.severity == .note)
    #expect(found.first?.caller.line == 5)
    let inMemory = findings(path: ":memory:") { runs, program in
      runs.run(sql, line: 5, of: program, at: 1, writes: false)
    }
    #expect(inMemory.isEmpty)
  }

  @Test(arguments: [
    "PRAGMA synchronous = NORMAL", "PRAGMA synchronous", "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = OFF", "PRAGMA foreign_keys = OFF", "PRAGMA user_version = 0",
  ])
  func otherSettingsAreNot(sql: String) {
    #expect(
      findings { runs, program in
        runs.run(sql, line: 5, of: program, at: 1, writes: false)
      }.isEmpty)
  }
}
