// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Statements of a virtual table's module are not statements of the program.
@Suite struct ModuleStatementTests {
  private func verdict(of sql: String) throws -> PlanVerdict {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE VIRTUAL TABLE note USING fts5(body);
      CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);
      CREATE TABLE mine_config(k, v);
      """)
    return PlanExplainer(connection).explain(sql).verdict
  }

  @Test(arguments: [
    "SELECT k, v FROM 'main'.'note_config'", "REPLACE INTO 'main'.'note_docsize' VALUES(?,?)",
    "SELECT data FROM \"main\".\"place_node\" WHERE nodeno = ?",
  ])
  func aModulesStatementHasNoPlan(sql: String) throws {
    #expect(try verdict(of: sql) == .noPlan)
  }

  @Test(arguments: [
    "SELECT k, v FROM mine_config", "SELECT body FROM note",
    "SELECT n.body FROM note n JOIN note_config c ON c.k = n.rowid", "SELECT 1",
  ])
  func theProgramsStatementHasOne(sql: String) throws {
    #expect(try verdict(of: sql) != .noPlan)
  }
}
