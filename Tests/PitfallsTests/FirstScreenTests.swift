// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What a terminal of 80 × 40 shows of the example: the worst finding with its fix, and nothing scrolls away.
@Suite struct FirstScreenTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func log(_ form: String) async throws -> String {
    let log = folder.path("\(form).log")
    let run = try await Program("pitfalls").run(
      [form, "--store", folder.path("\(form).sqlite")],
      environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(run.status == 0, "\(run.error)")
    return log
  }

  /// The lines of a command's output, without the folder and the times.
  private func screen(_ arguments: String...) async throws -> [String] {
    let run = try await Program("trace-report").run(arguments, environment: ["COLUMNS": "80"])
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.replacing(folder.url.path + "/", with: "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The command that was typed, and the prompt.
    #expect(lines.count + 1 <= 40, "\(run.output)")
    return lines
  }

  private static func fixes(in screen: [String]) -> Int {
    screen.count { $0.hasPrefix("   fix: ") }
  }

  @Test func ofElevenMistakesTheThreeWorstAreShown() async throws {
    let log = try await log("before")
    let database = folder.path("before.sqlite")
    let lines = try await screen("summary", log, "--database", database)
    #expect(lines[1].hasPrefix("11 warnings: up to "), "\(lines)")
    #expect(lines.joined(separator: " ").contains("can be saved. Worst: "))
    #expect(Self.fixes(in: lines) >= 2)
    #expect(lines.count { $0.firstMatch(of: /^\d\. pitfalls\/Before\.swift:\d+/) != nil } >= 2)
    #expect(
      lines.contains { $0.contains("trace-report findings before.log --database before.sqlite") })
    #expect(lines.last { !$0.isEmpty }?.hasSuffix(" -o report.html") == true)
    #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("trace-report ") }, "\(lines)")
  }

  @Test func withoutTheMistakesThereIsNothingToChange() async throws {
    let log = try await log("after")
    let lines = try await screen("summary", log, "--database", folder.path("after.sqlite"))
    #expect(lines[1] == "No findings.")
    #expect(lines.count <= 12, "\(lines)")
    #expect(lines.contains { $0.contains("trace-report baseline after.log ") }, "\(lines)")
  }

  @Test func theDifferenceHasCountsAndTheFindingsThatAreGone() async throws {
    let (before, after) = try await (log("before"), log("after"))
    let lines = try await screen("diff", before, after)
    let text = lines.joined(separator: " ")
    #expect(lines[1].firstMatch(of: /^\d+ findings are gone: fetches 59 → 10/) != nil, "\(lines)")
    #expect(text.contains("rows read in full scans "))
    #expect(lines.contains { $0.hasPrefix("gone: pitfalls/Before.swift:") })
    #expect(!lines[1].contains("faster"))
    #expect(lines.contains { $0.hasPrefix("next") })
  }
}
