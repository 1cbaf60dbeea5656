// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidDeepOffset: Rule {
  // Both are arbitrary: a page of 50 after the twentieth.
  static let minSkipped = 1000.0
  static let minSkippedPerRow = 4.0

  static let explanation = RuleExplanation(
    problem: "a deep OFFSET",
    law: "A page is found by the last key of the page before it, not by an offset.",
    reason: "SQLite reads all rows that an offset skips, each time: page n costs n pages.",
    bad: """
      request.fetchOffset = 10_000; request.fetchLimit = 50
      SELECT … FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50 OFFSET 10000      -- reads 10,050 rows
      """,
    good: """
      FetchPredicate("name > %@", lastName), request.fetchLimit = 50      // or a fetchBatchSize
      SELECT … FROM ZSTOP t0 WHERE  t0.ZNAME > ? ORDER BY t0.ZNAME LIMIT 50
      -- SEARCH t0 USING INDEX ZSTOP_ZNAME (ZNAME>?)
      """,
    limits: """
      Reported when the runs of a form skip 1,000 rows on average, and four or more for each row that they return; if
      the offsets are literals in the SQL, when one of the statements does. If an offset is bound, and no WHERE, sort or group discards rows, the
      rows that were read and not returned are those that it skips. The first pages of a list are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.skipsRows, statement.scanCause ?? .deepOffset == .deepOffset else {
        return nil
      }
      let work = statement.work
      let skipped = statement.skippedRows
      let part = skipped / (skipped + work.perRun(\.rows))
      return Finding(
        rule: Self.name, confidence: .high, statement: statement.id,
        caller: statement.profile.mainCaller,
        message: """
          Each run skips \(skipped.counted("row")) (OFFSET)\
          \(statement.allSkipped.isMultiple(of: max(work.count, 1)) ? "" : " on average") to return \
          \(work.perRun(\.rows).wholeText)\(statement.runsText).
          """,
        evidence: [
          .init("runs", work.count), .init("rows", work.rows),
          .init("offset", work.offset > 0 ? work.offset : statement.allSkipped),
          .init("connectionNs", work.connectionTime),
        ],
        fix: statement.isOfObjects
          ? """
          fetch the rows after the last key ("name > %@", with the same sort and an index on it), \
          or fetch the whole list with a fetchBatchSize
          """
          : """
          read the rows after the last key, in place of OFFSET: WHERE key > ? ORDER BY key LIMIT \
          ?, with an index on the key
          """,
        saving: .init(
          atMost: Int64(exactly: (Double(work.connectionTime) * part).rounded()) ?? 0,
          basis: "the time in SQLite for rows that were skipped"))
    }
  }
}
