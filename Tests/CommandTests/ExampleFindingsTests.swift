// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The examples, as first written and as corrected, in stores that a seed makes again: the first has the
/// warning of its source, and the second has none.
@Suite struct ExampleFindingsTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func make(_ program: String, _ arguments: String...) async throws {
    let run = try await Program(program).run(arguments)
    #expect(run.status == 0, "\(run.error)")
  }

  /// The warnings on a run that logs, by its log and its store.
  private func warnings(
    _ program: String, _ arguments: [String], store: String
  ) async throws -> Set<String> {
    struct Report: Decodable {
      var findings: [Finding]
      struct Finding: Decodable {
        var rule: String
        var severity: String
      }
    }
    let log = folder.path("store.log")
    unlink(log)
    let run = try await Program(program).run(
      arguments, environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(run.status == 0, "\(run.error)")
    let summary = try await Program("trace-report").run(
      "summary", log, "--database", store, "--json")
    #expect(summary.status == 0, "\(summary.error)")
    let report = try JSONDecoder().decode(Report.self, from: Data(summary.output.utf8))
    return Set(report.findings.filter { $0.severity == "warning" }.map(\.rule))
  }

  @Test func transit() async throws {
    let store = folder.path("transit.sqlite")
    try await make(
      "transit", "generate", "--stops", "12800", "--stop-times", "60000", "--seed", "1",
      "--store", store)
    for (search, rule) in [
      (["--geo"], "AvoidFullTableScan"), (["--departures", "--at", "08:30"], "AvoidFullTableScan"),
      (["--text", "u gorli"], "UnindexedStringSearch"),
    ] {
      func found(_ version: String) async throws -> Set<String> {
        try await warnings(
          "transit", ["search"] + search + [version, "--store", store], store: store)
      }
      #expect(try await found("--before") == [rule], "\(search)")
      #expect(try await found("--after") == [], "\(search)")
    }
  }

  @Test func records() async throws {
    let store = folder.path("records.sqlite")
    try await make("records", "generate", "--seed", "1", "--store", store)
    func found(_ version: String) async throws -> Set<String> {
      try await warnings("records", ["list", "--all", version, "--store", store], store: store)
    }
    #expect(try await found("--before") == ["UseStoredSortKey"])
    #expect(try await found("--after") == [])
  }

  @Test func photos() async throws {
    try await make("photos", "generate", "--pixels", "128", "--folder", folder.url.path)
    func found(_ arguments: [String], version: Int) async throws -> Set<String> {
      try await warnings(
        "photos", arguments + ["--version", "\(version)", "--folder", folder.url.path],
        store: folder.path("photos-\(version).sqlite"))
    }
    let before = try await found(["list", "--before"], version: 1)
    #expect(before == ["AvoidLargeColumnInList"])
    let searched = try await found(["search", "rom", "--before"], version: 1)
    #expect(searched == ["AvoidLargeColumnInList", "UnindexedStringSearch"])
    for version in 2...3 {
      #expect(try await found(["list", "--after"], version: version) == [])
    }
    #expect(try await found(["search", "rom", "--after"], version: 3) == [])
  }
}
