// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents
import TraceReading

/// A profile as it may leave a machine: its statements have `?` for each value, and no line of a log
/// is quoted.
///
///     SharedProfile(profile).profile.statements[0].sql    // SELECT … WHERE name = ?
///
/// The id of a statement is the hash of that text as well, since the hash of a text with its values shows
/// whether a guess of them is right; texts that differ in their values alone are one statement.
public struct SharedProfile: Sendable {
  /// The profile.
  public private(set) var profile: Profile
  private var ids: [StatementID: StatementID] = [:]

  /// - Parameters:
  ///   - profile: the sums of this host.
  ///   - withSQL: whether texts of statements and lines of logs are kept.
  public init(_ profile: Profile, withSQL: Bool = false) {
    self.profile = profile
    if !withSQL { removeTexts() }
  }

  /// A finding of the profile with the id that its statement has in the shared one.
  public func shared(_ finding: Finding) -> Finding {
    var finding = finding
    finding.statement = finding.statement.map { ids[$0] ?? $0 }
    return finding
  }

  private static func template(of sql: String) -> String { SharedStatement(sql: sql).template }

  private mutating func removeTexts() {
    for statement in profile.statements where statement.sql != nil {
      ids[statement.id] = statement.sharedID
    }
    for sql in profile.otherSQL ?? [] {
      ids[StatementID(sql: sql)] = SharedStatement(sql: sql).id
    }
    changeIDs()
    profile.statements = profile.statements.changed { $0.sql = $0.sql.map(Self.template) }
    profile.mergeStatements()
    profile.otherSQL = profile.otherSQL.map { Set($0.map(Self.template)).sorted() }
    profile.values = StatementValues()
    profile.reading.sources = profile.reading.sources.changed { source in
      source.unrecognizedSamples = []
      source.problems = source.problems.map(SourceReport.withoutSample)
    }
    let change = { [ids] (site: inout LockSite) in
      site.sql = site.sql.map(Self.template)
      site.statement =
        site.sql.map { StatementID(sql: $0) } ?? ids[site.statement] ?? site.statement
    }
    if var locks = profile.locks {
      for path in [\LockProfile.upgrades, \.refusals, \.abandoned, \.longReads] {
        locks[keyPath: path] = locks[keyPath: path].changed(change)
      }
      locks.waits = locks.waits.changed { wait in
        change(&wait.waiter)
        if let steps = wait.holder?.statements { wait.holder?.statements = steps.changed(change) }
      }
      locks.transactions = locks.transactions?.changed { change(&$0.site) }
      locks.failures = locks.failures?.changed { failure in
        change(&failure.site)
        if var open = failure.obstacle {
          change(&open)
          failure.obstacle = open
        }
        if var first = failure.transaction {
          change(&first)
          failure.transaction = first
        }
        // The text of an error may quote the statement.
        failure.error = String(failure.error.prefix { $0 != ":" })
      }
      locks.poolWaits = locks.poolWaits?.changed { change(&$0.holder) }
      locks.checkpointPayers = locks.checkpointPayers?.changed { change(&$0.site) }
      profile.locks = locks
    }
    if var io = profile.io {
      io.commits = io.commits.changed { change(&$0.site) }
      io.statements = io.statements.changed { change(&$0.site) }
      profile.io = io
    }
  }

  private mutating func changeIDs() {
    let ids = self.ids
    func change(_ id: inout StatementID) { id = ids[id] ?? id }
    profile.statements = profile.statements.changed { change(&$0.id) }
    profile.batches = profile.batches.changed { change(&$0.statement) }
    profile.faults = profile.faults.changed { $0.statement = $0.statement.map { ids[$0] ?? $0 } }
    let changeLoop = { (loop: inout QueryLoop) in
      change(&loop.parent)
      change(&loop.child)
    }
    profile.sequences = profile.sequences?.changed(changeLoop)
    if var observed = profile.observed {
      observed.loops = observed.loops.changed(changeLoop)
      observed.tests = observed.tests?.changed { test in
        test.scanning = test.scanning.map { ids[$0] ?? $0 }
        test.forms = test.forms?.changed { change(&$0.statement) }.merged(by: \.site) { $0.add($1) }
      }
      profile.observed = observed
    }
  }
}

extension StatementProfile {
  /// The hash of the text with `?` for each value; the id where there is no text.
  ///
  /// Older reports have hashes of texts with their values.
  public var sharedID: StatementID {
    sql.map { SharedStatement(sql: $0).id } ?? id
  }
}

extension SharedStatement {
  /// The hash of its text with `?` for each value.
  public var id: StatementID { StatementID(sql: template) }
}

extension Array {
  fileprivate func changed(_ change: (inout Element) -> Void) -> Self {
    map { element in
      var element = element
      change(&element)
      return element
    }
  }
}
