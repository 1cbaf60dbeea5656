// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceReading

/// One line of `top --json`, version 1.
public struct TopV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var source: String
  public var processes: [String]
  /// How long the interval was.
  public var intervalNs: Int64
  /// Since counting began.
  public var elapsedNs: Int64
  /// The reason why no more events can arrive; null while they can.
  public var ended: String?
  public var completeness: ReportV1.Completeness
  /// The counts that the input has; a count that is not in the list is unknown, and not 0.
  public var measured: [String]?
  /// The difference in the interval.
  public var interval: Counts
  /// Since counting began.
  public var totals: Counts
  /// Waiting for a connection, or for the writer and its lock, in the interval.
  public var waitNs: Int64
  public var statements: [Statement]
  public var faults: [Faults]
  public var findings: [Finding]

  public struct Counts: Codable, Hashable, Sendable {
    public var fetches: UInt64
    public var counts: UInt64
    public var rows: UInt64
    public var faults: UInt64
    public var relationshipFaults: UInt64
    public var cacheHits: UInt64
    public var cacheMisses: UInt64
    public var saves: UInt64
    public var errors: UInt64
    public var connectionNs: Int64
    public var totalNs: Int64
    /// Of the probe; null if it observed nothing.
    public var observed: Observed?
  }

  public struct Observed: Codable, Hashable, Sendable {
    public var statements: UInt64
    public var rows: UInt64
    public var changes: UInt64
    public var commits: UInt64
  }

  public struct Statement: Codable, Hashable, Sendable {
    public var id: String
    public var sql: String?
    public var entity: String
    public var caller: ReportV1.Place?
    /// The difference in the interval.
    public var interval: Work
    public var totals: Work
  }

  public struct Work: Codable, Hashable, Sendable {
    public var count: UInt64
    public var rows: UInt64
    public var cacheMisses: UInt64
    public var totalNs: Int64
  }

  public struct Faults: Codable, Hashable, Sendable {
    public var entity: String
    /// "" for object faults.
    public var relationship: String
    public var caller: ReportV1.Place?
    public var intervalHits: UInt64
    public var intervalMisses: UInt64
    public var cacheHits: UInt64
    public var cacheMisses: UInt64
  }

  public struct Finding: Codable, Hashable, Sendable {
    public var rule: String
    public var severity: String
    public var caller: ReportV1.Place?
    public var message: String
  }
}

extension TopV1 {
  public init(_ frame: TopFrame, top: Int = 10) {
    let interval = frame.interval
    source = frame.source
    processes = interval.profile.processes.map(\.identity.title)
    intervalNs = interval.duration
    elapsedNs = frame.elapsed
    if case .ended(let reason) = frame.state { ended = reason }
    let sources = interval.profile.reading.sources
    completeness = ReportV1.Completeness(
      eventsRead: sources.reduce(0) { $0 &+ $1.eventsRead },
      eventsLost: sources.reduce(0) { $0 &+ $1.eventsLost },
      unrecognizedLines: sources.reduce(0) { $0 &+ $1.unrecognizedLines }, doubts: frame.warnings)
    measured = interval.profile.measures.names
    self.interval = Counts(interval.added)
    self.interval.observed = interval.observedAdded.map {
      Observed($0, commits: interval.commitsAdded)
    }
    totals = Counts(interval.profile.totals)
    totals.observed = interval.profile.observed.map {
      Observed($0, commits: interval.profile.waits.commits)
    }
    waitNs = interval.waitTime
    statements = frame.statements.prefix(top).map { Statement($0) }
    faults = interval.faults.prefix(top).map { Faults($0) }
    findings = interval.findings.map { finding in
      Finding(
        rule: finding.rule, severity: finding.severity.rawValue,
        caller: ReportV1.Place(finding.caller), message: finding.message)
    }
  }
}

extension TopV1.Counts {
  fileprivate init(_ totals: Profile.Totals) {
    self.init(
      fetches: totals.fetches, counts: totals.counts, rows: totals.rows, faults: totals.faults,
      relationshipFaults: totals.relationshipFaults, cacheHits: totals.cacheHits,
      cacheMisses: totals.cacheMisses, saves: totals.saves, errors: totals.errors,
      connectionNs: totals.connectionTime, totalNs: totals.totalTime)
  }
}

extension TopV1.Observed {
  fileprivate init(_ observed: ObservedProfile, commits: UInt64) {
    self.init(
      statements: observed.runs, rows: observed.rows, changes: observed.changes, commits: commits)
  }
}

extension TopV1.Statement {
  fileprivate init(_ statement: LiveStatement) {
    let group = statement.group
    self.init(
      id: "\(group.statement.id)", sql: group.statement.sql, entity: group.statement.entity,
      caller: ReportV1.Place(group.caller),
      interval: TopV1.Work(statement.added, misses: statement.missesAdded),
      totals: TopV1.Work(group.work, misses: group.misses))
  }
}

extension TopV1.Work {
  fileprivate init(_ work: TraceAnalysis.StatementCounts, misses: UInt64) {
    self.init(
      count: work.count, rows: work.rows, cacheMisses: misses, totalNs: work.totalTime)
  }
}

extension TopV1.Faults {
  fileprivate init(_ faults: LiveFaults) {
    let origin = faults.profile.origin
    self.init(
      entity: origin.entity, relationship: origin.relationship,
      caller: ReportV1.Place(origin.location), intervalHits: faults.hitsAdded,
      intervalMisses: faults.missesAdded, cacheHits: faults.profile.hits,
      cacheMisses: faults.profile.misses)
  }
}
