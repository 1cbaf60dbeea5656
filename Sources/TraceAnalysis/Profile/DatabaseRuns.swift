// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

/// The runs of a statement on one of several databases.
struct DatabaseRuns: Sendable {
  var path: String
  /// The file name, or the path where another of its databases has the same file name.
  var name = ""
  var work = StatementCounts()
  /// Its runs at each line of code.
  var callers: [SourceLocation: StatementCounts] = [:]

  // As for a scan and the rows that it returns: with less, the average of all runs leads to the same verdict.
  private static let minRatio = ScanBound.minStepsPerRow

  /// The databases by their steps a run, most first, if one takes far more than another, and much; otherwise nil.
  static func unequal(_ databases: [Self]) -> [Self]? {
    let databases = databases.filter { !$0.path.isEmpty && $0.work.vmSteps > 0 }
    guard databases.count > 1 else { return nil }
    var sorted = databases.sorted { a, b in
      a.work.isHeavier(than: b.work) || (!b.work.isHeavier(than: a.work) && a.path < b.path)
    }
    let steps = sorted.map { $0.work.perRun(\.vmSteps) }
    let isMuch =
      steps[0] >= WorkBound.minSteps
      || sorted[0].work.perRun(\.fullScanSteps) + 1 >= ScanBound.minRows
    guard isMuch, steps[0] >= (steps.min() ?? 0) * minRatio else { return nil }
    let names = Dictionary(grouping: sorted, by: \.fileName).mapValues(\.count)
    for index in sorted.indices {
      let name = sorted[index].fileName
      sorted[index].name = names[name] == 1 ? name : sorted[index].path
    }
    return sorted
  }

  private var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension StatementCounts {
  /// Compares the steps of a run: full scans first.
  func isHeavier(than other: StatementCounts) -> Bool {
    (perRun(\.fullScanSteps), perRun(\.vmSteps))
      > (other.perRun(\.fullScanSteps), other.perRun(\.vmSteps))
  }
}

extension StatementProfile {
  /// The statement with the counts of its runs on one database.
  func with(_ runs: DatabaseRuns) -> Self {
    var part = self
    part.work = runs.work
    return part
  }
}

extension Profile {
  /// The counts that a statement's plan is judged by, and their database: the one with most steps a run, where another
  /// takes far fewer; otherwise the counts of all runs.
  public func judgedWork(
    of statement: StatementProfile
  ) -> (work: StatementWork, database: String?) {
    guard let runs = databaseRuns[statement.id]?.first else {
      return (statement.statementWork, nil)
    }
    return (statement.with(runs).statementWork, runs.path)
  }

  /// A statement with the counts of its runs on one database, where they differ much from those on others.
  ///
  /// - Parameters:
  ///   - statement: the sums of its runs on all databases.
  ///   - paths: the paths of the database in the trace; nil if it has none.
  public func statement(_ statement: StatementProfile, on paths: Set<String>?) -> StatementProfile {
    guard let paths,
      let runs = databaseRuns[statement.id]?.first(where: { paths.contains($0.path) })
    else { return statement }
    return statement.with(runs)
  }
}
