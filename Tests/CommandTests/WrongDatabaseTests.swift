// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// A database that is not the one which was traced: never a pass, and nothing is made of it.
@Suite struct WrongDatabaseTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  private let log: String
  private let wrong: String
  private let right: String

  init() throws {
    folder = try TemporaryDirectory()
    (log, wrong, right) = (
      folder.path("debug.log"), folder.path("wrong.sqlite"), folder.path("right.sqlite")
    )
    try Connection(path: right).execute(
      "CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, ZNAME TEXT); CREATE TABLE ZLINE (ZNAME TEXT)")
    try Connection(path: wrong).execute("CREATE TABLE ZLINE (ZNAME TEXT)")
    try write([Self.stops, Self.lines, Self.names])
  }

  private static let stops = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"
  private static let names = "SELECT t0.ZNAME FROM ZSTOP t0"
  private static let lines = "SELECT t0.ZNAME FROM ZLINE t0"

  private func write(_ statements: [String]) throws {
    let run = RunBuilder { trace in
      trace.open()
      for sql in statements { trace.fetch(sql) }
      trace.close()
    }
    try Data(run.log.utf8).write(to: URL(filePath: self.log))
  }

  private func expectRefusal(_ run: BuiltTool.Run, _ subject: String) {
    #expect(run.status == 3)
    #expect(
      run.errorOutput == """
        trace-report: \(subject) against "\(wrong)" (no such table: ZSTOP); pass the store that was \
        traced, or a copy of it

        """)
  }

  @Test func summaryReportsTheRunAndThenTheDatabase() async throws {
    let run = try await report.run("summary", "--all", log, "--database", wrong)
    expectRefusal(run, "only 1 of 3 statements compiles")
    #expect(run.output.contains(Self.stops))
    #expect(!run.output.contains("Drop"))
    #expect(try await report.run("summary", "--all", log, "--database", right).status == 0)
  }

  /// The copy of a database that a program has open: its tables may be in the write-ahead log alone.
  @Test func aCopyWithoutItsLogIsNamed() async throws {
    let connection = try Connection(path: folder.path("open.sqlite"))
    try connection.execute("PRAGMA journal_mode = wal; CREATE TABLE ZSTOP (Z_PK, ZNAME TEXT)")
    let copy = folder.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: folder.path("open.sqlite"), toPath: copy)
    for command in ["plans", "summary"] {
      let run = try await report.run(command, log, "--database", copy)
      #expect(run.status == 3)
      #expect(
        run.errorOutput.hasSuffix("; copy its write-ahead log, \"\(copy)-wal\", with it\n"),
        "\(run.errorOutput)")
    }
  }

  @Test func noStatementCompilesAgainstTheWrongDatabase() async throws {
    try write([Self.stops, Self.names])
    let plans = try await report.run("plans", log, "--database", wrong)
    expectRefusal(plans, "none of the 2 statements compiles")
    #expect(plans.output.isEmpty)
    try write([Self.stops])
    expectRefusal(
      try await report.run("summary", "--all", log, "--database", wrong),
      "the statement does not compile")
  }

  @Test func noPlansAreReported() async throws {
    for arguments in [[], ["--json"], ["--fail-on", "scan"]] {
      let run = try await report.run(["plans", log, "--database", wrong] + arguments)
      expectRefusal(run, "only 1 of 3 statements compiles")
      #expect(run.output.isEmpty)
    }
    let right = try await report.run("plans", log, "--database", right)
    #expect(right.status == 0)
    #expect(right.output.contains("SCAN t0 [ZSTOP]"))
  }

  @Test func noIndexIsAdvised() async throws {
    let run = try await report.run("advise", log, "--database", wrong)
    expectRefusal(run, "only 1 of 3 statements compiles")
    #expect(run.output.isEmpty)
  }

  @Test func oneStrangerAmongManyIsNoOtherDatabase() async throws {
    try write([Self.stops, Self.lines])
    let run = try await report.run("summary", "--all", log, "--database", wrong)
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  @Test func noBaselineIsWritten() async throws {
    let file = folder.path("baseline.json")
    expectRefusal(
      try await report.run("baseline", log, "-o", file, "--database", wrong),
      "only 1 of 3 statements compiles")
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func theGateDoesNotPass() async throws {
    let file = folder.path("baseline.json")
    let wrote = try await report.run("baseline", log, "-o", file, "--database", right)
    #expect(wrote.status == 0, "\(wrote.errorOutput)")
    let same = try await report.run("gate", log, "--baseline", file, "--database", right)
    #expect(same.status == 0, "\(same.output)")
    let gate = try await report.run("gate", log, "--baseline", file, "--database", wrong)
    #expect(gate.status == 3)
    #expect(gate.output.hasPrefix("gate: inconclusive"))
    #expect(gate.output.contains("only 1 of 3 statements compiles against"), "\(gate.output)")
    #expect(gate.output.contains("no such table: ZSTOP"))
  }

  /// Even if the baseline contains no plans.
  @Test func theGateDoesNotPassWithoutPlansEither() async throws {
    let file = folder.path("baseline.json")
    #expect(try await report.run("baseline", log, "-o", file).status == 0)
    let gate = try await report.run("gate", log, "--baseline", file, "--database", wrong)
    #expect(gate.status == 3, "\(gate.output)")
  }

  @Test func pagesAreWrittenWithoutItsPlans() async throws {
    let page = folder.path("page.html")
    let html = try await report.run("html", log, "-o", page, "--database", wrong, "--advise")
    expectRefusal(html, "only 1 of 3 statements compiles")
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("t0.ZNAME"))
    let diff = try await report.run("diff", log, log, "--html", page, "--database", wrong)
    expectRefusal(diff, "only 1 of 3 statements compiles")
  }
}
