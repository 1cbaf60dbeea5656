// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// Reports of runs in which everything happened once: nothing is `1 runs`.
@Suite struct PluralsTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory

  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ? AND t0.ZX > ?"

  init() throws {
    folder = try TemporaryDirectory()
    try write("once.log") { trace in
      trace.fetch(Self.sql, rows: 1, vmSteps: 1, fullScanSteps: 1, sorts: 1, autoIndexRows: 1)
      trace.fault(rows: 1)
      trace.save(inserted: 1, updated: 0, deleted: 0)
      trace.busy(1_000_000, gaveUp: true)
      trace.checkpoint(1, of: 1)
      trace.append(
        .transaction(
          TransactionEnded(storeID: 1, saveID: 1, outcome: "rollback", waitTime: 0, totalTime: 0)))
      trace.begin()
    }
    try write("worse.log", missing: 1) { trace in
      trace.fetch(
        Self.sql, rows: 1, connection: 900_000_000, total: 1_000_000_000, vmSteps: 90_000,
        fullScanSteps: 30_000)
      trace.save(wait: 600_000_000, commit: 500_000_000)
      trace.busy(1_000_000_000, gaveUp: true)
      trace.checkpoint(0, of: 1, time: 600_000_000)
    }
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, ZNAME TEXT, ZX INTEGER);
      INSERT INTO ZSTOP VALUES (1, 'a', 1);
      CREATE INDEX ZSTOP_ZX ON ZSTOP (ZX); CREATE INDEX ZSTOP_ZX_AGAIN ON ZSTOP (ZX)
      """)
  }

  private func write(
    _ name: String, missing: UInt64 = 0, _ body: (inout RunBuilder) -> Void
  ) throws {
    let run = RunBuilder { trace in
      trace.open()
      body(&trace)
      trace.close(missing: missing)
    }
    try Data((run.log + "what no rule knows\n").utf8).write(to: URL(filePath: folder.path(name)))
  }

  /// `1 runs`, `1 VM steps`, `1 more statements`; not `11 runs`, `0.1 runs` or `1 ms`.
  static func wrongPlurals(in text: String) -> [String] {
    let singular: Set = [
      "ms", "µs", "ns", "s", "is", "was", "does", "has", "stays", "miss", "class",
    ]
    let pattern = /(?:^|[^0-9.,:×])1 (?:[A-Za-z-]+ ){0,2}?([A-Za-zµ-]+s)\b/
      .anchorsMatchLineEndings()
    return text.matches(of: pattern).filter { !singular.contains(String($0.output.1)) }
      .map { String($0.output.0) }
      // `1 for faults` counts something else.
      .filter { !$0.contains(" for ") }
  }

  @Test func findsWrongPlurals() {
    #expect(Self.wrongPlurals(in: "in 1 runs").count == 1)
    #expect(Self.wrongPlurals(in: "1 more statements, 1 VM steps").count == 2)
    #expect(Self.wrongPlurals(in: "11 runs, 0.1 rows, 1,001 rows, 1 ms, 1 run was").isEmpty)
  }

  @Test(arguments: [
    "summary once.log", "summary worse.log", "summary once.log --database store.sqlite",
    "summary once.log --group-by caller", "summary once.log --group-by entity",
    "plans once.log --database store.sqlite", "plans worse.log --database store.sqlite",
    "advise once.log --database store.sqlite", "diff once.log worse.log",
    "gate once.log --baseline worse.json", "gate worse.log --baseline once.json",
    "gate once.log --baseline once.json", "gate worse.log --baseline once.json --quiet",
    "baseline once.log -o new.json", "export once.log --format csv",
    "orderings --database store.sqlite --budget 1 --sql '\(sql)'",
    "orderings --database store.sqlite --bind 1 --sql '\(sql)'",
    "plans once.log --database store.sqlite --fail-on scan", "top once.log --count 1",
    "top once.log --count 1 --interval 10ms",
  ])
  func countsAgreeWithTheirNouns(command: String) async throws {
    let run = try await shell(
      """
      "$0" baseline once.log -o once.json >/dev/null; "$0" baseline worse.log -o worse.json >/dev/null
      "$0" \(command) 2>&1
      """)
    #expect(run.output.count > 20, "\(run.errorOutput)")
    #expect(Self.wrongPlurals(in: run.output) == [], "\(run.output)")
  }

  @Test func countsOfPagesAndCommentsAgreeWithTheirNouns() async throws {
    let run = try await shell(
      """
      "$0" baseline once.log -o once.json >/dev/null
      "$0" gate worse.log --baseline once.json --markdown gate.md --junit gate.xml --sarif gate.sarif
      "$0" html once.log -o once.html --database store.sqlite --advise
      "$0" html worse.log -o worse.html
      "$0" diff once.log worse.log --html diff.html
      cat gate.md gate.xml gate.sarif
      # Of the pages what is seen, without the scripts.
      sed -e 's/<script>.*//' -e '/<script/,/<\\/script>/d' -e '/<style/,/<\\/style>/d' \
        -e 's/<[^>]*>/\\n/g' once.html worse.html diff.html
      """)
    #expect(run.output.contains("ZSTOP") && run.output.count > 5000, "\(run.output)")
    #expect(Self.wrongPlurals(in: run.output) == [])
  }

  private func shell(_ line: String) async throws -> BuiltTool.Run {
    try await report.run(through: ["sh", "-c", "cd '\(folder.url.path)'\n\(line)"], [])
  }
}
