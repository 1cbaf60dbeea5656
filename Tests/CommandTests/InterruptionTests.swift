// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// After a signal a command reports its results so far, and no temporary file stays behind.
@Suite struct InterruptionTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  private let database: String
  private let log: String

  init() throws {
    folder = try TemporaryDirectory()
    database = folder.path("store.sqlite")
    log = folder.path("debug.log")
    try Connection(path: database).execute(
      """
      CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, ZX INTEGER, ZY INTEGER, ZNAME TEXT);
      WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 60000)
      INSERT INTO ZSTOP SELECT v, v % 97, v % 89, hex(v) FROM n
      """)
    try write([Self.slow], to: log)
    try FileManager.default.createDirectory(
      atPath: folder.path("tmp"), withIntermediateDirectories: false)
  }

  /// Of 60,000 rows each with each: an hour, so that only a signal ends it.
  private static let slow =
    "SELECT count(*) FROM ZSTOP t0 JOIN ZSTOP t1 WHERE t0.ZY <> t1.ZY AND t0.ZNAME > t1.ZNAME"

  private func write(_ statements: [String], to path: String) throws {
    let run = RunBuilder { trace in
      trace.open()
      for sql in statements { trace.fetch(sql) }
      trace.close()
    }
    try Data(run.log.utf8).write(to: URL(filePath: path))
  }

  /// Runs the tool until a line of shell is true of the process `$pid`, then interrupts it.
  private func interrupt(
    _ arguments: String, signal: String = "INT", when condition: String
  ) async throws -> BuiltTool.Run {
    try await report.run(
      through: [
        "sh", "-c",
        """
        cd '\(folder.url.path)'
        TMPDIR="$PWD/tmp" "$0" \(arguments) &
        pid=$!
        i=0
        until \(condition); do
          i=$((i + 1)); [ $i -lt 600 ] && kill -0 $pid || exit 99
          sleep 0.1
        done
        kill -\(signal) $pid
        wait $pid
        """,
      ], [])
  }

  private var temporaryFiles: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp")) }
  }

  @Test(.endsWhenStuck, arguments: ["INT", "TERM"])
  func adviceLeavesNoCopy(signal: String) async throws {
    let run = try await interrupt(
      "advise debug.log --database store.sqlite", signal: signal,
      when: "ls -l /proc/$pid/fd | grep -q 'copy.sqlite (deleted)'")
    #expect(run.status == 130, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("interrupted before the workload was timed"))
    #expect(try temporaryFiles == [])
  }

  @Test(.endsWhenStuck) func notEvenAKilledAdviceLeavesACopy() async throws {
    let run = try await interrupt(
      "advise debug.log --database store.sqlite", signal: "KILL",
      when: "ls -l /proc/$pid/fd | grep -q 'copy.sqlite (deleted)'")
    #expect(run.status == 137)
    #expect(try temporaryFiles == [])
  }

  @Test(.endsWhenStuck) func longStatementIsInterrupted() async throws {
    let run = try await interrupt(
      "orderings --database store.sqlite --sql '\(Self.slow)'",
      when: "ls -l /proc/$pid/fd | grep -q 'store.sqlite'")
    #expect(run.status == 130, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("interrupted before every order had run once"))
  }

  @Test(.endsWhenStuck) func growthReportsTheSizesThatAreDone() async throws {
    try write(["SELECT 0, t0.Z_PK FROM ZSTOP t0"], to: folder.path("sample.log"))
    try Data(
      """
      if [ "$1" = 30 ]; then touch third; exec sleep 100; fi
      cp sample.log "$STORE_SQL_DEBUG_FILE"
      """.utf8
    ).write(to: URL(filePath: folder.path("run.sh")))
    let run = try await interrupt(
      "growth --sizes 10,20,30,40 -- /bin/sh run.sh {size}", when: "[ -e third ]")
    #expect(run.status == 130, "\(run.errorOutput)")
    #expect(run.output.contains("interrupted; 2 of 4 sizes were run"), "\(run.output)")
    #expect(run.output.contains("inconclusive"))
    #expect(try temporaryFiles == [])
  }

  @Test(.endsWhenStuck) func growthInterruptedInItsFirstSizeIsReported() async throws {
    let run = try await interrupt(
      "growth --sizes 10,20,30 -- /bin/sh -c 'touch first; exec sleep 100' {size}",
      when: "[ -e first ]")
    #expect(run.status == 130)
    #expect(run.errorOutput.contains("interrupted before the first size was done"))
    #expect(try temporaryFiles == [])
  }

  /// The pipe stays open without more data: only the signal ends the reading.
  @Test(.endsWhenStuck) func exportWritesTheEventsItRead() async throws {
    let run = try await report.run(
      through: [
        "sh", "-c",
        """
        cd '\(folder.url.path)'
        mkfifo pipe
        exec 3<>pipe
        cat debug.log >&3
        "$0" export pipe --format csv -o events.csv &
        \(SleepingProgram.signal("TERM", in: .pipeRead))
        """,
      ], [])
    #expect(run.status == 130, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("reading was interrupted; what follows was not read"))
    let table = try String(contentsOfFile: folder.path("events.csv"), encoding: .utf8)
    #expect(table.contains("SELECT count(*) FROM ZSTOP"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasSuffix(".part") })
  }

  /// Of 20,000 tables, with rows of the schema that are written as they are: CREATE reads all of
  /// it.
  private func makeLargeSchema(_ name: String) throws {
    try Connection(path: folder.path(name)).execute(
      """
      CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, ZX INTEGER, ZNAME TEXT);
      WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 3000)
      INSERT INTO ZSTOP SELECT v, v, hex(v) FROM n;
      PRAGMA writable_schema = ON;
      WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 20000)
      INSERT INTO sqlite_schema SELECT 'table', 't' || v, 't' || v,
        (SELECT rootpage FROM sqlite_schema WHERE name = 'ZSTOP'), 'CREATE TABLE t' || v || '(a, b)' FROM n
      """)
  }

  /// Where nothing checks for a request, the signal itself ends the process.
  @Test(.endsWhenStuck, arguments: ["INT", "TERM"])
  func aReportOnALargeSchemaEndsAtASignal(signal: String) async throws {
    try makeLargeSchema("large.sqlite")
    let run = try await interrupt(
      "summary debug.log --database large.sqlite", signal: signal,
      when: "ls -l /proc/$pid/fd | grep -q 'large.sqlite'")
    #expect(run.status == 130, "\(run.errorOutput)")
  }

  @Test(.endsWhenStuck, arguments: ["INT", "TERM"])
  func aComparisonOnALargeSchemaEndsAtASignal(signal: String) async throws {
    try makeLargeSchema("large.sqlite")
    let run = try await interrupt(
      "diff debug.log debug.log --html page.html --database large.sqlite", signal: signal,
      when: "ls -l /proc/$pid/fd | grep -q 'large.sqlite'")
    #expect(run.status == 130, "\(run.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("page.html")))
  }

  @Test(.endsWhenStuck) func indexesAreTriedOnALargeSchema() async throws {
    try makeLargeSchema("large.sqlite")
    let run = try await report.run(
      "plans", "--sql", "SELECT ZX FROM ZSTOP WHERE ZX = 5", "--database",
      folder.path("large.sqlite"))
    #expect(run.output.contains("CREATE INDEX"), "\(run.output)")
  }

  /// The view is left out of the advice.
  @Test(.endsWhenStuck) func adviceOnAViewWithoutAnEndEnds() async throws {
    try Connection(path: database).execute(
      """
      CREATE VIEW endless AS WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n)
      SELECT v AS ZX FROM n
      """)
    try write(["SELECT count(*) FROM endless", "SELECT ZNAME FROM ZSTOP WHERE ZX = 5"], to: log)
    let run = try await report.run("advise", log, "--database", database)
    #expect(run.output.contains("too many steps to be measured"), "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("ZX"))
  }
}
