// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// Inputs that are no usual files, and reports in the place of traces.
@Suite struct InputKindCommandTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  private func log(_ write: (inout RunBuilder) -> Void) throws -> String {
    let run = RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }
    let path = folder.path("log.txt")
    try Data(run.log.utf8).write(to: URL(filePath: path))
    return path
  }

  /// Runs a line of shell, in which `$0` is the tool.
  private func shell(_ line: String) async throws -> BuiltTool.Run {
    try await report.run(through: ["sh", "-c", line], [])
  }

  @Test(.endsWhenStuck) func anEndlessLineIsAbandoned() async throws {
    let zeros = try await report.run("summary", "--all", "/dev/zero")
    #expect(zeros.status == 1)
    #expect(zeros.errorOutput.contains("\"/dev/zero\""), "\(zeros.errorOutput)")
    #expect(zeros.errorOutput.contains("no line feed follows within 1 GiB"))
    #expect(zeros.errorOutput.split(separator: "\n").count == 1)
  }

  @Test(arguments: [false, true]) func aTraceLeavesNoTemporaryFiles(isDamaged: Bool) async throws {
    var samples = EventSamples(seed: 60)
    var trace = TraceBuilder()
    for record in samples.records(130) { trace.add(record) }
    try trace.write(to: folder.url.appending(path: "trace"))
    if isDamaged {
      let stream = folder.url.appending(path: "trace/channel_0")
      try Data(contentsOf: stream).dropLast(100).write(to: stream)
    }
    let temporary = folder.url.appending(path: "tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
    let summary = try await report.run(
      through: ["env", "TMPDIR=\(temporary.path)"], ["summary", "--all", folder.path("trace")])
    #expect(summary.output.contains("events"), "\(summary.output)\(summary.errorOutput)")
    #expect(summary.output.contains("is damaged") == isDamaged, "\(summary.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func aDatabaseIsNoInput() async throws {
    let path = folder.path("stops.sqlite")
    try Connection(path: path).execute("CREATE TABLE ZSTOP (ZNAME)")
    let run = try await report.run("summary", "--all", path)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("is an SQLite database"), "\(run.errorOutput)")
    #expect(run.errorOutput.contains("--database"))
  }

  /// Its last bytes are no cut line of a log.
  @Test func aPictureIsNoLog() async throws {
    let path = folder.path("a.png")
    let bytes: [UInt8] = [
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0xff, 0x0a, 0x13, 0x37,
    ]
    try Data(bytes).write(to: URL(filePath: path))
    let run = try await report.run("summary", "--all", path)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("is neither a CTF folder"), "\(run.errorOutput)")
    #expect(!run.errorOutput.contains("last one"))
  }

  @Test func aFolderOfOtherFilesIsNoLog() async throws {
    _ = try log { $0.fetch(Self.sql) }
    let run = try await report.run("summary", "--all", folder.url.path)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("is a folder without a trace"), "\(run.errorOutput)")
    #expect(run.errorOutput.contains("name the logs in it"))
  }

  @Test func controlCharactersOfAFileAreEscaped() async throws {
    let path = folder.path("log.txt")
    try Data("\u{1b}[31mred".utf8).write(to: URL(filePath: path))
    let run = try await report.run("summary", "--all", path)
    #expect(run.status == 1)
    #expect(!run.errorOutput.contains("\u{1b}"), "\(run.errorOutput)")
    #expect(run.errorOutput.contains(#"\u{1b}[31mred"#))
  }

  @Test(
    arguments: [
      ([0x1f, 0x8b, 8, 0], "zcat"), ([0x28, 0xb5, 0x2f, 0xfd], "zstdcat"),
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xzcat"), ([0x42, 0x5a, 0x68, 0x39], "bzcat"),
      ([0x50, 0x4b, 3, 4], "unzip -p"),
    ] as [([UInt8], String)])
  func whatIsPackedNamesTheTool(magic: [UInt8], tool: String) async throws {
    let path = folder.path("log.gz")
    try Data(magic + [1, 2, 3]).write(to: URL(filePath: path))
    for run in try await [
      report.run("summary", "--all", path), shell("\"$0\" summary - < '\(path)'"),
    ] {
      #expect(run.status == 1)
      #expect(
        run.errorOutput.hasSuffix(
          " is compressed; unpack it on the way: \(tool) FILE | trace-report summary -\n"),
        "\(run.errorOutput)")
    }
  }

  @Test func aNamedPipeIsAnInput() async throws {
    let path = try log { $0.fetch(Self.sql, rows: 15) }
    let pipe = folder.path("pipe")
    let logged = try await shell(
      "mkfifo '\(pipe)'; cat '\(path)' > '\(pipe)' & \"$0\" --all '\(pipe)'")
    #expect(logged.status == 0, "\(logged.errorOutput)")
    #expect(logged.output.contains(Self.sql))
    let json = folder.path("report.json")
    let saved = try await shell(
      "\"$0\" summary --json '\(path)' > '\(json)'; cat '\(json)' > '\(pipe)' & \"$0\" --all '\(pipe)'"
    )
    #expect(saved.status == 0, "\(saved.errorOutput)")
    #expect(saved.output.contains(Self.sql))
  }

  /// The pipe stays open without more data: only the signal ends the reading.
  @Test(arguments: ["INT", "TERM"]) func aSignalEndsTheReadingNotTheReport(
    signal: String
  ) async throws {
    let path = try log { $0.fetch(Self.sql, rows: 15) }
    let pipe = folder.path("pipe")
    let run = try await shell(
      """
      mkfifo '\(pipe)'
      # Ours as well, so that it stays open; all of the log is in it before anybody reads.
      exec 3<>'\(pipe)'
      cat '\(path)' >&3
      "$0" summary --all '\(pipe)' > '\(folder.path("out"))' &
      \(SleepingProgram.signal(signal, in: .pipeRead))
      """)
    #expect(run.status == 130, "\(run.errorOutput)")
    let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
    #expect(output.contains(Self.sql), "\(output)")
    #expect(output.contains("reading was interrupted; what follows was not read"), "\(output)")
  }

  /// The pipe has no writer yet: the reader waits to open it.
  @Test func aSignalBeforeAnyEventIsReported() async throws {
    let pipe = folder.path("pipe")
    let run = try await shell(
      """
      mkfifo '\(pipe)'
      "$0" summary '\(pipe)' &
      \(SleepingProgram.signal("INT", in: .pipeOpen))
      """)
    #expect(run.status == 130)
    #expect(
      run.errorOutput
        == "trace-report: reading \"\(pipe)\" was interrupted before any data arrived\n")
  }

  // MARK: - Saved reports

  /// `plans`, `orderings` and `advise` need statements and how often they ran: a report has both.
  @Test func aSavedReportReturnsStatementsLikeItsLog() async throws {
    let database = folder.path("store.sqlite")
    try Connection(path: database).execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZNAME TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO ZSTOP SELECT i, 'stop ' || i FROM n;
      """)
    let log = try log { trace in
      for _ in 1...3 { trace.fetch(Self.sql, vmSteps: 1000, fullScanSteps: 2000) }
    }
    let json = folder.path("report.json")
    let saved = try await report.run("summary", "--json", log)
    try Data(saved.output.utf8).write(to: URL(filePath: json))
    let options = ["--database", database, "--json"]
    for command in ["plans", "advise"] {
      let fromLog = try await report.run([command, log] + options)
      let fromReport = try await report.run([command, json] + options)
      #expect(fromReport.status == 0, "\(fromReport.errorOutput)")
      #expect(Self.statements(fromReport.output) == Self.statements(fromLog.output))
      #expect(fromReport.output.contains("ZSTOP"))
    }
    let plans = try await report.run("plans", json, "--database", database, "--fail-on", "scan")
    #expect(plans.status == 2)
    let piped = try await report.run(["plans", "-"] + options, input: saved.output)
    #expect(piped.output.contains("fullScan"), "\(piped.errorOutput)")
    let other = try await report.run(
      "orderings", json, "--statement", "0123456789abcdef", "--database", database)
    #expect(other.status == 3)
    #expect(other.errorOutput.contains("no statement '0123456789abcdef'"))
  }

  /// Without the measured times, which differ from run to run.
  private static func statements(_ json: String) -> [String] {
    json.split(separator: "\n").map(String.init).filter {
      $0.contains("\"sql\"") || $0.contains("\"verdict\"") || $0.contains("\"executions\"")
        || $0.contains("\"runs\"") || $0.contains("CREATE INDEX")
    }
  }

  // MARK: - Filters of exports

  @Test func exportsOfEventsAreFiltered() async throws {
    let list = SourceLocation(file: "transit/List.swift", line: 7)
    let path = try log { trace in
      trace.fetch(Self.sql, total: 8_000_000)
      trace.fetch("SELECT b", entity: "StopTime", at: list, total: 1000)
      trace.fault(pk: 7, duration: 6_000_000)
      trace.fault("StopTime", pk: 8, at: list, duration: 500)
      trace.save(total: 9_000_000)
    }
    func events(_ filters: String...) async throws -> [String] {
      let run = try await report.run(["export", path, "--format", "csv"] + filters)
      #expect(run.status == 0, "\(run.errorOutput)")
      return run.output.split(separator: "\r\n").dropFirst().map { row in
        let cells = row.split(separator: ",", omittingEmptySubsequences: false)
        return "\(cells[6]) \(cells[8])"
      }
    }
    let all = [
      "fetch_end Stop", "fetch_end StopTime", "cache_miss Stop", "fault Stop",
      "cache_miss StopTime", "fault StopTime", "save_end ",
    ]
    #expect(try await events() == all)
    #expect(
      try await events("--entity", "StopTime") == [
        "fetch_end StopTime", "cache_miss StopTime", "fault StopTime",
      ])
    #expect(
      try await events("--caller", "List.swift:7") == [
        "fetch_end StopTime", "cache_miss StopTime", "fault StopTime",
      ])
    #expect(
      try await events("--min-duration", "5ms") == [
        "fetch_end Stop", "cache_miss Stop", "fault Stop", "save_end ",
      ])
    // Events are a microsecond apart; the first is the opening of the store.
    #expect(try await events("--until", "5us") == ["fetch_end Stop"])
    #expect(try await events("--since", "7us") == Array(all.dropFirst(2)))
    let perfetto = try await report.run(
      "export", path, "--format", "perfetto", "--entity", "StopTime")
    #expect(perfetto.output.contains("fetch StopTime"))
    #expect(!perfetto.output.contains("fetch Stop\""))
    let nothing = try await report.run("export", path, "--format", "csv", "--entity", "Route")
    #expect(nothing.output.split(separator: "\r\n").count == 1)
  }
}
