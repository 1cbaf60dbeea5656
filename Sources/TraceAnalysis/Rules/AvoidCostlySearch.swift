// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidCostlySearch: Rule {
  static let explanation = RuleExplanation(
    problem: "a costly search",
    law: "A search reads few rows beyond those that it returns.",
    reason: """
      A search by an index that finds most of a table costs as much as a full scan, and SQLite counts no full-scan step
      for it. The same is true of a text search in the inner loop of a join, and of count(*) over wide rows.
      """,
    bad: """
      CREATE INDEX ZSTOP_ZKIND ON ZSTOP (ZKIND)      -- one of three values
      SELECT … FROM ZSTOP t0 WHERE  t0.ZKIND = ? AND  t0.ZCODE = ?
      -- SEARCH t0 USING INDEX ZSTOP_ZKIND (ZKIND=?), and compares ZCODE row by row
      """,
    good: """
      CREATE INDEX ZSTOP_ZCODE ON ZSTOP (ZCODE)
      -- SEARCH t0 USING INDEX ZSTOP_ZCODE (ZCODE=?)
      """,
    limits: """
      Needs `--database`, or a trace with the path of its database. Reported when a run takes 10,000 VM steps or more,
      and 250 or more for each row that it returns or changes; and for count(*) of 1,000 pages, if an index halves them.
      Groups and aggregates need many rows: they are reported only if an index that was tried halves the steps. A note
      where no index does, and no other way to write the terms.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      let verdict = statement.judgement.verdict
      if let version = statement.judgement.otherVersion,
        verdict == .mayScan || verdict == .costlySearch && statement.fixOfSearch == nil
      {
        return finding(statement, of: version)
      }
      guard verdict == .costlySearch, !statement.sortsMuch else { return nil }
      return finding(statement)
    }
  }

  /// The counts of a plan that another version of SQLite made.
  private func finding(_ statement: JudgedStatement, of version: String) -> Finding {
    let order =
      SQLTokenizer.tokens(of: statement.sql ?? "").contains { $0.isWord("MATCH") }
      ? """
      ; if its plan has the text search below another table, begin with the text table and CROSS JOIN the others
      """ : ""
    return Finding(
      rule: Self.name, confidence: .medium, statement: statement.id,
      caller: statement.profile.mainCaller,
      message: """
        Each run takes \(statement.work.perRun(\.vmSteps).counted("VM step"))\(statement.resultText())\
        \(statement.runsText). SQLite \(version) ran it, and the plan here is of another version.
        """,
      evidence: statement.profile.sortEvidence,
      fix: "read its plan with the program's own SQLite \(version): EXPLAIN QUERY PLAN\(order)",
      saving: statement.searchSaving)
  }

  private func finding(_ statement: JudgedStatement) -> Finding {
    let (judgement, fix) = (statement.judgement, statement.fixOfSearch)
    let isOnce = judgement.excess?.pages != nil && statement.profile.work.count == 1
    return Finding(
      rule: Self.name, severity: fix == nil || isOnce ? .note : .warning,
      confidence: judgement.evidence == .counted ? .high : .medium, statement: statement.id,
      caller: statement.profile.mainCaller, message: statement.searchText,
      evidence: statement.profile.sortEvidence,
      fix: fix ?? "no index that was tried halves its steps: \(statement.otherFixOfSearch)",
      saving: statement.searchSaving)
  }
}

extension JudgedStatement {
  fileprivate var searchText: String {
    let result = resultText() + runsText
    let steps = (judgement.work?.perRun(\.vmSteps) ?? 0).counted("VM step")
    guard let excess = judgement.excess else {
      return "Each run takes \(steps)\(result)."
    }
    if let pages = excess.pages {
      return "Each run reads \(pages.counted("page"))\(result)."
    }
    if let search = excess.textSearch {
      return """
        Each run takes \(steps)\(result): the text search in '\(search.table)' runs once for \
        each row of '\(search.outer)'.
        """
    }
    if let extreme = excess.extreme, excess.terms.isEmpty {
      return "Each run takes \(steps)\(result): it reads all rows that WHERE finds for \(extreme)."
    }
    let terms = excess.terms.map { "\($0)" }.joined(separator: "; ")
    return "Each run takes \(steps)\(result): no index finds \(terms), compared row by row."
  }

  /// Nil where nothing is known that helps.
  fileprivate var fixOfSearch: String? {
    if let trigger = judgement.triggerScans.first { return AvoidFullTableScan.fix(trigger) }
    if let aggregate = judgement.triggerAggregates.first {
      return """
        the trigger '\(aggregate.trigger)' computes an aggregate of rows of '\(aggregate.table)' again for each row \
        that is written: change the stored value by the new row's (total = total + NEW.amount)
        """
    }
    guard let excess = judgement.excess else { return nil }
    if let search = excess.textSearch {
      return """
        begin with the text search: FROM \(search.order) keeps this order
        """
    }
    let index =
      excess.indexes.isEmpty ? nil : IndexFix(excess.indexes, entity: profile.entity).sentence
    if excess.pages != nil {
      return index.map { "\($0); or keep the number in a row that triggers maintain" }
    }
    let all = [index].compactMap(\.self) + judgement.obstacles.map(\.sentence)
    return all.isEmpty ? nil : all.joined(separator: "; or ")
  }

  /// The fix without an index.
  fileprivate var otherFixOfSearch: String {
    let searchesText = judgement.excess?.terms.contains {
      SQLTokenizer.tokens(of: $0).contains(where: \.searchesText)
    }
    return searchesText == true
      ? "search words by a full-text table (FTS5), or keep its result"
      : "keep its result, or read fewer rows"
  }

  fileprivate var searchSaving: Finding.Saving {
    let work = profile.work
    if judgement.excess?.pages != nil {
      return Finding.Saving(
        atMost: Int64(clamping: work.connectionTime), basis: "the time in SQLite for all pages")
    }
    // A row that an index finds takes some ten steps.
    let part = work.vmSteps == 0 ? 0 : min(10 * Double(max(work.rows, 1)) / Double(work.vmSteps), 1)
    return Finding.Saving(
      atMost: Int64(exactly: (Double(work.connectionTime) * (1 - part)).rounded()) ?? 0,
      basis: "the time in SQLite for rows that were not returned")
  }
}
