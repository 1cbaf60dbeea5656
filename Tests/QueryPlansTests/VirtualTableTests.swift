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

  @Test func oneScanSamplesIt() throws {
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

  @Test func aScanOfItIsMeasured() {
    let explanation = PlanExplainer(connection).explain("SELECT id FROM box WHERE x0 % 500 = ?")
    #expect(explanation.judgement?.evidence == .sampled)
    #expect(explanation.verdict == .fullScan)
  }
}
