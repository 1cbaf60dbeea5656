// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct TextIndexCommandTests {
  @Test(
    arguments: [
      ("INSERT INTO doc(doc) VALUES('rebuild')", .rebuild),
      ("insert into main.\"doc\" (DOC) values ('optimize');", .optimize),
      ("-- a\nINSERT OR IGNORE INTO doc(doc) VALUES(\"integrity-check\")", .integrityCheck),
    ] as [(String, TextIndexCommand.Kind)])
  func isAnInsertionIntoTheColumnOfTheTablesName(sql: String, kind: TextIndexCommand.Kind) throws {
    let command = try #require(TextIndexCommand(sql: sql))
    #expect(command.kind == kind)
    #expect(command.table == "doc")
  }

  @Test(arguments: [
    "INSERT INTO doc(body) VALUES('rebuild')", "INSERT INTO doc(doc) VALUES('merge')",
    "INSERT INTO doc(doc) VALUES(?)", "INSERT INTO doc(doc, rank) VALUES('rank', 'bm25(1)')",
    "INSERT INTO doc VALUES('rebuild')", "SELECT 'rebuild' FROM doc", "",
  ])
  func otherStatementsAreNoCommands(sql: String) {
    #expect(TextIndexCommand(sql: sql) == nil)
  }
}
