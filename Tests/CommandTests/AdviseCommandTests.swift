// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// `advise` and `growth` on stores that transit makes.
@Suite(.serialized) struct AdviseCommandTests {
  let folder: TemporaryDirectory
  let tool = BuiltTool("trace-report")
  let transit = Program("transit")
  var store: String { folder.path("transit.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func search(_ arguments: String..., log: String) async throws {
    let run = try await transit.run(
      ["search", "--store", store] + arguments,
      environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": folder.path(log)])
    try #require(run.status == 0, "\(run.error)")
  }

  private struct Advice: Decodable {
    var schemaVersion: Int
    var create: [Creation]
    var drop: [Removal]
    var beforeSteps: Double
    var afterSteps: Double
    struct Creation: Decodable {
      var table: String
      var columns: [String]
      var entity: String?
      var sql: String
      var declaration: String
    }
    struct Removal: Decodable { var index: String }
  }

  private func advice(_ log: String) async throws -> Advice {
    let run = try await tool.run(
      "advise", folder.path(log), "--database", store, "--json")
    try #require(run.status == 0, "\(run.errorOutput)")
    return try JSONDecoder().decode(Advice.self, from: Data(run.output.utf8))
  }

  @Test func findsTheIndexesOfTheStoryAndNothingWhenTheyAreThere() async throws {
    let made = try await transit.run(
      "generate", "--stops", "1280", "--stop-times", "30000", "--seed", "1", "--store", store)
    try #require(made.status == 0, "\(made.error)")
    try await search(
      "--geo", "--departures", "--at", "08:30", "--before", "--repeat", "5", log: "before.log")
    let bytes = try Data(contentsOf: URL(filePath: store))
    let advice = try await advice("before.log")
    #expect(try Data(contentsOf: URL(filePath: store)) == bytes)
    #expect(advice.schemaVersion == 1)
    let box = try #require(advice.create.first { $0.table == "ZSTOP" })
    #expect(Set(box.columns) == ["ZLONGITUDE", "ZLATITUDE"])
    #expect(box.entity == "Stop")
    #expect(box.declaration.hasPrefix("Index(\\.l"))
    #expect(advice.create.first { $0.table == "ZSTOPTIME" }?.columns.first == "ZSTOP")
    #expect(advice.afterSteps < advice.beforeSteps / 2)

    try Connection(path: store).execute(advice.create.map(\.sql).joined(separator: ";"))
    let again = try await self.advice("before.log")
    #expect(again.create.map(\.sql) == [])
  }

  /// All that does not rest on a clock.
  private struct Answer: Decodable, Hashable {
    var create: [Index]
    var drop: [Index]
    var rejected: [Index]
    var beforeSteps: Double
    var afterSteps: Double
    var statistics: [Statistics]
    var statements: [Statement]
    struct Index: Decodable, Hashable {
      var sql: String
      var reason: String?
    }
    struct Statistics: Decodable, Hashable {
      var state: String
      var steps: Double
    }
    struct Statement: Decodable, Hashable {
      var id: String
      var verdict: String?
      var beforeSteps: Double
      var afterSteps: Double
      var values: String
    }
  }

  @Test func tenRunsThatLoadTheMachineReturnOneAnswer() async throws {
    let made = try await transit.run(
      "generate", "--stops", "600", "--stop-times", "3000", "--seed", "1", "--store", store)
    try #require(made.status == 0, "\(made.error)")
    try await search("--geo", "--departures", "--at", "08:30", "--before", log: "a.log")
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 1...10 {
        group.addTask { [tool, folder, store] in
          let run = try await tool.run(
            "advise", folder.path("a.log"), "--database", store, "--json")
          try #require(run.status == 0, "\(run.errorOutput)")
          return try JSONDecoder().decode(Answer.self, from: Data(run.output.utf8))
        }
      }
      return try await group.reduce(into: [Answer: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(answers.count == 1, "\(answers)")
    #expect(answers.values.first == 10)
    #expect(answers.keys.first?.create.isEmpty == false)
  }

  @Test func reportsThatTheScanGrowsAndTheSearchDoesNot() async throws {
    let script = folder.path("search.sh")
    try """
    set -e
    transit="\(transit.path)"
    store="\(folder.path("s"))$1$2.sqlite"
    rm -f "$store"
    env -u STORE_SQL_DEBUG "$transit" generate --stops "$1" --stop-times "$1" --seed 1 --store "$store"
    "$transit" search --geo "--$2" --store "$store"
    """.write(toFile: script, atomically: true, encoding: .utf8)
    for (version, status, words) in [
      ("before", 2, "GROWS LIKE A SCAN"), ("after", 0, "growth: search"),
    ] {
      let run = try await tool.run(
        "growth", "--sizes", "400,1600,6400", "--fail-on", "scan", "--", "sh", script, "{size}",
        version)
      #expect(run.status == Int32(status), "\(run.errorOutput)\(run.output)")
      #expect(run.output.contains(words), "\(run.output)")
    }
    let few = try await tool.run(
      "growth", "--sizes", "400,800", "--", "sh", script, "{size}", "before")
    #expect(few.status == 3)
    #expect(few.output.contains("2 sizes fit any line"))
  }

  @Test func growthNeedsSizesAndAPlaceholder() async throws {
    #expect(try await tool.run("growth", "--sizes", "1,2,3", "--", "true").status == 64)
    #expect(try await tool.run("growth", "--sizes", "1,x", "--", "echo", "{size}").status == 64)
    let none = try await tool.run("growth", "--sizes", "1,2,3", "--", "true", "{size}")
    #expect(none.errorOutput.hasPrefix("trace-report: no events from 'true 1': "))
    #expect(none.status == 3)
    let failed = try await tool.run("growth", "--sizes", "1,2,3", "--", "false", "{size}")
    #expect(failed.status == 1)
  }

  @Test func adviseRefusesAnotherDatabase() async throws {
    try Connection(path: store).execute("CREATE TABLE t(a)")
    let run = RunBuilder {
      $0.open()
      $0.fetch("SELECT 0 FROM ZSTOP t0")
      $0.close()
    }
    try run.log.write(toFile: folder.path("a.log"), atomically: true, encoding: .utf8)
    let refused = try await tool.run("advise", folder.path("a.log"), "--database", store)
    #expect(refused.status == 3)
    #expect(refused.errorOutput.contains("the statement does not compile"))
  }
}
