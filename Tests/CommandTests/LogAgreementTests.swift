// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import TraceRendering

/// The logs that libraries write for real runs have the counts of a recording of the same run: make test-logs.
@Suite struct LogAgreementTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private static func runs(_ command: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The runs of each form on the program's tables, and the commits.
  private func counts(_ path: String) async throws -> [String: UInt64] {
    let run = try await report.run("summary", path, "--json")
    #expect(run.status == 0, "\(run.error)")
    let saved = try JSONDecoder().decode(ReportV1.self, from: Data(run.output.utf8))
    return saved.statements.reduce(into: [:]) { counts, statement in
      // The shell passes a semicolon to SQLite.
      let form = (statement.fields.fingerprint ?? "").prefix { $0 != ";" }
      let words = form.lowercased()
      // ActiveRecord does not log its queries on the schema.
      guard words.contains("author") || words.contains("book") || words.hasPrefix("commit"),
        !words.contains("sqlite_master"), !words.hasPrefix("pragma")
      else { return }
      counts[String(words), default: 0] += statement.fields.count
    }
  }

  /// Records a program that writes `own.log` into the folder, and compares the two.
  private func compare(_ command: [String]) async throws {
    let trace = folder.path("trace")
    let run = try await report.run(["record", "--log", "-o", trace, "--"] + command)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    let recorded = try await counts(trace)
    #expect(recorded.count >= 5 && recorded.values.reduce(0, +) > 5, "\(recorded)")
    #expect(try await counts(folder.path("own.log")) == recorded)
  }

  @Test(.enabled(if: Python.has("django"))) func djangosLogHasTheCountsOfTheRecording() async throws
  {
    try await compare([Python.name, Python.script("logs/django_app.py"), folder.url.path])
  }

  @Test(.enabled(if: Python.has("sqlalchemy")))
  func sqlAlchemysLogHasTheCountsOfTheRecording() async throws {
    try await compare([Python.name, Python.script("logs/sqlalchemy_app.py"), folder.url.path])
  }

  @Test(.enabled(if: runs("ruby", "-e", "require 'active_record'; require 'sqlite3'")))
  func railsLogHasTheCountsOfTheRecording() async throws {
    try await compare(["ruby", Python.script("logs/rails_app.rb"), folder.url.path])
  }

  @Test(.enabled(if: runs("sqlite3", "--version")))
  func theShellsTraceHasTheCountsOfTheRecording() async throws {
    try await compare([
      "sqlite3", folder.path("app.db"), "-cmd", ".trace '\(folder.path("own.log"))'",
      ".read '\(Python.script("logs/shell.sql"))'",
    ])
  }
}
