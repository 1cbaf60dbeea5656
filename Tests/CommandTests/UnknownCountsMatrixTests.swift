// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// Every kind of input in every output: no 0 where the input has no count.
///
/// In each input all counts that its kind has are above 0, so that each 0 is an invention.
@Suite struct UnknownCountsMatrixTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  // MARK: - Inputs

  enum Kind: String, CaseIterable {
    case coreData, coreDataUndated, coreDataUntimed, coreDataBare, coreDataReport
    case probeLog, probeTrace, probeReport, probeAndCoreData
    case rails, django, sqlAlchemy, shellTrace
    case planRows, planTree, planSession
  }

  private func path(_ kind: Kind) async throws -> String {
    switch kind {
    case .coreData: try write(CoreDataConsole().text)
    case .coreDataUndated: try write(CoreDataConsole(isDated: false).text)
    case .coreDataUntimed: try write(CoreDataConsole(hasTimes: false).text)
    case .coreDataBare: try write(CoreDataConsole(isDated: false, hasTimes: false).text)
    case .coreDataReport: try await saved(path(.coreData))
    case .probeLog: try write(Self.probe.log)
    case .probeTrace:
      try {
        let trace = folder.url.appending(path: "trace")
        try Self.probe.writeTrace(to: trace)
        return trace.path
      }()
    case .probeReport: try await saved(path(.probeTrace))
    case .probeAndCoreData: try await merged(path(.probeLog), path(.coreData))
    case .rails: try write(StatementLogs.rails)
    case .django: try write(StatementLogs.django)
    case .sqlAlchemy: try write(StatementLogs.sqlAlchemy)
    case .shellTrace: try write(StatementLogs.shellTrace)
    case .planRows: try write("0|0|0|SCAN TABLE ZNOTE AS t0 (~12800 rows)\n")
    case .planTree: try write("QUERY PLAN\n|--SCAN ZNOTE\n`--USE TEMP B-TREE FOR ORDER BY\n")
    case .planSession:
      try write(
        "sqlite> EXPLAIN QUERY PLAN SELECT * FROM ZNOTE WHERE ZAUTHOR = 1;\n0|0|0|SCAN TABLE ZNOTE\n"
      )
    }
  }

  /// Each statement of the probe has each of its counts, a wait, an error and a checkpoint beside.
  private static var probe: RunBuilder {
    RunBuilder {
      $0.process = ProcessIdentity(id: 7, name: "app")
      $0.connect()
      $0.caller(5, line: 3)
      $0.busy(3_000_000, gaveUp: true)
      for sql in [
        "SELECT ZAUTHOR FROM ZNOTE", "DELETE FROM ZNOTE WHERE ZAUTHOR = ? RETURNING Z_PK",
      ] {
        $0.run(
          sql, caller: 5, rows: 4, changes: 4, step: 2_000_000, open: 3_000_000, vmSteps: 90,
          fullScanSteps: 12, autoIndexRows: 6, sorts: 2, error: "disk I/O error",
          prepare: 50_000)
        for outcome in ["commit", "rollback"] {
          $0.append(
            .transaction(
              TransactionEnded(
                storeID: 1, saveID: 0, outcome: outcome, waitTime: 2, totalTime: 9)))
        }
      }
      $0.checkpoint(8, of: 9)
      $0.disconnect(1)
    }
  }

  private func write(_ text: String) throws -> String {
    let path = folder.path("\(UUID().uuidString.prefix(8)).log")
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func saved(_ path: String) async throws -> String {
    let run = try await report.run("summary", path, "--json")
    #expect(run.status == 0, "\(run.error)")
    let json = folder.path("saved.json")
    try Data(run.output.utf8).write(to: URL(filePath: json))
    return json
  }

  private func merged(_ a: String, _ b: String) async throws -> String {
    let json = folder.path("merged.json")
    let run = try await report.run("merge", a, b, "-o", json)
    #expect(run.status == 0, "\(run.error)")
    return json
  }

  private func makeDatabase() throws -> String {
    let path = folder.path("Notes.sqlite")
    try Connection(path: path).execute(
      """
      CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZAUTHOR INTEGER, ZPARENT INTEGER,
        ZTITLE TEXT, ZBODY TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO ZNOTE SELECT i, 1, i % 500 + 1, i % 900 + 1, 'title', 'body' FROM n;
      """)
    return path
  }

  // MARK: - Outputs

  /// The texts that people read, by their command.
  private func texts(of path: String, _ options: [String]) async throws -> [(String, String)] {
    let files = (html: folder.path("page.html"), markdown: folder.path("comment.md"))
    var texts: [(String, String)] = []
    func add(_ arguments: [String], file: String? = nil) async throws {
      let run = try await report.run(arguments)
      if run.status == 1 || run.status == 64 { #expect(run.output.isEmpty && !run.error.isEmpty) }
      texts.append((arguments.joined(separator: " "), run.output))
      guard let file, let text = try? String(contentsOfFile: file, encoding: .utf8) else { return }
      try FileManager.default.removeItem(atPath: file)
      texts.append(("\(arguments[0]) \(file)", file == files.html ? Self.text(ofHTML: text) : text))
    }
    try await add(["summary", path, "--markdown", files.markdown] + options, file: files.markdown)
    try await add(["summary", path, "--all"] + options)
    try await add(["html", path, "-o", files.html] + options, file: files.html)
    try await add(["plans", path] + options)
    for grouping in ["statement", "entity", "caller", "process", "context"] {
      try await add(["summary", path, "--group-by", grouping] + options)
    }
    try await add(["diff", path, path, "--html", files.html], file: files.html)
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", path, "-o", baseline, "--allow-missing")
    if FileManager.default.fileExists(atPath: baseline) {
      try await add(
        ["gate", path, "--baseline", baseline, "--assume-complete", "--markdown", files.markdown],
        file: files.markdown)
    }
    if !options.isEmpty {
      for command in ["advise", "orderings"] { try await add([command, path] + options) }
    }
    return texts
  }

  /// The text of a page without its tags, scripts, drawings and histograms, a line per element.
  private static func text(ofHTML html: String) -> String {
    // Of each source the lost events and the unrecognized lines are known.
    html.replacing(/(?s)<(script|style|svg)\b.*?<\/\1>/, with: "")
      .replacing(/(?s)<tbody id="sources-.*?<\/tbody>/, with: "")
      .replacing(/(?s)<table class="values".*?<\/table>/, with: "")
      .replacing(/<[^>]*>/, with: "\n")
  }

  /// The lines with a number 0 that stands alone, or with a unit.
  private static func zeros(_ text: String) -> [String] {
    let zero = /(?:^|[ |(>,])0(?:\.0+)?(?:%|×)?(?: (?:ns|µs|ms|s|B))?(?:$|[ |),;<])/
    return text.split(whereSeparator: \.isNewline).map(String.init).filter { line in
      // Core Data's own SQL begins with it, and the axis of time.
      line != "0 ns"
        && line.replacingOccurrences(of: "SELECT 0", with: "SELECT").contains(zero)
    }
  }

  @Test(arguments: Kind.allCases)
  func noTextHasAZero(kind: Kind) async throws {
    let path = try await path(kind)
    for options in [[], ["--database", try makeDatabase()]] {
      for (command, text) in try await texts(of: path, options) {
        #expect(Self.zeros(text) == [], "\(kind): \(command)")
      }
    }
  }

  // MARK: - Machine formats

  /// The representations of a count of 0 in each format of `export`.
  private static func zeros(of text: String, in format: [String]) -> [String] {
    switch format[0] {
    case "csv":
      let lines = text.split(separator: "\r\n").map {
        $0.replacing(/"[^"]*"/, with: "text").split(
          separator: ",", omittingEmptySubsequences: false
        ).map(String.init)
      }
      let names = lines.first ?? []
      return lines.dropFirst().flatMap { zip(names, $0).filter { $1 == "0" }.map(\.0) }
        // Every log has the errors of its statements, and that of Core Data their misses.
        .filter { !["time_ns", "context", "errors", "cache_misses"].contains($0) }
    case "openmetrics":
      return text.split(separator: "\n").map(String.init).filter {
        $0.hasSuffix(" 0") && !$0.hasPrefix("#") && !$0.contains("_bucket")
          // Core Data's log has the misses of each statement, and its prefetches.
          && !$0.contains("cache_misses_total{") && !$0.contains("nested_fetches")
          && !$0.contains("events_lost")
      }
    case "perfetto":
      return text.matches(of: /"([a-z_]+)":0(?:\.000)?[,}]/).map { String($0.1) }
        .filter { !["pid", "tid", "ts"].contains($0) }
    case "otlp":
      return text.matches(of: /"key":"([^"]+)","value":\{"intValue":"0"\}/).map { String($0.1) }
    default: return ["unknown format"]
    }
  }

  @Test(arguments: Kind.allCases)
  func noExportHasAZero(kind: Kind) async throws {
    let path = try await path(kind)
    for format in [
      ["csv", "--table", "statements"], ["csv", "--table", "events"], ["openmetrics"],
      ["perfetto"], ["otlp"],
    ] {
      let run = try await report.run(["export", path, "--format"] + format)
      #expect(Self.zeros(of: run.output, in: format) == [], "\(kind): \(format)")
      if run.status != 0 { #expect(run.output.isEmpty && !run.error.isEmpty) }
    }
  }
}
