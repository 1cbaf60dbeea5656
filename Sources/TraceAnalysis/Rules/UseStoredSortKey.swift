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
      Reported when a run sorts 1,000 rows or more, or takes 10,000 VM steps or more with a limit that hides the rest. A
      short list is left alone; a plain sort is reported as UseIndexForSort. What the sort alone costs is not measured, so
      no saving is given.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.profile.sortsByLocale, statement.sortsMuch else { return nil }
      return Finding(
        rule: Self.name, confidence: statement.profile.isCounted ? .high : .medium,
        statement: statement.id, caller: statement.profile.mainCaller,
        message: "\(statement.sortText) Its comparison is that of a language.",
        evidence: statement.profile.sortEvidence,
        fix: """
          store a sort key with the value (folded, in the order wanted), index it, and sort by it \
          with the plain comparison
          """)
    }
  }
}
