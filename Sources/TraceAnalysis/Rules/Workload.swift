// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import SQLiteDriver
public import StoreEvents

/// What the rules look at: a run, and the database it ran against where one was given.
public struct Workload {
  public var profile: Profile
  /// Nil without a database; a rule that needs it then finds nothing.
  public var database: DatabaseFacts?
  /// By statement; empty without a database.
  public var explanations: [StatementID: PlanExplainer.Explanation] = [:]

  /// A run by itself.
  public init(_ profile: Profile) { self.profile = profile.withoutRests }

  /// A run, its statements explained against a database, which is only read.
  ///
  /// - Throws: ``SQLiteError`` if the database's schema cannot be read.
  public init(_ profile: Profile, database connection: Connection) throws(SQLiteError) {
    self.profile = profile.withoutRests
    database = try DatabaseFacts(connection)
    let explainer = PlanExplainer(connection)
    for statement in self.profile.statements {
      guard let sql = statement.sql else { continue }
      explanations[statement.id] = explainer.explain(sql, work: statement.statementWork)
    }
  }

  /// Whether the statements are of the database.
  public var schemaMatch: SchemaMatch {
    SchemaMatch(profile.statements.compactMap { explanations[$0.id] })
  }

  /// What all rules find: warnings first, then by what they can save.
  public var findings: [Finding] {
    Rules.all.flatMap { $0.check(self) }.sorted { a, b in
      if a.severity != b.severity { return a.severity > b.severity }
      let (x, y) = (a.savesAtMost ?? 0, b.savesAtMost ?? 0)
      return x != y ? x > y : (a.rule, a.message) < (b.rule, b.message)
    }
  }

  /// What the plan of a statement says, where it has one.
  func judgement(of statement: StatementProfile) -> PlanJudgement? {
    explanations[statement.id]?.judgement
  }
}

extension Profile {
  /// What is told apart: of many statements together, repeats and scans say nothing.
  fileprivate var withoutRests: Profile {
    var profile = self
    profile.statements.removeAll { $0.id == Bounds.restOfStatements }
    profile.faults.removeAll { $0.origin == Bounds.restOfFaults }
    return profile
  }
}

extension StatementProfile {
  /// What a plan's judge wants to know of its runs.
  public var statementWork: StatementWork {
    StatementWork(
      executions: work.count, fullScanSteps: work.fullScanSteps, vmSteps: work.vmSteps)
  }
}
