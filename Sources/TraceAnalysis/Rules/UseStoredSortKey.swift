// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A list sorted as a language wants it is sorted by a key that was stored for that.
struct UseStoredSortKey: Rule {
  static let explanation = RuleExplanation(
    law: "A list sorted as a language wants it is sorted by a key that was stored for that.",
    reason: """
      The comparison of a language is a function that runs some ten times for each row; no index of plain text has its
      order. Arrange the data so that the default comparison serves.
      """,
    bad: """
      SortDescriptor(\\.value, selector: .localizedCaseInsensitiveCompare)
      SELECT … FROM ZRECORD t0 ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitiveNoCase
      -- USE TEMP B-TREE FOR ORDER BY
      """,
    good: """
      SortDescriptor(\\.indexValue)              // stored with the value: folded, in the order wanted, indexed
      SELECT … FROM ZRECORD t0 ORDER BY t0.ZINDEXVALUE
      -- SCAN t0 USING INDEX ZRECORD_ZINDEXVALUE
      """,
    limits: """
      Speaks from 1,000 rows a run on, or 10,000 steps where a limit hides the rest; a short list is left alone, and so is
      a plain sort, which is UseIndexForSort's. What the sort alone costs is not measured, so no saving is told.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      guard statement.sortsByLocale, statement.sortsMuch(workload) else { return nil }
      return Finding(
        rule: Self.name, confidence: statement.isCounted ? .high : .medium,
        statement: statement.id, caller: statement.mainCaller,
        message: "\(statement.sortText) Its comparison is that of a language.",
        evidence: statement.sortEvidence,
        fix: """
          store a sort key with the value (folded, in the order wanted), index it, and sort by it \
          with the plain comparison
          """)
    }
  }
}
