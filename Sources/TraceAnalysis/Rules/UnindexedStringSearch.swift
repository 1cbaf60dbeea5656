// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A text search is a prefix search on normalized text, which an index serves.
struct UnindexedStringSearch: Rule {
  static let explanation = RuleExplanation(
    law: "A text search is a prefix search on normalized text, which an index serves.",
    reason: """
      A function that ignores case and diacritics runs once for every row, and so does a search within the text or for a
      pattern.
      """,
    bad: """
      name BEGINSWITH[cd] "u gorli"
      SELECT … FROM ZSTOP t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 137, 0)
      -- SCAN t0
      """,
    good: """
      let normalizedName = Attribute<String>("normalizedName", derivedFrom: \\Self.name, \\.searchNormalized)
      normalizedName BEGINSWITH "u gorli"        // lower case, without marks, indexed
      SELECT … FROM ZSTOP t0 WHERE (t0.ZNORMALIZEDNAME >= ? AND  t0.ZNORMALIZEDNAME < ?)
      -- SEARCH t0 USING INDEX ZSTOP_ZNORMALIZEDNAME (ZNORMALIZEDNAME>? AND ZNORMALIZEDNAME<?)
      """,
    limits: """
      Reported when such a search reads 500 rows a run or more, and four or more for each that it returns. A search
      among rows that an index has selected is not reported, and one with a comparison that an index could serve is
      reported as AvoidFullTableScan.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      statement.scanCause == .stringSearch ? finding(statement) : nil
    }
  }

  private func finding(_ statement: JudgedStatement) -> Finding {
    Finding(
      rule: Self.name, confidence: statement.profile.isCounted ? .high : .medium,
      statement: statement.id, caller: statement.profile.mainCaller,
      message: """
        Each run compares the text of \(statement.stepsPerRun.counted("row")), one by one\
        \(statement.averageText(\.fullScanSteps)), to return \
        \(statement.work.perRun(\.rows).wholeText)\(statement.runsText).
        """,
      evidence: statement.profile.scanEvidence,
      fix: statement.isOfObjects
        ? """
        store the text a second time, normalized (an attribute with derivedFrom and \
        searchNormalized: lower case, no marks), index that attribute and search it with \
        BEGINSWITH; for words within the text, use an entity of search terms
        """
        : """
        if the pattern begins with text, an index on the column with COLLATE NOCASE serves LIKE, \
        and a plain index serves GLOB; for words within the text, use an FTS5 table
        """,
      saving: statement.profile.isCounted ? statement.scanSaving : nil)
  }
}

extension StatementProfile {
  /// Whether its WHERE has a search that no index serves.
  var searchesStrings: Bool {
    sql.map { StatementClauses(sql: $0).searchesText } ?? false
  }
}
