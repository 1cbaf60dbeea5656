// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// No two indexes of a table are the same.
struct DropDuplicateIndex: Rule {
  static let explanation = RuleExplanation(
    problem: "a duplicate index",
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
      two equal indexes, the unique one is kept, and one that a statement or a view names with INDEXED BY. A note, unless
      the trace contains writes to the index.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let indexes = workload.database?.indexes ?? []
    let ofTables = workload.database?.indexesByTable ?? [:]
    let named = workload.namedIndexes
    return indexes.compactMap { index -> Finding? in
      guard
        let other = ofTables[index.table]?.first(where: {
          $0.makesDuplicate(index, keeping: named)
        })
      else { return nil }
      return Finding(
        rule: Self.name, severity: index.isWritten(by: workload) ? .warning : .note,
        confidence: .high, object: index.name,
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
  ///
  /// - Parameter named: the indexes that SQL names, in lower case.
  func makesDuplicate(_ other: DatabaseIndex, keeping named: Set<String>) -> Bool {
    guard name != other.name, other.isDeclared, !other.isUnique || isUnique,
      !named.contains(other.name.lowercased()), isSame(as: other)
    else { return false }
    // Of equal indexes, the one of a constraint or a relationship is kept, or one that SQL names,
    // otherwise the first by name.
    func rank(_ index: DatabaseIndex) -> (Int, Int, String) {
      let isNeeded =
        !index.isDeclared || index.servesRelationship || named.contains(index.name.lowercased())
      return (index.isUnique ? 0 : 1, isNeeded ? 0 : 1, index.name)
    }
    return rank(self) < rank(other)
  }

  func evidence(_ workload: Workload) -> [Finding.Evidence] {
    let rows = workload.database?.table(table)?.rows.rows ?? 0
    return [.init("tableRows", rows)] + (bytes.map { [.init("bytes", $0)] } ?? [])
  }

  /// Where an object store has a model, the index is declared there.
  var dropText: String {
    let isFromStore = table.hasPrefix("Z") && table == table.uppercased()
    let origin = isFromStore ? "from the model" : "where the schema is made"
    return "remove its declaration \(origin), or: DROP INDEX \(SQLName.quotedIfNeeded(name))"
  }

  /// Whether a statement of the workload wrote entries of the index: reads cost nothing more beside it.
  func isWritten(by workload: Workload) -> Bool {
    func writes(_ sql: String) -> Bool {
      guard let write = WrittenTable(sql: sql), write.table.lowercased() == table.lowercased()
      else { return false }
      guard let columns = write.columns?.map({ $0.lowercased() }) else { return true }
      return terms.contains { $0.column.map { columns.contains($0.lowercased()) } ?? true }
    }
    return workload.profile.statements.contains { statement in
      // Nil where nothing was changed, or where the source does not count changes.
      (statement.work.changes ?? statement.observedRuns.map { _ in 0 }) != 0
        && statement.sql.map(writes) == true
    } || (workload.profile.otherSQL ?? []).contains(where: writes)
  }
}

extension Workload {
  /// The indexes that statements and views name with INDEXED BY, in lower case: without one of them they fail.
  var namedIndexes: Set<String> {
    // All texts of a form name the same ones.
    let named =
      forms.map(\.whole.clauses.namedIndexes)
      + (profile.otherSQL ?? []).map { StatementClauses(sql: $0).namedIndexes }
    return named.reduce(into: database?.indexesNamedByViews ?? []) { $0.formUnion($1) }
  }
}
