// SPDX-License-Identifier: Apache-2.0

/// A join or a subquery finds its rows by an index of the schema.
///
/// Where there is none, SQLite may build one for each run, and throws it away.
///
///     SELECT … FROM ZSTOP t0 JOIN ZSTOPTIME t1 ON t1.ZSTOP = t0.Z_PK
///     -- SEARCH t1 USING AUTOMATIC COVERING INDEX (ZSTOP=?)
///     CREATE INDEX … ON ZSTOPTIME (ZSTOP)
///     -- SEARCH t1 USING INDEX …
struct AvoidAutomaticIndex: Rule {
  // 100 is arbitrary: an index over fewer rows is made in microseconds.
  static let fewestRows = 100.0

  func check(_ profile: Profile) -> [Finding] {
    profile.statements.compactMap { statement in
      let work = statement.work
      guard work.perRun(\.autoIndexRows) >= Self.fewestRows else { return nil }
      return Finding(
        rule: "AvoidAutomaticIndex", severity: .warning, statement: statement.id,
        caller: statement.mainCaller,
        message: """
          Each run builds an index of \(work.perRun(\.autoIndexRows).wholeText) rows and throws \
          it away\(statement.runsText).
          """,
        evidence: [
          .init("runs", work.count), .init("rows", work.rows),
          .init("autoIndexRows", work.autoIndexRows),
          .init("connectionNs", work.connectionTime),
        ],
        fix: """
          declare an index on the column that the join or the subquery looks up; trace-report \
          plans INPUT --database FILE names it behind AUTOMATIC
          """)
    }
  }
}
