// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// A text search compares normalized text by its beginning, which an index serves.
///
/// A function that ignores case and diacritics runs once a row; so does a search within the text.
///
///     SELECT … FROM ZSTOP t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 393, 0)   -- SCAN t0
///     SELECT … FROM ZSTOP t0 WHERE (t0.ZNORMALIZEDNAME >= ? AND t0.ZNORMALIZEDNAME < ?)
///
/// A search among rows that an index has narrowed down is left alone.
struct UnindexedStringSearch: Rule {
  func check(_ profile: Profile) -> [Finding] {
    profile.statements.compactMap { statement in
      guard statement.searchesStrings, statement.scansInVain else { return nil }
      let work = statement.work
      return Finding(
        rule: "UnindexedStringSearch", severity: .warning, statement: statement.id,
        caller: statement.mainCaller,
        message: """
          Each run compares the text of \(work.perRun(\.fullScanSteps).wholeText) rows, one by \
          one, to return \(work.perRun(\.rows).wholeText)\(statement.runsText).
          """,
        evidence: [
          .init("runs", work.count), .init("rows", work.rows),
          .init("fullScanSteps", work.fullScanSteps),
          .init("connectionNs", work.connectionTime),
        ],
        fix: """
          store the text a second time, normalized (derivedFrom: \\Self.name, \
          \\.searchNormalized: lower case, no marks), index that attribute and search it with \
          BEGINSWITH; for words within the text, an entity of search terms
          """,
        savesAtMost: statement.savingIfOnlyRowsWereRead)
    }
  }
}

extension StatementProfile {
  /// Whether its WHERE has a search that no index serves.
  var searchesStrings: Bool {
    guard let sql = sql?.uppercased() else { return false }
    return ["NSCOREDATASTRINGSEARCH(", "NSCOREDATALIKE(", "INSTR(", " LIKE ", " GLOB ", " REGEXP "]
      .contains(where: sql.contains)
  }
}
