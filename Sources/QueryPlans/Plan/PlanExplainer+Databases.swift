// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension PlanExplainer {
  /// A database of the trace beside the one of the report.
  final class OtherDatabase {
    let file: InspectedDatabase
    let explainer: PlanExplainer

    init(_ file: InspectedDatabase, _ explainer: PlanExplainer) {
      (self.file, self.explainer) = (file, explainer)
    }
  }

  func other(_ path: String) -> OtherDatabase? {
    if let known = others[path] { return known }
    var own = conditions
    own.otherDatabase = { _ in nil }
    let file = conditions.isReplaced(path) ? nil : try? InspectedDatabase(path: path)
    let other = file.map {
      OtherDatabase(
        $0, PlanExplainer($0.connection, conditions: own, budget: budget, values: recorded))
    }
    others[path] = .some(other)
    return other
  }

  /// Explains a statement, and judges it by the work of its runs on one of several databases of the trace.
  ///
  /// - Parameter path: the database; nil where the work is that of all runs.
  public func explain(_ sql: String, work: StatementWork, on path: String?) -> Explanation {
    guard let path, let own = conditions.ownDatabases, StatementOutline(sql).hasPlan else {
      return explain(sql, work: work)
    }
    guard own.contains(path) else { return explain(sql, work, in: path) }
    var explanation = explain(sql, work: work)
    explanation.database = path
    return explanation
  }

  /// Explains a statement in the database that its connection opened.
  func explain(_ sql: String, _ work: StatementWork, in path: String) -> Explanation {
    if let other = other(path) {
      var explanation = other.explainer.explain(sql, work: work)
      explanation.database = path
      return explanation
    }
    var explanation = Explanation(sql: sql, qualifiedSQL: sql)
    explanation.database = path
    // Counters decide without a plan.
    explanation.judgement = PlanJudge(sql: sql, work: work).judge(nil)
    explanation.isElsewhere = true
    return explanation
  }

  /// The attached database that has a table of this name, where the main one has none.
  func attachedDatabase(of table: String) -> String? {
    let schemas = try? connection.texts(
      "SELECT schema FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE", table)
    guard let schemas, !schemas.contains("main") else { return nil }
    return schemas.first { conditions.attached[$0] != nil }
  }

  /// Attaches the databases of the program, read-only as the connection is.
  func attachDatabases() {
    for (name, path) in conditions.attached.sorted(by: { $0.key < $1.key }) {
      guard let statement = try? connection.prepare("ATTACH ?1 AS \(Self.quoted(name))"),
        (try? InspectedDatabase(path: path))?.isCopy == false
      else { continue }
      statement.bind(path, at: 1)
      try? statement.run()
    }
  }
}
