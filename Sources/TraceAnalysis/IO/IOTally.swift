// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Folds the events of I/O.
struct IOTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  private static let maxOpen = 10_000

  private var profile = IOProfile()
  private var commits: [LockSite.Key: CommitProfile] = [:]
  private var statements: [LockSite.Key: StatementIOProfile] = [:]
  /// The I/O of a thread's next run, or of the statement of its next commit, by thread.
  private var pendingRuns: [Key: StatementIO] = [:]
  private var pendingCommits: [Key: CommitIO] = [:]
  /// The statement with which a transaction began to write, by transaction.
  private var writers: [Key: LockSite] = [:]

  mutating func add(_ event: StatementIO, on thread: Key) {
    profile.total.add(event)
    guard event.runID != 0, pendingRuns.count < Self.maxOpen else { return }
    pendingRuns[thread] = event
  }

  /// - Parameter save: the line of the save that it belongs to.
  mutating func add(_ event: CommitIO, on thread: Key, save: SourceLocation?) {
    if event.saveID != 0 {
      return add(event, to: LockSite(statement: Self.none, sql: nil, location: save ?? .unknown))
    }
    guard event.transactionID != 0 else {
      if pendingCommits.count < Self.maxOpen { pendingCommits[thread] = event }
      return
    }
    let writer = writers.removeValue(forKey: Key(process: thread.process, id: event.transactionID))
    add(event, to: writer ?? LockSite(statement: Self.none, sql: nil, location: .unknown))
  }

  mutating func add(_ run: StatementRun, _ site: LockSite, on thread: Key) {
    let transaction = Key(process: thread.process, id: run.transactionID)
    if run.transactionID != 0, run.isReadOnly == 0, run.error.isEmpty,
      writers.count < Self.maxOpen, writers[transaction] == nil
    {
      writers[transaction] = site
    }
    if run.transactionID == 0, !pendingCommits.isEmpty,
      let commit = pendingCommits.removeValue(forKey: thread)
    {
      add(commit, to: site)
    }
    end(run.runID, site, on: thread)
  }

  mutating func end(
    _ fetch: FetchEnd, _ sql: String?, at location: SourceLocation, on thread: Key
  ) {
    end(
      fetch.fetchID, LockSite(statement: fetch.statementID, sql: sql, location: location),
      on: thread)
  }

  private mutating func end(_ run: UInt64, _ site: LockSite, on thread: Key) {
    // A look into an empty table hashes as well.
    guard !pendingRuns.isEmpty, let event = pendingRuns.removeValue(forKey: thread),
      event.runID == run,
      statements.count < Self.maxSites || statements[site.key] != nil
    else { return }
    var site = site
    site.count = 0
    statements[site.key, default: StatementIOProfile(site: site)].site.count.add(1)
    statements[site.key]?.work.add(event)
  }

  private static let none = StatementID(rawValue: 0)

  private mutating func add(_ commit: CommitIO, to site: LockSite) {
    guard commits.count < Self.maxSites || commits[site.key] != nil else { return }
    var site = site
    site.count = 0
    commits[site.key, default: CommitProfile(site: site)].add(commit)
  }

  /// Nil unless I/O was recorded.
  var finished: IOProfile? {
    var profile = profile
    profile.commits = Array(commits.values).ordered
    profile.statements = Array(statements.values).ordered
    return profile == IOProfile() ? nil : profile
  }
}
