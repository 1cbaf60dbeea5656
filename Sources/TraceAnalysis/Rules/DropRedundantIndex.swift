// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// No index has the first columns of another one.
struct DropRedundantIndex: Rule {
  static let explanation = RuleExplanation(
    problem: "a redundant index",
    law: "No index is a prefix of another index.",
    reason:
      "The longer index serves the same searches and sorts as the shorter one; both are written at every save.",
    bad: """
      CREATE INDEX ZSTOP_ZLONGITUDE ON ZSTOP (ZLONGITUDE)
      CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)
      """,
    good: """
      CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)
      """,
    limits: """
      Needs `--database`. Unique indexes, partial indexes and the indexes that the store or Django creates for
      relationships are not reported. A note, unless the trace contains writes to the index. (ZLATITUDE) is not a prefix of (ZLONGITUDE, ZLATITUDE).
      """)

  func check(_ workload: Workload) -> [Finding] {
    let indexes = workload.database?.indexes ?? []
    let ofTables = workload.database?.indexesByTable ?? [:]
    let named = workload.namedIndexes
    return indexes.compactMap { index -> Finding? in
      guard index.isDeclared, !index.isUnique, !index.servesRelationship,
        !named.contains(index.name.lowercased()),
        let longer = ofTables[index.table]?.first(where: {
          index.terms.count < $0.terms.count && index.isPrefix(of: $0)
        })
      else { return nil }
      return Finding(
        rule: Self.name, severity: index.isWritten(by: workload) ? .warning : .note,
        confidence: .high, object: index.name,
        message: """
          '\(index.name)' on \(index.table) (\(index.termsText)) is a prefix of \
          '\(longer.name)' (\(longer.termsText)), which serves the same fetches.
          """,
        evidence: index.evidence(workload), fix: index.dropText)
    }
  }
}
