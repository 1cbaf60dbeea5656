// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceReading

/// A profile as it may leave a machine: its statements have `?` for each value, and no line of a log
/// is quoted.
///
///     SharedProfile(profile).profile.statements[0].sql    // SELECT … WHERE name = ?
///
/// Statements keep their ids, so that a report of it and one of the profile name the same ones.
public struct SharedProfile: Sendable {
  /// The profile.
  public private(set) var profile: Profile

  /// - Parameters:
  ///   - profile: the sums of this host.
  ///   - withSQL: whether texts of statements and lines of logs are kept.
  public init(_ profile: Profile, withSQL: Bool = false) {
    self.profile = profile
    if !withSQL { removeTexts() }
  }

  private static func template(of sql: String) -> String { SharedStatement(sql: sql).template }

  private mutating func removeTexts() {
    profile.statements = profile.statements.changed { $0.sql = $0.sql.map(Self.template) }
    profile.otherSQL = profile.otherSQL.map { Set($0.map(Self.template)).sorted() }
    profile.values = StatementValues()
    profile.reading.sources = profile.reading.sources.changed { source in
      source.unrecognizedSamples = []
      source.problems = source.problems.map(SourceReport.withoutSample)
    }
    let change = { (site: inout LockSite) in site.sql = site.sql.map(Self.template) }
    if var locks = profile.locks {
      for path in [\LockProfile.upgrades, \.refusals, \.abandoned, \.longReads, \.autocommits] {
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
        // The text of an error may quote the statement.
        failure.error = String(failure.error.prefix { $0 != ":" })
      }
      locks.checkpointPayers = locks.checkpointPayers?.changed { change(&$0.site) }
      profile.locks = locks
    }
    if var io = profile.io {
      io.commits = io.commits.changed { change(&$0.site) }
      io.statements = io.statements.changed { change(&$0.site) }
      profile.io = io
    }
  }
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
