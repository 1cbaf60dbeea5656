// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A text search compares normalized text by its beginning, which an index serves.
struct UnindexedStringSearch: Rule {
  static let explanation = RuleExplanation(
    law: "A text search compares normalized text by its beginning, which an index serves.",
    reason: """
      A function that ignores case and diacritics runs once for every row; so does a search within the text, or a pattern.
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
      Speaks where such a search steps through 500 rows a run and more, and through four for each that it returns; a search
      among rows that an index has narrowed down is left alone.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      guard statement.searchesStrings else { return nil }
      if statement.scansInVain { return counted(statement) }
      let comparesOther = ComparedColumns.all(in: statement.sql ?? "")
        .contains { !$0.filtered.isEmpty }
      guard !statement.isCounted, !comparesOther,
        let scan = workload.judgement(of: statement)?.largestScan, let size = scan.size,
        Double(size.rows) >= AvoidFullTableScan.fewestSteps,
        Double(size.rows)
          >= statement.work.perRun(\.rows) * AvoidFullTableScan.fewestStepsPerRow
      else { return nil }
      return planned(statement, size)
    }
  }

  private func counted(_ statement: StatementProfile) -> Finding {
    finding(
      statement, .high, steps: statement.work.perRun(\.fullScanSteps),
      saving: statement.savingIfOnlyRowsWereRead)
  }

  private func planned(_ statement: StatementProfile, _ size: TableSize) -> Finding {
    finding(statement, .medium, steps: Double(size.rows), saving: nil)
  }

  private func finding(
    _ statement: StatementProfile, _ confidence: Finding.Confidence, steps: Double,
    saving: Finding.Saving?
  ) -> Finding {
    Finding(
      rule: Self.name, confidence: confidence, statement: statement.id,
      caller: statement.mainCaller,
      message: """
        Each run compares the text of \(steps.counted("row")), one by one, to return \
        \(statement.work.perRun(\.rows).wholeText)\(statement.runsText).
        """,
      evidence: statement.scanEvidence,
      fix: """
        store the text a second time, normalized (an attribute with derivedFrom and \
        searchNormalized: lower case, no marks), index that attribute and search it with \
        BEGINSWITH; for words within the text, an entity of search terms
        """,
      saving: saving)
  }
}

extension StatementProfile {
  /// Whether its WHERE has a search that no index serves.
  var searchesStrings: Bool {
    guard let sql = sql?.uppercased() else { return false }
    return [
      "NSCOREDATASTRINGSEARCH(", "NSCOREDATALIKE(", "NSCOREDATAMATCHES(", "INSTR(", " LIKE ",
      " GLOB ", " REGEXP ",
    ].contains(where: sql.contains)
  }
}
