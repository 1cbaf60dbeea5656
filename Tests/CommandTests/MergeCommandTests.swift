// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `trace-report merge` as a user runs it.
@Suite struct MergeCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func trace(
    _ name: String, pid: Int64, labels: [String: String]? = nil, rows: UInt64 = 15,
    total: Nanoseconds = 1000
  ) throws -> String {
    let run = RunBuilder {
      $0.process = ProcessIdentity(id: pid, name: "app", host: "berlin")
      $0.open(path: "/srv/app.db", start: pid)
      for number in 0..<4 {
        $0.fetch("SELECT a FROM book WHERE id = \(number)", rows: rows, total: total)
      }
      $0.close()
    }
    let path = folder.path(name)
    try run.writeTrace(to: URL(filePath: path), labels: labels)
    return path
  }

  private func saved(_ input: String, _ name: String) async throws -> String {
    let run = try await report.run("summary", "--json", input)
    #expect(run.status == 0, "\(run.error)")
    try Data(run.output.utf8).write(to: URL(filePath: folder.path(name)))
    return folder.path(name)
  }

  @Test func addsUpRunsOfSeveralVersionsAndHosts() async throws {
    let old = try trace("old", pid: 1, labels: ["version": "1.3"])
    let new = try trace("new", pid: 2, labels: ["version": "1.4", "host": "kiosk-7"], total: 9000)
    let sum = folder.path("sum.json")
    let run = try await report.run("merge", saved(old, "old.json"), new, "-o", sum)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.hasSuffix("2 recordings of 2 hosts, 1 form in 2 rows\n"))
    let groups = try await report.run("summary", sum, "--group-by", "version", "--json")
    let json = try JSONSerialization.jsonObject(with: Data(groups.output.utf8)) as? [String: Any]
    let versions = try #require(json?["groups"] as? [[String: Any]])
    #expect(versions.map { $0["name"] as? String } == ["1.4", "1.3"])
    #expect(versions.map { $0["p99Ns"] as? Int } == [9000, 1000])
    #expect(versions.map { $0["count"] as? Int } == [4, 4])
    #expect(try await report.run("summary", sum, "--group-by", "host").output.contains("kiosk-7"))
    // Read at once, runs of two versions are one group; the report states it.
    let together = try await report.run("summary", old, new, "--group-by", "version")
    #expect(together.output.contains("the inputs have different labels"))
    // Commands that read a saved report read a sum.
    let baseline = folder.path("baseline.json")
    #expect(try await report.run("baseline", sum, "-o", baseline).status == 0)
    #expect(try await report.run("gate", sum, "--baseline", baseline).status == 0)
    #expect(try await report.run("diff", sum, old).status == 0)
    #expect(try await report.run("html", sum, "-o", folder.path("sum.html")).status == 0)
    let piped = try await BuiltTool("trace-report").run(["merge", sum])
    #expect(piped.status == 0)
    #expect(piped.output == (try String(contentsOfFile: sum, encoding: .utf8)))
  }

  @Test func refusesInputsThatWouldCountTwice() async throws {
    let a = try trace("a", pid: 1)
    let b = try trace("b", pid: 2)
    let sum = folder.path("sum.json")
    #expect(try await report.run("merge", a, b, "-o", sum).status == 0)
    try FileManager.default.copyItem(atPath: a, toPath: folder.path("copy"))
    let json = try await saved(a, "a.json")
    for inputs in [[sum, a], [sum, folder.path("copy")], [a, a], [json, sum]] {
      let run = try await report.run(["merge"] + inputs + ["-o", folder.path("no.json")])
      #expect(run.status == 3)
      #expect(run.error.contains("would count twice; leave one of them out"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("no.json")))
    let summary = try await report.run("summary", "--all", sum, folder.path("a.json"))
    #expect(summary.status == 3 && summary.error.contains("would count twice"))
    let gate = try await report.run("gate", sum, b, "--baseline", sum)
    #expect(gate.status == 3 || gate.status == 1)
  }

  @Test func refusesDamagedForeignAndEmptyInputs() async throws {
    let whole = try await saved(try trace("a", pid: 1), "a.json")
    let text = try String(contentsOfFile: whole, encoding: .utf8)
    func merge(_ content: String) async throws -> Program.Run {
      try Data(content.utf8).write(to: URL(filePath: folder.path("x.json")))
      return try await report.run(
        "merge", folder.path("x.json"), whole, "-o", folder.path("no.json"))
    }
    let damaged = try await merge(text.replacing("\"rows\" : 60", with: "\"rows\" : 61"))
    #expect(damaged.status == 3 && damaged.error.contains("was changed after it was written"))
    let half = try await merge(String(text.prefix(text.count / 2)))
    #expect(half.status == 1 && half.error.contains("is JSON, but no report"))
    let future = try await merge(
      text.replacing("\"schemaVersion\" : 1", with: "\"schemaVersion\" : 2"))
    #expect(future.status == 1 && future.error.contains("has schemaVersion 2"))
    let empty = try await merge("")
    #expect(empty.status == 3 && empty.error.contains("x.json"))
    let missing = try await report.run("merge", folder.path("none.json"))
    #expect(missing.status == 1 && missing.error.contains("no such input"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("no.json")))
  }

  @Test func capsTheRowsAndCountsTheForms() async throws {
    let run = RunBuilder {
      $0.open()
      for table in 0..<9 { $0.fetch("SELECT a FROM t\(table)") }
      $0.close()
    }
    try run.writeTrace(to: URL(filePath: folder.path("many")))
    let sum = try await report.run(
      "merge", folder.path("many"), "--max-forms", "4", "-o", folder.path("sum.json"))
    #expect(sum.output.hasSuffix("in 5 rows, other (5 forms)\n"))
    let groups = try await report.run("summary", folder.path("sum.json"), "--group-by", "host")
    #expect(groups.output.contains("other (5 forms)"))
  }

  @Test func labelsAreNamesAndValues() async throws {
    for (label, words) in [
      ("version", "--label takes name=value"), ("=1", "--label takes name=value"),
      ("Version=1", "small letters"), ("a=\(String(repeating: "x", count: 300))", "longer than"),
    ] {
      let run = try await report.run("record", "--label", label, "--", "true")
      #expect(run.status == 64 && run.error.contains(words), "\(label)")
    }
    let twice = try await report.run(
      "record", "--label", "a=1", "--label", "a=2", "--", "true")
    #expect(twice.status == 64 && twice.error.contains("each label once"))
  }

  /// A label that was changed by hand makes the recording's check fail.
  @Test func changedLabelsAreFound() async throws {
    let path = try trace("a", pid: 1, labels: ["version": "1.3"])
    let seal = URL(filePath: path).appending(path: RecordingSeal.fileName)
    let text = try String(contentsOf: seal, encoding: .utf8)
    try Data(text.replacing("1.3", with: "1.4").utf8).write(to: seal)
    let run = try await report.run("summary", "--all", path)
    #expect(run.output.contains("not as they were recorded"))
  }
}
