// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Tables whose rows a module finds: SQLite has no index of them, and may scan for each rowid.
@Suite struct VirtualTableTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO box SELECT i, i, i + 1, i, i + 1 FROM n;
      """)
  }

  @Test func virtualTableIsSampledInOneScan() throws {
    var steps = 0
    let sample = try connection.interrupting(
      when: {
        steps += 1000
        return steps > 1_000_000
      }, every: 1000
    ) {
      try #require(
        ColumnSample(.init(table: "box", alias: "b", sql: "\"x0\""), on: connection))
    }
    #expect(sample.values.count == 12_000)
    #expect(steps <= 1_000_000)
  }

  /// No index of a table has the order of matches: all of them are sorted for the first ones.
  @Test func matchesThatAreSortedForALimitAreASearchThatCosts() throws {
    try connection.execute(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, at INT, body TEXT);
      CREATE INDEX note_at ON note(at);
      CREATE VIRTUAL TABLE note_text USING fts5(body, content = 'note', content_rowid = 'id');
      INSERT INTO note SELECT id, id * 10, 'common ' || id FROM box WHERE id <= 4000;
      INSERT INTO note_text(note_text) VALUES ('rebuild');
      """)
    let work = StatementWork(executions: 1, rows: 10, fullScanSteps: 0, vmSteps: 48_000)
    func judgement(_ order: String) -> PlanJudgement? {
      PlanExplainer(connection).explain(
        """
        SELECT n.id FROM note_text t JOIN note n ON n.id = t.rowid WHERE note_text MATCH 'common'
        ORDER BY \(order) DESC LIMIT 10
        """, work: work
      ).judgement
    }
    #expect(judgement("n.at")?.verdict == .costlySearch)
    #expect(judgement("n.at")?.excess?.sortedMatches == "t")
    #expect(judgement("t.rowid")?.verdict != .costlySearch)
  }

  @Test func aScanOfItIsMeasured() {
    let explanation = PlanExplainer(connection).explain("SELECT id FROM box WHERE x0 % 500 = ?")
    #expect(explanation.judgement?.evidence == .sampled)
    #expect(explanation.verdict == .fullScan)
  }
}
