// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// A count that the input does not have is a dash, an empty field or missing: nowhere is it 0.
@Suite struct UnknownCountsTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  // MARK: - Inputs

  private static func coreData(level: Int, isDated: Bool = true, hasTimes: Bool = true) -> String {
    CoreDataConsole(level: level, isDated: isDated, hasTimes: hasTimes).text
  }

  private static let coreDataInputs: [(name: String, text: String)] =
    (1...4).map { ("level-\($0).log", coreData(level: $0)) }
    + (1...4).map { ("undated-\($0).log", coreData(level: $0, isDated: false)) }
    + [
      ("untimed.log", coreData(level: 1, hasTimes: false)),
      ("neither.log", coreData(level: 1, isDated: false, hasTimes: false)),
    ]

  private func write(_ text: String, _ name: String) throws -> String {
    let path = folder.path(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  /// Each input, saved, and merged with a log of the store in which every count is above 0.
  private func variants(_ input: (name: String, text: String)) async throws -> [String] {
    let path = try write(input.text, input.name)
    let saved = try await report.run("summary", path, "--json")
    #expect(saved.status == 0, "\(saved.error)")
    let merged = folder.path("merged-\(input.name).json")
    let merge = try await report.run(
      "merge", path, try write(Self.store.log, "store.log"), "-o", merged)
    #expect(merge.status == 0, "\(merge.error)")
    return [path, try write(saved.output, "\(input.name).json"), merged]
  }

  private static var store: RunBuilder {
    RunBuilder {
      $0.process = ProcessIdentity(id: 9, name: "store")
      $0.open(start: 9)
      $0.fetch("SELECT a FROM book", entity: "Book", rows: 3, fullScanSteps: 4)
      $0.close()
    }
  }

  // MARK: - Texts for people

  /// The lines with a number 0 that stands alone, or with a unit.
  private static func zeros(_ text: String) -> [String] {
    let zero = /(?:^|[ |(>,])0(?:\.0+)?(?:%|×)?(?: (?:ns|µs|ms|s|B))?(?:$|[ |),;<])/
    return text.split(whereSeparator: \.isNewline).map(String.init).filter { line in
      // Core Data's own SQL begins with it, and its log has no context.
      line.replacingOccurrences(of: "SELECT 0", with: "SELECT")
        .replacingOccurrences(of: " context 0", with: "").contains(zero)
    }
  }

  /// The text of a page without its tags and scripts, a line per element.
  private static func text(ofHTML html: String) -> String {
    html.replacing(/(?s)<(script|style|svg)\b.*?<\/\1>/, with: "").replacing(/<[^>]*>/, with: "\n")
  }

  @Test(arguments: coreDataInputs.indices)
  func noTextHasAZero(_ index: Int) async throws {
    let input = Self.coreDataInputs[index]
    let paths = try await Array(variants(input).prefix(2))
    for path in paths {
      let markdown = folder.path("comment.md")
      let summary = try await report.run("summary", "--all", path, "--markdown", markdown)
      #expect(Self.zeros(summary.output) == [], "\(path)")
      #expect(summary.output.contains("–"))
      #expect(Self.zeros(try String(contentsOfFile: markdown, encoding: .utf8)) == [], "\(path)")
      for grouping in ["statement", "entity", "caller", "process", "context"] {
        let groups = try await report.run("summary", path, "--group-by", grouping)
        #expect(Self.zeros(groups.output) == [], "\(path) by \(grouping)")
      }
      let page = folder.path("page.html")
      let html = try await report.run("html", path, "-o", page)
      #expect(html.status == 0, "\(html.error)")
      let text = Self.text(ofHTML: try String(contentsOfFile: page, encoding: .utf8))
      // The lines that were not recognized, and the beginning of the axis.
      #expect(Self.zeros(text).filter { $0 != "0 ns" }.count <= 1, "\(path): \(Self.zeros(text))")
      let more = input.text.replacingOccurrences(of: "20 rows", with: "25 rows")
      let other = try write(more, "b.log")
      let difference = try await report.run("diff", path, other)
      #expect(Self.zeros(difference.output) == [], "\(path)")
    }
  }

  // MARK: - Machine formats

  private struct Report: Decodable {
    var measured: [String]
    var totals: [String: Int]
    var statements: [Statement]
    struct Statement: Decodable {
      var sql: String?
      var measured: [String]?
    }
  }

  private func json(_ path: String) async throws -> Report {
    let run = try await report.run("summary", path, "--json")
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  @Test func jsonNamesTheCountsThatAnInputHas() async throws {
    let dated = try await json(write(Self.coreData(level: 1), "a.log"))
    #expect(
      Set(dated.measured) == [
        "rows", "connectionNs", "totalNs", "fetches", "cacheMisses", "saves", "saveNs", "commits",
        "timeNs",
      ])
    #expect(dated.totals["cacheHits"] == 0)
    let undated = try await json(write(Self.coreData(level: 1, isDated: false), "b.log"))
    #expect(Set(dated.measured).subtracting(undated.measured) == ["saveNs", "timeNs"])
    let bare = try await json(
      write(Self.coreData(level: 1, isDated: false, hasTimes: false), "c.log"))
    #expect(!bare.measured.contains("totalNs"))
    let store = try await json(write(Self.store.log, "store.log"))
    #expect(store.measured.contains("vmSteps") && store.measured.contains("cacheHits"))
    let probe = folder.url.appending(path: "probe")
    try RunBuilder {
      $0.connect()
      $0.run("SELECT a FROM book", rows: 3)
    }.writeTrace(to: probe)
    let observed = try await json(probe.path)
    #expect(observed.measured.contains("vmSteps") && !observed.measured.contains("faults"))
  }

  @Test func aMergedReportKeepsApartWhichStatementHasCounters() async throws {
    let merged = try await json(variants(Self.coreDataInputs[0])[2])
    #expect(merged.measured.contains("vmSteps"))
    let lists = Dictionary(
      merged.statements.map { ($0.sql ?? "", $0.measured) }, uniquingKeysWith: { a, _ in a })
    let note = try #require(lists.first { $0.key.contains("ZAUTHOR") }?.value)
    #expect(!note.contains("vmSteps") && note.contains("rows"))
    let summary = try await report.run("summary", "--all", variants(Self.coreDataInputs[0])[2])
    #expect(!summary.output.contains(" 0 VM steps"))
  }

  private func rows(_ csv: String) -> [[String: String]] {
    let lines = csv.split(separator: "\r\n").map {
      $0.replacing(/"[^"]*"/, with: "text").split(
        separator: ",", omittingEmptySubsequences: false
      ).map(String.init)
    }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  @Test(arguments: coreDataInputs.indices)
  func tablesLeaveTheFieldEmpty(_ index: Int) async throws {
    let input = Self.coreDataInputs[index]
    for path in try await variants(input).prefix(2) {
      let statements = try await report.run(
        "export", path, "--format", "csv", "--table", "statements")
      for row in rows(statements.output) {
        for column in ["vm_steps", "fullscan_steps", "sorts", "autoindex_rows", "wait_ns"] {
          #expect(row[column] == "", "\(path) \(column)")
        }
        if input.name == "neither.log" || input.name == "untimed.log" {
          for column in ["total_ns", "mean_ns", "p50_ns", "max_ns"] { #expect(row[column] == "") }
        }
      }
    }
    let path = try write(input.text, input.name)
    let events = try await report.run("export", path, "--format", "csv")
    for row in rows(events.output) {
      #expect((row["time_ns"] == "") == !input.text.hasPrefix("2026"), "\(input.name)")
      #expect(row["vm_steps"] != "0" && row["wait_ns"] != "0" && row["batch_size"] != "0")
    }
    let perfetto = try await report.run("export", path, "--format", "perfetto")
    #expect(!perfetto.output.contains("\"vm_steps\":0") && !perfetto.output.contains("_ns\":0"))
  }

  @Test(arguments: coreDataInputs.indices)
  func metricsHaveNoSeries(_ index: Int) async throws {
    for path in try await variants(Self.coreDataInputs[index]).prefix(2) {
      let metrics = try await report.run("export", path, "--format", "openmetrics").output
      let zeros = metrics.split(separator: "\n").filter {
        $0.hasSuffix(" 0") && !$0.hasPrefix("#") && !$0.contains("_bucket")
      }
      // It has the misses of each statement, and the prefetches.
      #expect(
        zeros.allSatisfy { $0.contains("cache_misses_total{") || $0.contains("nested_fetches") })
      #expect(!metrics.contains("vm_steps_total{"))
    }
  }

  @Test func exportsOfALogWithoutDatesHaveNoDates() async throws {
    let undated = try write(Self.coreData(level: 1, isDated: false), "undated.log")
    let otlp = try await report.run("export", undated, "--format", "otlp")
    #expect(otlp.status == 3 && otlp.output.isEmpty && otlp.error.contains("has no dates"))
    let rows = folder.path("rows")
    let export = try await report.run("export", undated, "--format", "rows", "-o", rows)
    #expect(export.status == 0, "\(export.error)")
    let files = FileManager.default.enumerator(atPath: rows)?.allObjects as? [String] ?? []
    #expect(!files.isEmpty && !files.contains { $0.contains("1970") })
    for file in files where file.hasSuffix(".jsonl") {
      let text = try String(contentsOfFile: "\(rows)/\(file)", encoding: .utf8)
      #expect(!text.contains("1970"), "\(file)")
      for line in text.split(separator: "\n") where line.contains("\"measured\"") {
        #expect(!line.contains("vm_steps,") && line.contains("\"date\":\"\""))
      }
    }
    let saved = try await report.run("summary", undated, "--json")
    #expect(!saved.output.contains("\"firstEvent\""))
    let page = folder.path("page.html")
    _ = try await report.run("html", undated, "-o", page)
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("No tracks over time"))
  }

  /// The store's log of each level, as its program writes it, has every count.
  @Test(arguments: 1...4)
  func theStoresLogHasAllCounts(level: Int) async throws {
    let (store, log) = (folder.path("records.sqlite"), folder.path("level-\(level).log"))
    let records = Program("records")
    #expect(try await records.run("generate", "--count", "20", "--store", store).status == 0)
    let list = try await records.run(
      ["list", "--store", store],
      environment: ["STORE_SQL_DEBUG": "\(level)", "STORE_SQL_DEBUG_FILE": log])
    #expect(list.status == 0, "\(list.error)")
    let measured = try await json(log).measured
    for name in ["rows", "vmSteps", "fullScanSteps", "cacheHits", "saves", "timeNs"] {
      #expect(measured.contains(name), "\(name)")
    }
  }

  /// Runs with counters and runs without: a run's work is that of the runs that have it.
  @Test func aRunsWorkIsThatOfTheRunsWithCounters() async throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZBOOK t0"
    let counted = RunBuilder {
      $0.open()
      $0.fetch(sql, entity: "Book", rows: 3, vmSteps: 40, fullScanSteps: 8)
      $0.close()
    }
    let log = (1...3).map { _ in
      """
      CoreData: sql: \(sql)
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: total fetch execution time: 0.0012s for 3 rows.

      """
    }.joined()
    let paths = [try write(counted.log, "store.log"), try write(log, "core-data.log")]
    let summary = try await report.run(["summary", "--all"] + paths)
    #expect(
      summary.output.contains("per run 3 rows, 40 VM steps, 8 scan steps"), "\(summary.output)")
    let merged = folder.path("both.json")
    #expect(try await report.run(["merge"] + paths + ["-o", merged]).status == 0)
    #expect(
      try await report.run("summary", "--all", merged).output.contains("40 VM steps, 8 scan steps"))
  }

  /// The misses and the save come from a log that has no hits and no times.
  @Test func ratiosAndTimesComeFromInputsThatHaveThem() async throws {
    let merged = try await variants(Self.coreDataInputs[4])[2]
    let summary = try await report.run("summary", "--all", merged)
    #expect(!summary.output.contains("cache hits          0%"), "\(summary.output)")
    #expect(!summary.output.contains("saving            0 ns"))
  }

  // MARK: - Comparisons

  @Test func aGateDoesNotCompareUnknownCounts() async throws {
    let baseline = folder.path("baseline.json")
    let path = try write(Self.coreData(level: 1), "a.log")
    let made = try await report.run("baseline", path, "-o", baseline, "--allow-missing")
    #expect(made.status == 0, "\(made.error)")
    let fewer = Self.coreData(level: 1).replacingOccurrences(
      of: CoreDataConsole.fault, with: "sql execution time: 0.0001s")
    let gate = try await report.run(
      "gate", try write(fewer, "b.log"), "--baseline", baseline, "--assume-complete")
    #expect(!gate.output.contains("has no faults"), "\(gate.output)")
    #expect(gate.output.contains("cache misses"))
  }

  /// A text search as a regular expression, and as a range over a normalized property.
  private func search(_ term: String, _ times: (String, String)) -> String {
    """
    CoreData: sql: SELECT 0, t0.Z_PK, t0.ZLABEL FROM ZTAG t0 WHERE \(term)
    CoreData: annotation: sql connection fetch time: \(times.0)s
    CoreData: annotation: total fetch execution time: \(times.1)s for 12 rows.

    """
  }

  @Test func aRewrittenStatementOfTwoLogsIsOnePair() async throws {
    let before = try write(
      search(" NSCoreDataMatches( t0.ZLABEL, ?, 0)", ("0.0380", "0.0385")), "before.log")
    let after = try write(
      search("( t0.ZNORMALIZEDLABEL >= ? AND  t0.ZNORMALIZEDLABEL < ?)", ("0.0020", "0.0023")),
      "after.log")
    let difference = try await report.run("diff", before, after)
    #expect(difference.status == 0, "\(difference.error)")
    #expect(
      difference.output.contains(
        "rewritten: MATCHES → BEGINSWITH, 38.5 ms → 2.30 ms by the logs' own times"),
      "\(difference.output)")
    #expect(difference.output.contains("16.7× faster"))
    #expect(!difference.output.contains("\ngone  "))
    let page = folder.path("page.html")
    _ = try await report.run("diff", before, after, "--html", page)
    let text = Self.text(ofHTML: try String(contentsOfFile: page, encoding: .utf8))
    #expect(text.contains("MATCHES → BEGINSWITH") && !text.contains("full-scan steps 0"))
  }
}
