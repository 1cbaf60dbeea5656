// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StatementReplay

/// A plan that two versions of SQLite print in other words is the same plan.
@Suite struct PlanWordsTests {
  @Test(arguments: [
    ("SCAN TABLE loan", "SCAN loan"),
    ("SEARCH TABLE loan AS l USING INDEX i (book=?)", "SEARCH l USING INDEX i (book=?)"),
    (
      "SEARCH TABLE loan AS l USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH l USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"
    ),
    ("SCAN SUBQUERY 1", "SCAN (subquery-1)"), ("SCAN SUBQUERY 2 AS x", "SCAN x"),
    ("SCAN TABLE f VIRTUAL TABLE INDEX 0:M1", "SCAN f VIRTUAL TABLE INDEX 0:M1"),
    ("USE TEMP B-TREE FOR RIGHT PART OF ORDER BY", "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY"),
    ("MATERIALIZE 2", "MATERIALIZE x"),
  ])
  func versionsHaveOtherWords(old: String, new: String) {
    #expect(PlanWords.common(old) == PlanWords.common(new))
  }

  @Test(arguments: [
    ("SCAN loan", "SEARCH loan USING INDEX i (book=?)"),
    ("SEARCH l USING INDEX i (book=?)", "SEARCH l USING INDEX j (book=?)"),
    ("SEARCH l USING INDEX i (book=?)", "SEARCH l USING COVERING INDEX i (book=?)"),
    ("SCAN TABLE a", "SCAN TABLE b"),
    ("USE TEMP B-TREE FOR ORDER BY", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"),
  ])
  func otherPlansAreOther(one: String, other: String) {
    #expect(PlanWords.common(one) != PlanWords.common(other))
  }
}
