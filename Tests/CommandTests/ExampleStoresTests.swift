// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import TraceRendering

/// The examples with their stores: their naive versions have the warning of the well-known problem, and the
/// optimized ones have none.
@Suite struct ExampleStoresTests {
  private let report = BuiltTool("trace-report")

  struct Example: Sendable, CustomStringConvertible {
    var program: String
    /// Makes its store.
    var generate: [String]
    var command: [String]
    var store: String
    /// The warnings of the naive version.
    var rules: Set<String>
    /// The options of the two versions, where the optimized one is another store's.
    var versions: [String]?
    var description: String { ([program] + command).joined(separator: " ") }
  }

  private static let transit = ["generate", "--stops", "1280", "--stop-times", "20000"]
  private static let photos = ["generate", "--photos", "60", "--pixels", "64"]
  private static let layouts = ["1", "2"]

  static let all: [Example] = [
    .init(
      program: "transit", generate: transit, command: ["search", "--geo"], store: "transit.sqlite",
      rules: ["AvoidFullTableScan"]),
    .init(
      program: "transit", generate: transit, command: ["search", "--departures", "--at", "08:30"],
      store: "transit.sqlite", rules: ["AvoidFullTableScan"]),
    .init(
      program: "transit", generate: transit, command: ["search", "--text", "u gorli"],
      store: "transit.sqlite", rules: ["UnindexedStringSearch"]),
    .init(
      program: "records", generate: ["generate"], command: ["list", "--all"],
      store: "records.sqlite", rules: ["UseStoredSortKey"]),
    .init(
      program: "photos", generate: photos, command: ["list"], store: "photos-%.sqlite",
      rules: ["AvoidLargeColumnInList"], versions: layouts),
    .init(
      program: "photos", generate: photos, command: ["list", "--version", "2", "--scroll"],
      store: "photos-2.sqlite", rules: ["AvoidFaultStorm"]),
    .init(
      program: "photos", generate: photos, command: ["list", "--version", "3", "--scroll"],
      store: "photos-3.sqlite", rules: ["AvoidFaultStorm"]),
    .init(
      program: "photos", generate: photos, command: ["search", "rom"], store: "photos-3.sqlite",
      rules: ["UnindexedStringSearch"]),
  ]

  private func run(_ example: Example, _ arguments: [String], in folder: String, log: String? = nil)
    async throws
  {
    let place =
      example.program == "photos"
      ? ["--folder", folder] : ["--store", "\(folder)/\(example.store)"]
    let environment = log.map { ["STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=\($0)"] } ?? []
    let run = try await BuiltTool(example.program).run(
      through: ["env"] + environment, arguments + place)
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  @Test(arguments: all)
  func theSolutionHasNoWarning(example: Example) async throws {
    let folder = try TemporaryDirectory()
    try await run(example, example.generate, in: folder.url.path)
    for (index, option) in ["--before", "--after"].enumerated() {
      let log = folder.path("\(option).log")
      let layout = example.versions.map { ["--version", $0[index]] } ?? []
      try await run(example, example.command + layout + [option], in: folder.url.path, log: log)
      let store = example.store.replacing("%", with: example.versions?[index] ?? "")
      let summary = try await report.run(
        "summary", log, "--database", folder.path(store), "--json")
      #expect(summary.status == 0, "\(summary.errorOutput)")
      let findings = try JSONDecoder().decode(ReportV1.self, from: Data(summary.output.utf8))
        .findings.filter { $0.severity == "warning" }
      #expect(Set(findings.map(\.rule)) == (index == 0 ? example.rules : []), "\(findings)")
    }
  }
}
