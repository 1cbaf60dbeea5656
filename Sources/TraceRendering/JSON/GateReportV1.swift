// SPDX-License-Identifier: Apache-2.0

public import TraceAnalysis

/// The output of `gate --json`, version 1.
public struct GateReportV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// `same`, `mixed`, `regression` or `inconclusive`.
  public var verdict: String
  /// The verdict in one line; null in older reports.
  public var sentence: String?
  public var regressions: [Difference]
  /// Far fewer runs or cache misses for a few more VM steps or rows.
  public var mixed: [Difference]
  public var improvements: [Difference]
  public var replanned: [Difference]
  public var appeared: [Difference]
  public var gone: [Difference]
  public var doubts: [String]
  public var reservations: [String]
  public var rewritten: [Difference]
  public var slower: [Timing]
  public var faster: [Timing]
  /// Statements with exactly the baseline's counts.
  public var unchanged: Int
  /// Regressions that the file of exceptions suppresses.
  public var excused: [Difference]
  /// The problems of its exceptions.
  public var exceptionProblems: [String]
  /// Differences that the budget of `--brief` has no room for; null without it.
  public var leftOut: Int?

  /// Medians of the runs' mean times.
  public struct Timing: Codable, Hashable, Sendable {
    public var sql: String
    public var caller: ReportV1.Place?
    public var beforeNs: Double
    public var afterNs: Double
    /// The probability that chance alone orders the runs in this way.
    public var probability: Double
  }

  public struct Difference: Codable, Hashable, Sendable {
    /// The fingerprint; null for the totals.
    public var sql: String?
    /// The fingerprint that the baseline has, where the statement was rewritten.
    public var sqlBefore: String?
    public var statement: String?
    public var caller: ReportV1.Place?
    /// The tests in which it does more; null where tests have no names.
    public var tests: [String]?
    /// The rule of a warning that the baseline's run did not have, and its fix.
    public var rule: String?
    public var fix: String?
    public var changes: [GateResult.Change]
    public var planBefore: BaselineV1.Plan?
    public var planAfter: BaselineV1.Plan?
  }

  /// The report of a comparison.
  public init(_ result: GateResult) {
    verdict = result.verdict.rawValue
    sentence = result.oneLine
    regressions = result.regressions.map(Difference.init)
    mixed = result.mixed.map(Difference.init)
    improvements = result.improvements.map(Difference.init)
    replanned = result.replanned.map(Difference.init)
    appeared = result.appeared.map(Difference.init)
    gone = result.gone.map(Difference.init)
    doubts = result.doubts
    reservations = result.reservations
    rewritten = result.rewritten.map(Difference.init)
    slower = result.slower.map(Timing.init)
    faster = result.faster.map(Timing.init)
    unchanged = result.unchanged
    excused = result.suppressed.map(Difference.init)
    exceptionProblems = result.complaints
  }
}

extension GateReportV1: BriefReport {
  /// In the order of their weight.
  private static var lists: [WritableKeyPath<Self, [Difference]>] {
    [
      \.regressions, \.mixed, \.rewritten, \.appeared, \.gone, \.improvements, \.replanned,
      \.excused,
    ]
  }

  public var items: Int { Self.lists.reduce(0) { $0 + self[keyPath: $1].count } }

  public func prefix(_ items: Int) -> Self {
    var (part, room) = (self, items)
    for list in Self.lists {
      part[keyPath: list] = Array(self[keyPath: list].prefix(room))
      room -= part[keyPath: list].count
    }
    part.leftOut = self.items - items
    return part
  }
}

extension GateReportV1.Difference {
  fileprivate init(_ difference: GateResult.Difference) {
    self.init(
      sql: difference.sql, sqlBefore: difference.sqlBefore,
      statement: difference.statement?.description,
      caller: ReportV1.Place(difference.caller),
      tests: difference.tests.isEmpty ? nil : difference.tests, rule: difference.finding?.rule,
      fix: difference.finding?.fix,
      changes: difference.changes, planBefore: difference.planBefore,
      planAfter: difference.planAfter)
  }
}

extension GateReportV1.Timing {
  fileprivate init(_ change: TimingGate.Change) {
    self.init(
      sql: change.sql, caller: ReportV1.Place(change.caller), beforeNs: change.before,
      afterNs: change.after, probability: change.probability)
  }
}
