// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `trace-report locks --all`.
@Suite(.enabled(if: Python.has("sqlite3"))) struct AllLocksTests {
  private let directory: TemporaryDirectory
  private let report = BuiltTool("trace-report")

  init() throws { directory = try TemporaryDirectory() }

  private struct All: Decodable {
    struct Hazard: Decodable { var kind: String }
    struct Library: Decodable { var pid: Int32 }
    struct Database: Decodable {
      var database: String
      var journalMode: String
      var hazards: [Hazard]
      var sqlite: [Library]
    }
    var databases: [Database]
  }

  @Test func everyOpenDatabaseIsListedWithItsHazards() async throws {
    let (sound, cut) = (directory.path("sound.db"), directory.path("cut.db"))
    let first = try PythonProgram("", database: sound, mode: "DELETE")
    defer { first.end() }
    let second = try PythonProgram("os.unlink(P + '-wal')", database: cut, mode: "WAL")
    defer { second.end() }
    let run = try await report.run("locks", "--all", "--json", "--fail-on", "warning")
    #expect(run.status == 2, "\(run.errorOutput)")
    let found = try JSONDecoder().decode(All.self, from: Data(run.output.utf8)).databases
      .filter { $0.database.hasPrefix(directory.url.path) }
    #expect(found.map(\.database) == [cut, sound])
    #expect(found.map(\.journalMode) == ["wal", "rollback"])
    #expect(found.map { $0.hazards.map(\.kind) } == [["deletedLog"], []])
    #expect(found.map { $0.sqlite.map(\.pid) } == [[second.pid], [first.pid]])
    let text = try await report.run("locks", "--all")
    #expect(text.output.contains("python3[\(first.pid)]"), "\(text.output)")
    #expect(text.output.contains("Warning: The log '\(cut)-wal' was deleted"), "\(text.output)")
  }

  @Test func aDatabaseOrAllIsNamed() async throws {
    #expect(try await report.run("locks").status == 64)
    #expect(try await report.run("locks", "a.db", "--all").status == 64)
    #expect(try await report.run("locks", "--all", "--watch", "1s").status == 64)
  }
}
