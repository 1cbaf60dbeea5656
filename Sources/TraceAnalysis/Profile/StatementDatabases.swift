// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The databases that the statements of a trace ran on, and their work on each, in bounded memory.
struct StatementDatabases {
  private typealias Connection = ProfileBuilder.Key

  private var paths: [Connection: String] = [:]
  /// A few each.
  private var byStatement: [StatementID: [String]] = [:]
  /// The database that was opened first.
  private var first: String?
  /// Whether another one was opened: only then runs are counted by database.
  private var hasSeveral = false
  private var sites: [StatementID: [Site]] = [:]
  private var siteCount = 0
  /// The statements with too many sites.
  private var uncounted: Set<StatementID> = []

  /// The runs of a statement at one line of code, on one database.
  private struct Site {
    var path: String
    var location: SourceLocation
    var work: StatementCounts
  }

  // A program may open a connection for each request.
  private static let maxConnections = 10_000
  private static let maxPaths = 8
  // Both are arbitrary: 20,000 sites take some 8 MB, and those of a statement are compared one by one.
  private static let maxSites = 20_000
  private static let maxSitesOfStatement = 64

  /// Returns whether this is the second database: the runs until then are those of the first one.
  mutating func add(_ event: ConnectionOpened, in process: Int) -> Bool {
    if paths.count >= Self.maxConnections { paths = [:] }
    paths[Connection(process: process, id: event.connectionID)] = event.path
    guard let first else {
      self.first = event.path
      return false
    }
    guard !hasSeveral, event.path != first else { return false }
    hasSeveral = true
    return true
  }

  mutating func add(_ run: StatementRun, in process: Int) {
    guard let path = paths[Connection(process: process, id: run.connectionID)],
      byStatement[run.statementID]?.contains(path) != true,
      byStatement.count < Bounds.statements || byStatement[run.statementID] != nil,
      byStatement[run.statementID, default: []].count < Self.maxPaths
    else { return }
    byStatement[run.statementID, default: []].append(path)
  }

  /// The paths of the databases that each statement ran on.
  var pathsByStatement: [StatementID: Set<String>] { byStatement.mapValues(Set.init) }

  /// Counts the runs of a statement on the first database, when the second one is opened.
  mutating func add(_ work: StatementCounts, of statement: StatementID, at location: SourceLocation)
  {
    guard let first, byStatement[statement]?.contains(first) == true else { return }
    add(Site(path: first, location: location, work: work), of: statement)
  }

  /// Counts a run by its database.
  mutating func add(
    _ run: StatementRun, _ measures: Measures, at location: SourceLocation, in process: Int
  ) {
    guard hasSeveral, let path = paths[Connection(process: process, id: run.connectionID)]
    else { return }
    var work = StatementCounts()
    work.add(run, measures)
    add(Site(path: path, location: location, work: work), of: run.statementID)
  }

  private mutating func add(_ site: Site, of statement: StatementID) {
    guard !uncounted.contains(statement) else { return }
    let known = sites[statement]?.firstIndex {
      $0.path == site.path && $0.location == site.location
    }
    if let known {
      sites[statement]?[known].work.add(site.work)
    } else if siteCount < Self.maxSites, sites[statement]?.count ?? 0 < Self.maxSitesOfStatement {
      siteCount += 1
      sites[statement, default: []].append(site)
    } else if sites.removeValue(forKey: statement) != nil {
      uncounted.insert(statement)
    }
  }

  /// The runs on each database of the statements that take far more steps on one of them, that one first.
  var unequalRuns: [StatementID: [DatabaseRuns]] {
    sites.compactMapValues { sites in
      var databases: [String: DatabaseRuns] = [:]
      for site in sites {
        var runs = databases[site.path] ?? DatabaseRuns(path: site.path)
        runs.work.add(site.work)
        runs.callers[site.location] = site.work
        databases[site.path] = runs
      }
      return DatabaseRuns.unequal(Array(databases.values))
    }
  }
}
