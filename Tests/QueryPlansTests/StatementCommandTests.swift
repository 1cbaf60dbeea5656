// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct StatementCommandTests {
  @Test(arguments: [
    ("insert into t values (1)", "INSERT"),
    ("-- name: Add :exec\nINSERT INTO t VALUES (1)", "INSERT"),
    ("/* a */ -- b\n\t/* c */UPDATE t SET a = 1", "UPDATE"),
    (" \nWITH a AS (SELECT 1) SELECT 1", "WITH"),
    ("", ""), ("-- only a comment", ""), ("/* not closed", ""), ("(SELECT 1)", ""), ("'a' b", ""),
  ])
  func isTheFirstWordBehindComments(sql: String, name: String) {
    #expect(StatementCommand.name(of: sql) == name)
  }

  @Test func aTransactionsStatementsAreKnownBehindComments() {
    #expect(StatementCommand.isTransactionControl("/* app:web */ begin immediate"))
    #expect(StatementCommand.isTransactionControl("-- a\nRELEASE b"))
    #expect(!StatementCommand.isTransactionControl("/* BEGIN */ SELECT 1"))
    #expect(!StatementCommand.isTransactionControl("BEGINNING"))
  }

  @Test func aTableIsEmptiedByADeleteOfAllItsRows() {
    for sql in ["DELETE FROM a", "/* x */ delete from main.\"a\" ; ", "DELETE FROM [a b];"] {
      #expect(StatementCommand.emptiesTable(sql), "\(sql)")
    }
    for sql in [
      "DELETE FROM a WHERE b", "DELETE FROM a RETURNING b", "DELETE FROM a AS b", "SELECT 1 FROM a",
      "DELETE FROM", "DELETE FROM main.a WHERE b;", "",
    ] {
      #expect(!StatementCommand.emptiesTable(sql), "\(sql)")
    }
  }
}
