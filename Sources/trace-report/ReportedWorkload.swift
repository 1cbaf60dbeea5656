// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading

/// A run and, if one was passed or is still where the program opened it, the user's database.
struct ReportedWorkload {
  private(set) var database: InspectedDatabase?
  private(set) var explanations: [StatementID: PlanExplainer.Explanation]
  private(set) var findings: [Finding]
  /// The databases that were opened without being named, and the checks that were skipped; one
  /// sentence each.
  private(set) var remarks: [String] = []
  private var mismatch: Failure?

  /// - Throws: ``Failure``, with one sentence.
  init(_ profile: Profile, database path: String?, names: ModelNames? = nil) throws {
    guard let path else {
      self.init(profile, names: names)
      addOpenedDatabase(of: profile, names)
      return
    }
    let file = try ReportedDatabase.open(path)
    ReadingInterruption.endProcess()
    do {
      try self.init(profile, file, path: path, names: names)
    } catch {
      throw Failure(LogText.escaped("'\(path)': \(error.message)"))
    }
  }

  /// A run without a database.
  private init(_ profile: Profile, names: ModelNames?) {
    let workload = Workload(profile, names: names)
    (explanations, findings) = (workload.explanations, workload.findings)
  }

  private init(
    _ profile: Profile, _ file: InspectedDatabase, path: String, names: ModelNames?,
    budget: PlanBudget? = nil
  ) throws(SQLiteError) {
    let workload = try Workload(
      profile, database: file.connection, path: path, names: names, budget: budget)
    let match = workload.schemaMatch
    guard !match.isOtherDatabase else {
      (explanations, findings) = ([:], profile.findings)
      mismatch = Failure.otherDatabase(path, match)
      return
    }
    (database, explanations, findings) = (file, workload.explanations, workload.findings)
  }

  /// Reads the database that the program opened, where it is still the same file.
  private mutating func addOpenedDatabase(of profile: Profile, _ names: ModelNames?) {
    let opened = profile.openedDatabases
    guard let path = ReportedDatabase.opened(by: profile) else {
      if let path = opened.first?.path {
        remarks = [
          "\(LogText.quoted(path)) is gone, or is another file now: plans and indexes were not tried. "
            + "Name a copy with --database FILE."
        ]
      }
      return
    }
    let budget = PlanBudget.ofReport
    guard let file = try? InspectedDatabase(path: path, busyTimeout: 200),
      let workload = try? Self(profile, file, path: path, names: names, budget: budget),
      workload.database != nil
    else {
      remarks = [
        "\(LogText.quoted(path)), which the program opened, could not be read: plans and indexes were not "
          + "tried."
      ]
      return
    }
    self = workload
    let others = opened.filter { $0.path != path && $0.isStillThere }.map {
      LogText.quoted($0.path)
    }
    remarks = [
      "Plans and indexes: tried on \(([LogText.quoted(path)] + others).joined(separator: ", ")), opened "
        + "read-only."
    ]
    if budget.isExhausted || profile.statements.count > budget.statements {
      remarks.append(
        "Some statements were not tried, to save time. To try all: trace-report summary --database "
          + LogText.quoted(path))
    }
  }

  /// Records the plan of each form, to compare plans over hosts and versions.
  func addPlans(to profile: inout Profile) {
    guard let database, !explanations.isEmpty else { return }
    profile.setPlans(database: database.path) { statement in
      explanations[statement.id]?.plan.map { plan in
        plan.roots.flatMap(Self.steps).joined(separator: "; ")
      }
    }
  }

  private static func steps(of node: QueryPlan.Node) -> [String] {
    [node.detail] + node.children.flatMap(steps)
  }

  /// Call this once the report is printed.
  func checkDatabase() throws {
    if let mismatch { throw mismatch }
  }
}
