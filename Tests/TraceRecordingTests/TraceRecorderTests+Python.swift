// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// A Python program that is not changed for the recording.
extension TraceRecorderTests {
  /// Prints the statements that its own trace callback saw, and the rows that it got.
  private static let program = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    statements = []
    db.set_trace_callback(statements.append)
    rows = 0
    db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, author INT, title TEXT)")
    with db:
        db.executemany("INSERT INTO author VALUES(?, ?)", [(i, f"a{i}") for i in range(50)])
        db.executemany("INSERT INTO book VALUES(?, ?, ?)", [(i, i % 50, f"t{i}") for i in range(2000)])
    for book in db.execute("SELECT id, author FROM book LIMIT 40").fetchall():
        rows += 1 + len(db.execute("SELECT name FROM author WHERE id = ?", (book[1],)).fetchall())
    for i in range(5):
        rows += len(db.execute("SELECT id FROM book WHERE title = ?", (f"t{i}",)).fetchall())
    db.close()
    print(len(statements), rows)
    """

  @Test func aPythonProgramHasItsOwnCountsAndLines() async throws {
    let script = recorder.folder.path("app.py")
    try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
    let run = try await recorder.record(
      command: ["/usr/bin/env", "python3", script, recorder.folder.path("app.db")])
    #expect(run.status == 0, "\(run.errorOutput)")
    let counted = try #require(run.output.split(separator: "\n").first).split(separator: " ")
      .compactMap { UInt64($0) }
    let profile = try Profile(reading: [recorder.trace])
    let observed = try #require(profile.observed)
    #expect([observed.runs, observed.rows] == counted)
    #expect(observed.changes == 2050)
    #expect(observed.connections == 1)
    let findings = profile.findings.map { "\($0.rule) \($0.caller.line)" }
    #expect(findings.contains("AvoidQueryInLoop 12"), "\(findings)")
    #expect(findings.contains("AvoidFullTableScan 14"), "\(findings)")
    #expect(profile.findings.allSatisfy { $0.caller.file.hasSuffix("app.py") })
    try expectNothingLeft()
  }

  @Test func withoutTheProbeAPythonProgramHasNoEvents() async throws {
    let run = try await recorder.record(
      options: ["--no-probe"],
      command: ["/usr/bin/env", "python3", "-c", "import sqlite3; sqlite3.connect(':memory:')"])
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("opened no ObjectStore store"))
  }
}
