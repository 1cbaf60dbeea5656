// SPDX-License-Identifier: Apache-2.0

public import QueryPlans

/// The plans of some statements, ready to be drawn.
public struct PlansReport {
  /// One statement: its plan, and how often it ran.
  public struct Entry {
    public var id: String
    public var explanation: PlanExplainer.Explanation
    public var work: StatementWork

    public init(id: String, explanation: PlanExplainer.Explanation, work: StatementWork) {
      self.id = id
      self.explanation = explanation
      self.work = work
    }
  }

  public var database: String
  public var sqliteVersion: String
  public var entries: [Entry]
  /// The number of statements that are not in ``entries`` because SQLite has no plan for them:
  /// `BEGIN` and others.
  public let withoutPlan: Int
  /// The limitations of the report, one sentence each.
  public var doubts: [String] = []

  public init(database: String, sqliteVersion: String, entries: [Entry]) {
    self.database = database
    self.sqliteVersion = sqliteVersion
    self.entries = entries.filter { $0.explanation.verdict != .noPlan }
    withoutPlan = entries.count - self.entries.count
  }

  public func count(_ verdict: PlanVerdict) -> Int {
    entries.count { $0.explanation.verdict == verdict }
  }

  /// Whether the statements are of the database.
  public var schemaMatch: SchemaMatch { SchemaMatch(entries.map(\.explanation)) }
}
