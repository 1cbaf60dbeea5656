// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct UseStoredSortKey: Rule {
  static let explanation = RuleExplanation(
    problem: "a sort that computes its key",
    law: "A list in localized order is sorted by a stored sort key.",
    reason: """
      A localized comparison is a function that runs about ten times for each row, and no index of plain text has its
      order. Store a key for which the default comparison produces that order.
      """,
    bad: """
      SortDescriptor(\\.value, selector: .localizedCaseInsensitiveCompare)
      SELECT … FROM ZRECORD t0 ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitiveNoCase
      -- USE TEMP B-TREE FOR ORDER BY
      """,
    good: """
      SortDescriptor(\\.indexValue)              // stored with the value: folded, in the desired order, indexed
      SELECT … FROM ZRECORD t0 ORDER BY t0.ZINDEXVALUE
      -- SCAN t0 USING INDEX ZRECORD_ZINDEXVALUE
      """,
    limits: """
      Reported when a run sorts 1,000 rows or more, or takes 10,000 VM steps or more with a limit that discards the
      rest. The text of the statement and the number of its rows are enough, as in Core Data's log. A short list is not reported; a plain sort is reported as UseIndexForSort. The cost of the sort alone is not
      measured, so no saving is estimated.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.clauses.sortsByLocale, statement.sortsMuch else { return nil }
      return Finding(
        rule: Self.name, confidence: statement.profile.isCounted ? .high : .medium,
        statement: statement.id, caller: statement.profile.mainCaller,
        message: "\(statement.sortText) Its comparison is localized.",
        evidence: statement.profile.sortEvidence,
        fix: """
          store a sort key with the value (folded, in the desired order), index it\
          \(statement.isFromCoreData ? " (<fetchIndex>)" : ""), and sort by it with the plain comparison
          """)
    }
  }
}
