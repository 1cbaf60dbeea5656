// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

/// Rare and frequent values take the same steps without an index, and other ones with it.
@Suite struct RareValueTests {
  @Test func indexIsChosenForRareValuesOfAList() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE parcel(id INTEGER PRIMARY KEY, stage TEXT, due INTEGER, label TEXT);
      WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
        INSERT INTO parcel SELECT i, iif(i % 400, 'sent', 'packed'), i, 'label ' || i FROM n;
      """)
    let sql = "SELECT id, label FROM parcel WHERE stage IN (?, ?) AND due < ? ORDER BY due LIMIT 10"
    let statement = try connection.prepare(sql)
    statement.bind("packed", at: 1)
    statement.bind("held", at: 2)
    statement.bind(Int64(19_000), at: 3)
    var rows: UInt64 = 0
    while try statement.step() { rows += 1 }
    statement.reset()
    let counted = statement.takeCounters()
    let profile = RunBuilder { trace in
      trace.connect()
      for _ in 0..<20 {
        trace.run(
          sql, rows: rows, step: 1_000_000, vmSteps: counted.vmSteps,
          fullScanSteps: counted.fullScanSteps, sorts: counted.sorts)
      }
    }.profile()
    let finding = try #require(
      try Workload(profile, database: connection).findings.first { $0.severity == .warning })
    #expect(finding.fix.contains("ON parcel (stage, due)"), "\(finding.fix)")
  }
}
