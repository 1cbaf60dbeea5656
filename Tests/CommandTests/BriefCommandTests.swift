// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceRendering

/// `--json --brief`: the verdict and findings within a budget, with ids that stay.
@Suite struct BriefCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// A log with a scan of each table, in this order.
  private func log(_ name: String, _ tables: [Int], step: Nanoseconds = 2_000_000) throws -> String
  {
    let path = folder.path(name)
    let run = RunBuilder {
      $0.connect()
      for table in tables {
        $0.caller(UInt64(table), line: UInt64(table), function: "find\(table)")
        for _ in 0..<30 {
          $0.run(
            "SELECT a FROM t\(table) WHERE b = ?", caller: UInt64(table), rows: 1,
            bindHash: UInt64(table), step: step * Nanoseconds(table), vmSteps: 30_000,
            fullScanSteps: 9000)
        }
      }
      $0.disconnect(1)
      $0.close()
    }
    try run.log.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func brief(_ arguments: String...) async throws -> (text: String, report: BriefV1) {
    let run = try await report.run(arguments)
    #expect(run.status == 0, "\(run.error)")
    return (run.output, try JSONDecoder().decode(BriefV1.self, from: Data(run.output.utf8)))
  }

  @Test func aBudgetIsKeptAndTheRestIsCounted() async throws {
    let path = try log("a.log", Array(1...25))
    let all = try await brief("findings", path, "--json").report
    #expect(all.findings.count >= 25 && all.leftOut == 0)
    for budget in [400, 800, 2000, 8000] {
      let (text, part) = try await brief(
        "summary", path, "--json", "--brief", "--budget", "\(budget)")
      #expect(text.utf8.count <= budget * 3, "\(budget): \(text.utf8.count)")
      #expect(text.split(separator: "\n").count == 1)
      #expect(part.findings == Array(all.findings.prefix(part.findings.count)))
      #expect(part.findings.count + part.leftOut == all.findings.count)
      // The next finding has no room.
      #expect(part.leftOut == 0 || text.utf8.count > budget * 3 - 1000, "\(budget)")
      #expect(part.verdict == all.verdict)
    }
    let usual = try await brief("findings", path, "--json", "--brief").text
    #expect(usual.utf8.count <= 6000 && usual.utf8.count > 5000)
  }

  @Test func idsDependNeitherOnTheOrderNorOnTime() async throws {
    let first = try await brief("findings", try log("a", [1, 2, 3]), "--json").report.findings
    let other = try await brief(
      "findings", try log("b", [3, 2, 1, 4], step: 5_000_000), "--json"
    ).report.findings
    #expect(Set(first.map(\.id)).count == first.count)
    for finding in first {
      #expect(other.filter { $0.id == finding.id }.map(\.at) == [finding.at])
      #expect(other.first { $0.id == finding.id }?.rule == finding.rule)
    }
  }

  @Test func aStatementHasItsFindingsByItsID() async throws {
    let path = try log("a", [1, 2, 3])
    let finding = try #require(try await brief("findings", path, "--json").report.findings.first)
    let id = try #require(finding.statement)
    let run = try await report.run("statement", id, path, "--json")
    #expect(run.status == 0, "\(run.error)")
    let statement = try JSONDecoder().decode(StatementV1.self, from: Data(run.output.utf8))
    #expect(statement.statement.fields.id == id && statement.statement.fields.count == 30)
    #expect(statement.findings.contains(finding))
    let text = try await report.run("statement", String(id.prefix(8)), path)
    #expect(text.status == 0 && text.output.contains(finding.fix), "\(text.output)\(text.error)")
    let unknown = try await report.run("statement", "0123", path)
    #expect(unknown.status == 64, "\(unknown.error)")
  }

  @Test func theNextCommandHasTheOptionsOfTheFirst() async throws {
    let path = try log("a", [1, 2, 3])
    let brief = try await brief(
      "summary", path, "--caller", "app.py", "--since", "0s", "--json", "--brief"
    ).report
    let words = try #require(brief.next).split(separator: " ").map(String.init)
    #expect(words.first == "trace-report" && words.contains("--caller"), "\(words)")
    let next = try await report.run(Array(words.dropFirst()))
    #expect(next.status == 0, "\(words): \(next.error)")
  }

  @Test func aGateWithinABudgetCountsTheRest() async throws {
    let (few, many) = (try log("a", [1]), try log("b", Array(1...25)))
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", few, "-o", baseline)
    let run = try await report.run(
      "gate", many, "--baseline", baseline, "--json", "--brief", "--budget", "500")
    #expect(run.status == 2, "\(run.error)")
    #expect(run.output.utf8.count <= 1500)
    let part = try JSONDecoder().decode(GateReportV1.self, from: Data(run.output.utf8))
    #expect(part.sentence?.hasPrefix("gate: regression") == true)
    #expect(try #require(part.leftOut) > 0 && !part.regressions.isEmpty)
  }

  @Test func briefNeedsJSON() async throws {
    for command in ["summary", "findings"] {
      #expect(try await report.run(command, "x", "--brief").status == 64)
      #expect(try await report.run(command, "x", "--json", "--budget", "900").status == 64)
      #expect(try await report.run(command, "x", "--json", "--brief", "--budget", "5").status == 64)
    }
  }
}
