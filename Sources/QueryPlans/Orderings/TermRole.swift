// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// How SQLite evaluates a term, wherever it is written.
public enum TermRole: String, Hashable, Sendable, Codable {
  /// An index finds its rows: it is not evaluated row by row.
  case indexServed
  /// A correlated subquery: SQLite evaluates it after all other terms of its loop.
  case deferred
  /// Evaluated row by row, in the order in which such terms are written.
  case residual
}

/// Finds out the roles of terms from the plan.
///
/// SQLite codes a loop's terms in up to three passes: terms that a covering index can evaluate,
/// then the others as written, then terms with a correlated subquery (`whereLoop` in its
/// wherecode.c).
struct TermRoles {
  let statement: OrderedStatement
  let plan: QueryPlan

  func roles() -> [TermRole] { statement.termTokens.map(role) }

  private func role(_ term: Range<Int>) -> TermRole {
    let tokens = statement.outline.tokens
    if isServed(term) { return .indexServed }
    let holdsSelect = tokens[term].contains { $0.isWord("SELECT") }
    let planHasCorrelated = plan.nodes.contains {
      if case .subquery(_, isCorrelated: true) = $0.fact { true } else { false }
    }
    return holdsSelect && planHasCorrelated && isCorrelated(term) ? .deferred : .residual
  }

  /// Whether a search's constraint names the column that the term compares, by the same operator.
  private func isServed(_ term: Range<Int>) -> Bool {
    ColumnComparison.all(in: term, of: statement.outline.tokens).contains { comparison in
      comparison.isIndexable
        && plan.nodes.contains { node in
          guard case .search(let access) = node.fact, let constraint = access.constraint,
            comparison.alias == nil || comparison.alias?.lowercased() == access.name.lowercased()
          else { return false }
          return comparison.operators.contains { sign in
            constraint.lowercased().split(separator: " and ").contains {
              $0 == comparison.column.lowercased() + sign + "?"
                || ($0 == "rowid\(sign)?" && isRowID(comparison.column))
            }
          }
        }
    }
  }

  private func isRowID(_ column: String) -> Bool {
    ["z_pk", "rowid", "_rowid_", "oid", "id"].contains(column.lowercased())
  }

  /// Whether a subquery in the term names a table of the outer SELECT.
  private func isCorrelated(_ term: Range<Int>) -> Bool {
    let tokens = statement.outline.tokens
    let start = tokens[term].firstIndex { $0.isWord("SELECT") } ?? term.lowerBound
    let outer = Set(statement.scope.sources.map { $0.alias.lowercased() })
    return (start..<term.upperBound).contains { index in
      index + 1 < term.upperBound && tokens[index + 1].isSymbol(".")
        && tokens[index].name.map { outer.contains($0.lowercased()) } == true
    }
  }
}

extension ColumnComparison {
  /// The form in which a plan's constraint writes them.
  fileprivate var operators: [String] {
    switch kind {
    case .equality: ["="]
    case .lowerBound: [">"]
    case .upperBound: ["<"]
    case .between: [">", "<"]
    case .pattern, .other: []
    }
  }
}

/// The order in which the linked SQLite evaluates the terms of a WHERE clause.
public enum SubqueryOrder {
  public static var sqliteVersion: String { Connection.libraryVersion }

  /// Whether a correlated subquery is evaluated after the other terms, wherever it is written.
  ///
  /// Both orders of two terms run on a few rows: where they take the same steps, it is deferred.
  public static let isDeferred: Bool = {
    let terms = ["(SELECT count(*) FROM r i WHERE i.a <> o.a) > 0", "o.b < 0"]
    let written = try? vmSteps(terms)
    return written != nil && written == (try? vmSteps(terms.reversed()))
  }()

  private static func vmSteps(_ terms: [String]) throws -> UInt64 {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE r(a, b); INSERT INTO r VALUES (1, 1), (2, 2), (3, 3)")
    let statement = try connection.prepare(
      "SELECT a FROM r o WHERE \(terms.joined(separator: " AND "))")
    while try statement.step() {}
    return statement.takeCounters().vmSteps
  }
}
