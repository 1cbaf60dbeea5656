// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Every index serves some fetch.
struct DropUnusedIndex: Rule {
  static let explanation = RuleExplanation(
    law: "Every index serves some fetch.",
    reason:
      "An index that no plan uses is still written at every save, and takes room in the file.",
    bad: """
      CREATE INDEX ZSTOP_ZKIND ON ZSTOP (ZKIND)      -- in no plan of the workload
      """,
    good: """
      static let indexes = [Index(\\.longitude, \\.latitude), Index(\\.normalizedName)]
      """,
    limits: """
      Needs `--database`, and is only as good as the workload: a screen that the trace does not show may use the index, so the
      finding is a note. An index of a table that no statement of the trace reads is left alone, and so are those that keep
      values unique, or that the store makes by itself for relationships. Where a statement cannot be explained, nothing
      is reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    guard let database = workload.database, !workload.explanations.isEmpty,
      workload.plans.allSatisfy({ $0 != nil })
    else { return [] }
    let used = workload.usedIndexes
    let tables = workload.tablesRead
    return database.indexes.compactMap { index -> Finding? in
      guard index.isDeclared, !index.isUnique, !index.servesRelationship,
        !used.contains(index.name), tables.contains(index.table.lowercased()),
        !database.indexes.contains(where: {
          $0.makesDuplicate(index) || (index != $0 && index.isPrefix(of: $0))
        })
      else { return nil }
      return Finding(
        rule: Self.name, severity: .note, confidence: .low, object: index.name,
        message: """
          '\(index.name)' on \(index.table) (\(index.termsText)) is in no plan of the \
          \(workload.plans.count.counted("statement")).
          """,
        evidence: index.evidence(workload), fix: index.dropText)
    }
  }
}

extension Workload {
  /// Of every statement, those of saves included; nil for one that does not compile.
  var plans: [QueryPlan?] { explanations.values.map(\.plan) + otherPlans }

  /// The names of the indexes that some plan uses.
  var usedIndexes: Set<String> {
    Set(
      plans.flatMap { $0?.nodes ?? [] }.compactMap { node in
        guard case .named(let name, _) = node.fact.access?.index else { return nil }
        return name
      })
  }

  /// The tables that some plan reads, in lower case.
  var tablesRead: Set<String> {
    Set(
      plans.flatMap { $0?.nodes ?? [] }
        .compactMap { $0.fact.access?.table?.lowercased() })
  }
}
