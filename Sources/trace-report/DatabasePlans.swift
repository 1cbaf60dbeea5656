// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading

/// The plans of a database for a baseline.
final class DatabasePlans {
  private let database: InspectedDatabase
  private let explainer: PlanExplainer
  private let path: String
  private var match = SchemaMatch()
  /// By text, because the verdicts depend on it.
  private let work: [String: (work: StatementWork, database: String?)]

  init(path: String, of profile: Profile) throws {
    work = Dictionary(
      profile.statements.compactMap { statement in
        statement.sql.map { ($0, profile.judgedWork(of: statement)) }
      }, uniquingKeysWith: { first, _ in first })
    self.path = path
    database = try ReportedDatabase.open(path)
    ReadingInterruption.endProcess()
    explainer = PlanExplainer(
      database.connection, conditions: profile.planConditions(for: path)
    ) { profile.values.tuples(of: $0) }
  }

  /// Throws if the file is damaged, because its plans are unreliable.
  func checkIntegrity() throws {
    try explainer.checkIntegrity(of: database.path)
  }

  /// Set if the statements explained so far do not belong to this database.
  var mismatch: Failure? { match.isOtherDatabase ? .otherDatabase(path, match) : nil }

  /// The plan of a statement; one that does not compile has the verdict `error`.
  func plan(of sql: String) -> BaselineV1.Plan {
    let explanation = explainer.explain(
      sql, work: work[sql]?.work ?? StatementWork(), on: work[sql]?.database)
    match.add(explanation)
    let steps = explanation.plan?.lines ?? [explanation.error?.message ?? "no plan"]
    return BaselineV1.Plan(verdict: explanation.verdict.rawValue, steps: steps)
  }
}

extension QueryPlan {
  /// The plan in SQLite's text, one step per line, indented.
  var lines: [String] {
    func lines(of node: Node, _ indent: String) -> [String] {
      [indent + node.detail] + node.children.flatMap { lines(of: $0, indent + "  ") }
    }
    return roots.flatMap { lines(of: $0, "") }
  }
}

extension PlanExplainer {
  /// Throws if a table could not be read.
  func checkIntegrity(of path: String) throws {
    guard let damage else { return }
    throw Failure(
      LogText.escaped("\(InspectionError(damage, path: path))"), status: ExitStatus.inconclusive)
  }
}
