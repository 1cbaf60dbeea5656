// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis

/// Programs' operations on the files of open databases: a case that is reported, and similar ones
/// that are not, or as a note.
@Suite struct FileTouchRuleTests {
  private static let rules: Set = [
    "DoNotOpenDatabaseFile", "KeepWriteAheadLog", "DoNotUseAfterFork", "UpgradeSQLite",
  ]

  private func findings(
    _ write: (inout LockRuns, LockRuns.Program) -> Void
  ) -> [Finding] {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    write(&runs, program)
    return runs.profile.findings.filter { Self.rules.contains($0.rule) }
  }

  @Test(arguments: ["database", "shm"])
  func aCloseThatCancelsLocksIsAWarningAtItsLine(file: String) {
    let found = findings { runs, program in
      runs.touch("close", file, line: 7, of: program, at: 5)
      runs.touch("close", file, line: 7, of: program, at: 6)
    }
    #expect(found.map(\.rule) == ["DoNotOpenDatabaseFile"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.caller.line == 7)
    #expect(found.first?.message.contains("2 times") == true)
  }

  @Test(arguments: ["wal", "journal"])
  func aCloseOfAFileWithoutLocksIsANote(file: String) {
    let found = findings { runs, program in
      runs.touch("close", file, line: 7, of: program, at: 5)
      runs.run("SELECT 1", line: 8, of: program, at: 6)
    }
    #expect(found.map(\.rule) == ["DoNotOpenDatabaseFile"])
    #expect(found.first?.severity == .note)
  }

  @Test(arguments: ["delete", "rename", "replace"], ["database", "wal", "shm", "journal"])
  func aFileThatIsGoneIsAWarningIfStatementsFollow(operation: String, file: String) {
    let used = findings { runs, program in
      runs.touch(operation, file, line: 7, of: program, at: 5)
      runs.run("INSERT INTO t VALUES (1)", line: 8, of: program, at: 6)
    }
    #expect(used.map(\.rule) == ["KeepWriteAheadLog"])
    #expect(used.first?.severity == .warning)
    #expect(used.first?.caller.line == 7)
    let unused = findings { runs, program in
      runs.run("INSERT INTO t VALUES (1)", line: 6, of: program, at: 4)
      runs.touch(operation, file, line: 7, of: program, at: 5)
    }
    #expect(unused.map(\.severity) == [.note])
  }

  @Test func aTruncatedFileIsAWarning() {
    let found = findings { runs, program in
      runs.touch("truncate", "database", line: 7, of: program, at: 5)
    }
    #expect(found.map(\.rule) == ["KeepWriteAheadLog"])
    #expect(found.first?.severity == .warning)
  }

  @Test func statementsOfOtherDatabasesAndProcessesDoNotFollow() {
    let found = findings { runs, program in
      _ = runs.open(1, "a", path: "/srv/b.db", inode: 8, connection: 2)
      let other = runs.open(2, "b")
      runs.touch("delete", "wal", line: 7, of: program, connection: 2, at: 5)
      runs.run("INSERT INTO t VALUES (1)", line: 8, of: program, at: 6)
      runs.run("INSERT INTO t VALUES (1)", line: 9, of: other, at: 7)
    }
    #expect(found.map(\.severity) == [.note])
  }

  @Test func aConnectionThatIsUsedAfterForkIsAWarning() {
    let found = findings { runs, program in
      runs.touch("fork", "database", line: 9, of: program, at: 5)
    }
    #expect(found.map(\.rule) == ["DoNotUseAfterFork"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.caller.line == 9)
  }

  @Test func aFailureOfTheFileNamesEarlierOperations() {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    let other = runs.open(2, "b")
    runs.touch("close", "wal", line: 6, of: program, at: 4)
    runs.touch("close", "database", line: 7, of: program, at: 5)
    runs.run(
      "SELECT a FROM t", line: 3, of: other, at: 25,
      error: "SQLITE_CORRUPT: database disk image is malformed")
    runs.touch("close", "database", line: 8, of: program, at: 30)
    let found = runs.profile.findings.first { $0.rule == "HandleCorruption" }
    #expect(
      found?.message.hasSuffix(
        "1 time in all. 20 ms before, a at a.py:7 opened and closed the database file.") == true,
      "\(found?.message ?? "")")
  }

  @Test func anotherFailureNamesNothing() {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    runs.touch("close", "database", line: 7, of: program, at: 5)
    runs.run(
      "SELECT a FROM t", line: 3, of: program, at: 25,
      error: "SQLITE_FULL: database or disk is full")
    let found = runs.profile.findings.first { $0.rule == "HandleCorruption" }
    #expect(found?.message.contains("before") == false)
  }

  /// The findings for a log with a second connection.
  private func findings(
    version: String, hasLog: Bool = true, closesFirst: Bool = false
  ) -> [Finding] {
    findings { runs, program in
      if closesFirst { runs.close(1, of: program) }
      let other = runs.open(2, "b", version: version)
      if hasLog { runs.checkpoint(10, of: 10, by: other, at: 5) }
    }
  }

  @Test func twoConnectionsToALogOfAnOldVersionAreANote() {
    let found = findings(version: "3.40.1")
    #expect(found.map(\.rule) == ["UpgradeSQLite"])
    #expect(found.first?.severity == .note)
    #expect(findings(version: "3.40.1", hasLog: false).isEmpty)
    #expect(findings(version: "3.40.1", closesFirst: true).isEmpty)
    #expect(findings(version: "3.50.7").isEmpty)
  }

  @Test(arguments: [
    ("3.40.1", false), ("3.44.5", false), ("3.44.6", true), ("3.45.0", false), ("3.50.6", false),
    ("3.50.7", true), ("3.51.2", false), ("3.51.3", true), ("3.52.0", true), ("4.0.0", true),
  ])
  func theFixOfTheResetIsInTheseVersions(version: String, hasFix: Bool) {
    #expect(SQLiteVersion.hasResetFix(version) == hasFix)
    #expect(SQLiteVersion.hasResetFix(version + "-beta") == nil)
  }
}
