// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// No two indexes of a table are the same.
struct DropDuplicateIndex: Rule {
  static let explanation = RuleExplanation(
    law: "No two indexes of a table have the same columns in the same order.",
    reason: "Both are written at every save and take space in the file; a fetch uses only one.",
    bad: """
      CREATE INDEX ZSTOP_ZNAME ON ZSTOP (ZNAME)
      CREATE INDEX Z_Stop_byName ON ZSTOP (ZNAME)
      """,
    good: """
      CREATE INDEX ZSTOP_ZNAME ON ZSTOP (ZNAME)
      """,
    limits: """
      Needs `--database`. An index with another collation, direction, expression or WHERE clause is not a duplicate. Of
      two equal indexes, the unique one is kept.
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
  /// Whether another index can be dropped because this one serves the same fetches.
  func makesDuplicate(_ other: DatabaseIndex) -> Bool {
    guard name != other.name, other.isDeclared, !other.isUnique || isUnique,
      isSame(as: other)
    else { return false }
    // Of equal indexes, the one of a constraint or a relationship is kept, otherwise the first by
    // name.
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
    "remove its declaration from the model, or: DROP INDEX \(SQLName.quotedIfNeeded(name))"
  }
}
