// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// No index has the first columns of another one.
struct DropRedundantIndex: Rule {
  static let explanation = RuleExplanation(
    law: "No index is only the first columns of another one.",
    reason:
      "The longer one finds and sorts what the shorter one does; both are written at every save.",
    bad: """
      CREATE INDEX ZSTOP_ZLONGITUDE ON ZSTOP (ZLONGITUDE)
      CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)
      """,
    good: """
      CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)
      """,
    limits: """
      Needs `--database`. An index that keeps values unique is left alone, one with a WHERE clause is, and one that the store
      makes by itself for a relationship. (ZLATITUDE) is no first part of (ZLONGITUDE, ZLATITUDE).
      """)

  func check(_ workload: Workload) -> [Finding] {
    let indexes = workload.database?.indexes ?? []
    return indexes.compactMap { index -> Finding? in
      guard index.isDeclared, !index.isUnique, !index.servesRelationship,
        let longer = indexes.first(where: {
          index.terms.count < $0.terms.count && index.isPrefix(of: $0)
        })
      else { return nil }
      return Finding(
        rule: Self.name, confidence: .high, object: index.name,
        message: """
          '\(index.name)' on \(index.table) (\(index.termsText)) is the first part of \
          '\(longer.name)' (\(longer.termsText)), which serves the same fetches.
          """,
        evidence: index.evidence(workload), fix: index.dropText)
    }
  }
}
