// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct DropUnusedIndex: Rule {
  static let explanation = RuleExplanation(
    problem: "an unused index",
    law: "Every index is used by at least one fetch.",
    reason:
      "An index that no plan uses is still written at every save, and takes space in the file.",
    bad: """
      CREATE INDEX ZSTOP_ZKIND ON ZSTOP (ZKIND)      -- in no plan of the workload
      """,
    good: """
      static let indexes = [Index(\\.longitude, \\.latitude), Index(\\.normalizedName)]
      """,
    limits: """
      Needs `--database`, and depends on the workload: a part of the program that the trace does not contain may use the
      index, so the finding is a note. Indexes of tables that no statement of the trace reads, unique indexes, those that
      begin with the columns of a foreign key and those that the store creates for relationships are not reported, nor any
      by Core Data's log, which may be incomplete, nor those of a table where a statement searches text or sorts by a locale without an index, nor those
      of columns that a statement with a scan or a costly search names: the repair may use them. Nor is an index of a
      table without statistics (`ANALYZE`) whose first column a statement compares or joins by: with statistics SQLite
      may choose it. If a statement cannot be explained, nothing is reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    // A log of Core Data cannot prove that it is complete: another statement may use the index.
    guard let database = workload.database, !workload.explanations.isEmpty,
      !workload.profile.hasCoreDataLog,
      workload.plans.allSatisfy({ $0 != nil }),
      // Plans of another version do not show which indexes the program uses.
      !workload.explanations.values.contains(where: { $0.judgement?.otherVersion != nil }),
      let ofActions = workload.indexesOfActions
    else { return [] }
    let used = workload.usedIndexes.union(ofActions)
    let named = workload.namedIndexes
    let tables = workload.tablesRead
    let ofText = workload.tablesOfText
    let ofTables = database.indexesByTable
    let words = workload.wordsOfCostlyStatements
    let compared = workload.comparedColumns
    return database.indexes.compactMap { index -> Finding? in
      guard index.isDeclared, !index.isUnique, !index.servesRelationship,
        !database.indexesOfForeignKeys.contains(index.name), !used.contains(index.name),
        !named.contains(index.name.lowercased()),
        tables.contains(index.table.lowercased()),
        !ofText.contains(index.table.lowercased()), !index.mayServe(words),
        database.table(index.table)?.rowsInStatistics != nil || !index.begins(with: compared),
        ofTables[index.table]?.contains(where: {
          $0.makesDuplicate(index, keeping: named) || (index != $0 && index.isPrefix(of: $0))
        }) == false
      else { return nil }
      return Finding(
        rule: Self.name, severity: .note, confidence: .low, object: index.name,
        message: """
          '\(index.name)' on \(index.table) (\(index.termsText)) is used by no plan of the \
          \(workload.plans.count.counted("statement")).
          """,
        evidence: index.evidence(workload), fix: index.dropText)
    }
  }
}

extension Workload {
  /// The plans of all statements, including the statements of saves; nil for one that does not
  /// compile.
  var plans: [QueryPlan?] { explanations.values.map(\.plan) + otherPlans }

  /// The names of the indexes that some plan uses.
  var usedIndexes: Set<String> {
    Set(
      plans.flatMap { $0?.nodes ?? [] }.compactMap { node in
        guard case .named(let name, _) = node.fact.access?.index else { return nil }
        return name
      })
  }

  /// The tables of statements that a stored, indexed form of a text would fix, in lower case.
  var tablesOfText: Set<String> {
    profile.statements.compactMap { $0.sql.map(StatementClauses.init(sql:)) }
      .filter(\.comparesTextWithoutIndex).reduce(into: []) { $0.formUnion($1.tables) }
  }

  /// The names in each statement that scans, searches or sorts at length, and in its views: its fix may need
  /// the indexes of these columns.
  var wordsOfCostlyStatements: [Set<String>] {
    explanations.values.filter { $0.verdict.isCostly || $0.verdict == .mayScan }.map(\.words)
  }

  /// The columns that statements compare with values and join by, by table, all in lower case.
  fileprivate var comparedColumns: [String: Set<String>] {
    explanations.values.flatMap { ComparedColumns.all(in: $0.qualifiedSQL) }.reduce(into: [:]) {
      $0[$1.table.lowercased(), default: []].formUnion(
        ($1.filtered + $1.joined).map { $0.lowercased() })
    }
  }

  /// The tables that some plan reads, in lower case.
  var tablesRead: Set<String> {
    Set(
      plans.flatMap { $0?.nodes ?? [] }
        .compactMap { $0.fact.access?.table?.lowercased() })
  }
}

extension DatabaseIndex {
  /// Whether its first column is one of some, by table in lower case.
  fileprivate func begins(with columns: [String: Set<String>]) -> Bool {
    terms.first?.column.map { columns[table.lowercased()]?.contains($0.lowercased()) == true }
      ?? false
  }
}
