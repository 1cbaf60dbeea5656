// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading

/// A run and, if one was passed, the user's database.
///
/// A database of another program is ignored.
struct ReportedWorkload {
  let database: InspectedDatabase?
  let explanations: [StatementID: PlanExplainer.Explanation]
  let findings: [Finding]
  private let mismatch: Failure?

  /// - Throws: ``Failure``, with one sentence.
  init(_ profile: Profile, database path: String?, names: ModelNames? = nil) throws {
    guard let path else {
      let workload = Workload(profile, names: names)
      (database, explanations, findings, mismatch) =
        (nil, workload.explanations, workload.findings, nil)
      return
    }
    let file = try ReportedDatabase.open(path)
    ReadingInterruption.endProcess()
    let workload: Workload
    do {
      workload = try Workload(profile, database: file.connection, path: path, names: names)
    } catch {
      throw Failure(LogText.escaped("'\(path)': \(error.message)"))
    }
    let match = workload.schemaMatch
    guard !match.isOtherDatabase else {
      (database, explanations, findings) = (nil, [:], profile.findings)
      mismatch = Failure.otherDatabase(path, match)
      return
    }
    (database, explanations, findings, mismatch) =
      (file, workload.explanations, workload.findings, nil)
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
  ///
  /// - Throws: ``Failure`` if the database was another one.
  func checkDatabase() throws {
    if let mismatch { throw mismatch }
  }
}
