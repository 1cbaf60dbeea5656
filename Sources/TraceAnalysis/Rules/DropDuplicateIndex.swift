// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// No two indexes of a table are the same.
struct DropDuplicateIndex: Rule {
  static let explanation = RuleExplanation(
    law: "No two indexes of a table have the same columns in the same order.",
    reason: "Both are written at every save and take room in the file; a fetch uses one.",
    bad: """
      CREATE INDEX ZSTOP_ZNAME ON ZSTOP (ZNAME)
      CREATE INDEX Z_Stop_byName ON ZSTOP (ZNAME)
      """,
    good: """
      CREATE INDEX ZSTOP_ZNAME ON ZSTOP (ZNAME)
      """,
    limits: """
      Needs `--database`. Another collation, another direction, another expression or another WHERE clause makes another
      index; of two that are the same the one that keeps values unique stays.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let indexes = workload.database?.indexes ?? []
    return indexes.compactMap { index -> Finding? in
      guard let other = indexes.first(where: { $0.makesDuplicate(index) }) else { return nil }
      return Finding(
        rule: Self.name, confidence: .high, object: index.name,
        message: """
          '\(index.name)' is the same as '\(other.name)': both are on \(index.table) \
          (\(index.termsText)).
          """,
        evidence: index.evidence(workload), fix: index.dropText)
    }
  }
}

extension DatabaseIndex {
  /// Whether another one can go because this one stays.
  func makesDuplicate(_ other: DatabaseIndex) -> Bool {
    guard name != other.name, other.isDeclared, !other.isUnique || isUnique,
      isSame(as: other)
    else { return false }
    // Of equals, the one that a constraint or a relationship made stays, then the first by name.
    func rank(_ index: DatabaseIndex) -> (Int, Int, String) {
      (index.isUnique ? 0 : 1, !index.isDeclared || index.servesRelationship ? 0 : 1, index.name)
    }
    return rank(self) < rank(other)
  }

  func evidence(_ workload: Workload) -> [Finding.Evidence] {
    let rows = workload.database?.table(table)?.rows.rows ?? 0
    return [.init("tableRows", rows)] + (bytes.map { [.init("bytes", $0)] } ?? [])
  }

  var dropText: String {
    "take its declaration out of the model, or: DROP INDEX \(SQLName.quotedIfNeeded(name))"
  }
}
