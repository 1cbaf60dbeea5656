// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import Testing
import TraceRendering

@Suite struct AdviceReportTests {
  /// An index that covers a fetch holds `Z_OPT` as well, of which there is no property to declare.
  @Test func whatNoPropertyCanDeclareIsMadeInSQL() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZPHOTO ( Z_PK INTEGER PRIMARY KEY, ZDATA BLOB, ZKIND INTEGER, Z_OPT INTEGER );
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO ZPHOTO SELECT i, zeroblob(9000), i % 12, 1 FROM n;
      """)
    let statement = WorkloadStatement(
      id: "0", sql: "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZPHOTO t0 WHERE  t0.ZKIND = ?", runs: 10)
    let advice = try IndexAdvisor([statement], on: connection).advice()
    try #require(advice.creations.map(\.candidate.columns) == [["ZKIND", "Z_OPT"]])
    let report = AdviceReport(database: "a.sqlite", sqliteVersion: "3", advice: advice)
    #expect(report.json.create.map(\.declaration) == [nil])
    let text = report.text(.plain)
    #expect(text.contains("Z_OPT is of no property: no declaration makes it"), "\(text)")
    #expect(!text.contains("Index("))
  }
}
