// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The rules find each planted mistake at its line, and nothing else: `make pitfalls` in 20 runs.
@Suite struct PitfallsTests {
  private static let runs =
    ProcessInfo.processInfo.environment["PITFALL_RUNS"].flatMap { Int($0) } ?? 2

  private struct Report: Decodable {
    var findings: [Finding]
    struct Finding: Decodable {
      var rule: String
      var caller: Place?
      var fix: String
      var message: String
    }
    struct Place: Decodable {
      var file: String
      var line: Int
    }
  }

  /// `Before.swift:19 AvoidFaultStorm` for each comment `finds: AvoidFaultStorm`.
  private static func planted() throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let source = try String(
      contentsOf: root.appending(path: "Examples/pitfalls/Before.swift"), encoding: .utf8)
    return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        guard let mark = line.firstRange(of: "// finds: ") else { return nil }
        return "pitfalls/Before.swift:\(index + 1) \(line[mark.upperBound...])"
      }.sorted()
  }

  private func findings(_ form: String) async throws -> [Report.Finding] {
    let folder = try TemporaryDirectory()
    let (store, log) = (folder.path("store.sqlite"), folder.path("store.log"))
    let run = try await Program("pitfalls").run(
      [form, "--store", store],
      environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(run.status == 0, "\(run.error)")
    let summary = try await Program("trace-report").run(
      ["summary", log, "--database", store, "--json"])
    #expect(summary.status == 0, "\(summary.error)")
    return try JSONDecoder().decode(Report.self, from: Data(summary.output.utf8)).findings
  }

  @Test func eachMistakeIsFoundAtItsLineInEveryRun() async throws {
    let planted = try Self.planted()
    #expect(planted.count == 11)
    for _ in 0..<Self.runs {
      let found = try await findings("before")
      let places = found.map { "\($0.caller?.file ?? "?"):\($0.caller?.line ?? 0) \($0.rule)" }
      #expect(places.sorted() == planted, "\(found.map(\.message))")
    }
  }

  @Test func eachFindingHasItsFix() async throws {
    let fixes = [
      "AvoidFaultStorm": "relationshipKeyPathsForPrefetching",
      "AvoidRelationshipFaultStorm": "count 'items' for all owners",
      "AvoidFullTableScan": "declare Index(\\.price) in Item",
      "UnindexedStringSearch": "BEGINSWITH", "UseIndexForSort": "declare Index(\\.rank) in Item",
      "AvoidRepeatedFetch": "fetch once, before the loop", "AvoidDeepOffset": "after the last key",
      "KeepBatchSize": "keep the batched result itself",
      "AvoidLargeColumnInList": "with a to-one relationship",
      "AvoidSlowSave": "save after the loop", "LimitFetch": "fetchLimit",
    ]
    let found = try await findings("before")
    for finding in found {
      #expect(
        finding.fix.contains(fixes[finding.rule] ?? "?"), "\(finding.rule): \(finding.fix)")
    }
    #expect(Set(found.map(\.rule)) == Set(fixes.keys))
  }

  @Test func withoutTheMistakesThereIsNoFinding() async throws {
    for _ in 0..<Self.runs {
      let found = try await findings("after")
      #expect(found.isEmpty, "\(found.map { "\($0.rule): \($0.message)" })")
    }
  }

  @Test func bothFormsSeeTheSame() async throws {
    let folder = try TemporaryDirectory()
    var seen: [String] = []
    for form in ["before", "after"] {
      let run = try await Program("pitfalls").run(form, "--store", folder.path(form))
      seen.append(run.output.replacing("\(form): ", with: ""))
    }
    #expect(seen[0] == seen[1])
  }
}
