// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents

/// The statements of one fingerprint, which two runs have in common whatever their values are.
public struct StatementGroup: Hashable, Sendable {
  /// The statement's form, without its values.
  public var fingerprint: SQLFingerprint
  /// The one of them that did most work a run, by its counts.
  public var statement: StatementProfile
  /// The work of all its statements.
  public var work: StatementCounts
  /// Faults that were read from the database.
  public var misses: UInt64
  /// The distribution of the runs' times.
  public var latency: Latency
  /// By total time, longest first.
  public var callers: [CallerProfile]
  /// The number of texts that have the fingerprint.
  public var texts: Int

  /// The line that spent most time on it.
  public var caller: SourceLocation { callers.first?.location ?? .unknown }

  /// The line that ran it most often: the same in every run of the same work.
  var busiestCaller: SourceLocation {
    callers.min { a, b in
      (b.work.count, b.work.vmSteps, a.location.text ?? "")
        < (a.work.count, a.work.vmSteps, b.location.text ?? "")
    }?.location ?? .unknown
  }

  init(_ fingerprint: SQLFingerprint, _ statements: [StatementProfile]) {
    self.fingerprint = fingerprint
    statement = statements.dropFirst().reduce(statements[0]) { $1.isHeavier(than: $0) ? $1 : $0 }
    work = statements.map(\.work).sum(from: StatementCounts())
    misses = statements.map(\.misses).sum(from: 0)
    texts = statements.count
    latency = .merged(statements.map(\.latency))
    callers =
      statements.count == 1 ? statements[0].callers : .merged(statements.flatMap(\.callers))
  }
}

extension StatementProfile {
  /// Compares the work of a run: full scans first; of equals the text decides, so that no clock does.
  func isHeavier(than other: Self) -> Bool {
    func key(_ statement: Self) -> [Double] {
      let work = statement.work
      let indexed = work.perRun(.automaticIndexRows)
      let isScan =
        indexed >= ScanBound.minRows
        || ScanBound.isExceeded(
          steps: work.perRun(\.fullScanSteps),
          rows: max(work.perRun(\.rows), Double(work.changes ?? 0) / Double(max(work.count, 1))))
      return [
        isScan ? 1 : 0,
        work.perRun(\.fullScanSteps), indexed, work.perRun(\.vmSteps),
        work.perRun(\.rows), work.perRun(\.offset),
      ]
    }
    let (mine, others) = (key(self), key(other))
    guard mine != others else { return id.rawValue < other.id.rawValue }
    return others.lexicographicallyPrecedes(mine)
  }
}

extension Profile {
  /// The statements by their fingerprints; a statement without a text is a group of its own.
  public var statementGroups: [SQLFingerprint: StatementGroup] {
    // Statements come by their time, so that each group's first is the one that took most.
    var groups: [SQLFingerprint: [StatementProfile]] = [:]
    for statement in statements {
      let fingerprint = SQLFingerprint(sql: statement.sql ?? "unknown_\(statement.id)")
      groups[fingerprint, default: []].append(statement)
    }
    return Dictionary(
      uniqueKeysWithValues: groups.map { ($0, StatementGroup($0, $1)) })
  }
}
