// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents
import TraceAnalysis

/// The plans of some statements, ready to be drawn.
public struct PlansReport {
  /// One statement: its plan, and how often it ran; or all statements of one form with the same
  /// plan.
  public struct Entry {
    public var id: String
    /// The ids of all texts of the entry.
    public private(set) var ids: [String]
    /// VM steps of a run of the text that is explained.
    private var stepsPerRun: Double
    public var explanation: PlanExplainer.Explanation
    public var work: StatementWork
    /// Where and when a run began that did not end, if none ended.
    public private(set) var unended: String?
    /// The line of the plan in a text; nil for a plan of a log or of the database.
    private var line: Int?
    /// Whether the plan was read as text: table sizes are then not known.
    private var isText = false

    /// A plan that was read as text.
    ///
    /// - Parameter traced: the id and the work of its statement, if a log contains it.
    public init(
      _ listing: PlanTranscript.Listing, explanation: PlanExplainer.Explanation,
      traced: (id: String, work: StatementWork)? = nil
    ) {
      let id = listing.sql.map { "\(StatementID(sql: $0))" } ?? "line \(listing.line)"
      self.init(
        id: traced?.id ?? id, explanation: explanation, work: traced?.work ?? StatementWork())
      isText = true
      if traced == nil { line = listing.line }
    }

    /// Its id, or its line; of a plan as text also how far the verdict can be trusted.
    var label: String {
      let confidence = isText ? explanation.judgement?.confidence.rawValue : nil
      return (line.map { "line \($0)" } ?? id) + (confidence.map { ", \($0) confidence" } ?? "")
    }

    /// - Parameter unended: where and when a run began that did not end, if none ended.
    public init(
      id: String, explanation: PlanExplainer.Explanation, work: StatementWork,
      unended: String? = nil
    ) {
      self.id = id
      ids = [id]
      self.unended = unended
      self.explanation = explanation
      self.work = work
      stepsPerRun = work.perRun(\.vmSteps)
    }

    /// The number of SQL texts with this form; they differ in their literals.
    public var texts: Int { ids.count }

    /// A scan in a run that did not end is not harmless.
    var verdict: PlanVerdict {
      unended != nil && explanation.verdict == .harmlessScan ? .mayScan : explanation.verdict
    }

    fileprivate struct Key: Hashable {
      var form: SQLFingerprint
      var steps: [String]?
      var verdict: PlanVerdict
      var failure: String?
      var database: String?
    }

    /// A step without the number of rows of VALUES, and its names in one case: neither is part of the form.
    private static func words(of step: QueryPlan.Node) -> String {
      if case .constantRows = step.fact { "constant rows" } else { step.detail.lowercased() }
    }

    fileprivate var key: Key {
      Key(
        form: SQLFingerprint(sql: explanation.sql),
        steps: explanation.plan?.nodes.map(Self.words(of:)),
        verdict: verdict, failure: explanation.failure?.lowercased(),
        database: explanation.database)
    }

    /// The work of both, explained by the one with more of it.
    fileprivate mutating func add(_ other: Entry) {
      let steps = other.work.perRun(\.vmSteps)
      if steps > stepsPerRun {
        (id, explanation, stepsPerRun) = (other.id, other.explanation, steps)
      }
      ids += other.ids
      work.add(other.work)
    }
  }

  /// Nil for plans as text without a database.
  public var database: String?
  public var sqliteVersion: String?
  public var entries: [Entry]
  /// The number of statements that are not in ``entries`` because SQLite has no plan for them:
  /// `BEGIN` and others, or because a virtual table's module runs them.
  public let withoutPlan: Int
  /// The limitations of the report, one sentence each.
  public var doubts: [String] = []
  /// Whether the database has no rows.
  public var isFromCapsule = false
  /// The names of the program's data model, if it was passed.
  public var names: ModelNames?

  /// - Parameter byForm: whether statements that differ in their values, and have the same plan and
  ///   verdict, are one entry.
  public init(database: String?, sqliteVersion: String?, entries: [Entry], byForm: Bool) {
    self.database = database
    self.sqliteVersion = sqliteVersion
    let all = byForm ? Self.grouped(entries) : entries
    self.entries = all.filter { $0.explanation.verdict != .noPlan }
    withoutPlan = all.count - self.entries.count
  }

  /// Merges entries with the same form, plan and verdict, in the order of their first entries.
  private static func grouped(_ entries: [Entry]) -> [Entry] {
    var indexes: [Entry.Key: Int] = [:]
    var groups: [Entry] = []
    for entry in entries {
      let key = entry.key
      if let index = indexes[key] {
        groups[index].add(entry)
      } else {
        indexes[key] = groups.count
        groups.append(entry)
      }
    }
    return groups
  }

  /// The indexes that an entry's hints make, as declarations of the model.
  func fetchIndexes(_ entry: Entry) -> [String] {
    guard let names, let judgement = entry.explanation.judgement else { return [] }
    return judgement.hintedIndexes.compactMap(names.fetchIndexes)
  }

  public func count(_ verdict: PlanVerdict) -> Int {
    entries.count { $0.verdict == verdict }
  }

  /// Whether the statements are of the database.
  public var schemaMatch: SchemaMatch {
    SchemaMatch(entries.filter { !$0.explanation.sql.isEmpty }.map(\.explanation))
  }

  /// Where the plans are from.
  var headline: String {
    guard let database else {
      return "Plans as text, without a database: the sizes of the tables are not known"
    }
    return "Plans in \(database)" + (sqliteVersion.map { " (SQLite \($0))" } ?? "")
  }
}
