// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The result of reading the inputs.
public struct ReadingReport: Hashable, Sendable, Codable {
  /// The sources, in the order of the inputs.
  public var sources: [SourceReport]

  public init(sources: [SourceReport]) { self.sources = sources }
}

/// The result of reading one input.
public struct SourceReport: Hashable, Sendable, Codable {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case ctf, log
    /// Core Data's own log, as `-com.apple.CoreData.SQLDebug` writes it.
    case coreDataLog = "core-data-log"
    /// A log of the statements of a database library: ActiveRecord, Django, SQLAlchemy, SQLite's shell.
    case statementLog = "statement-log"
  }

  public var path: String
  public var kind: Kind
  public var eventsRead: UInt64
  /// Events that the tracer or the source reports as discarded.
  public var eventsLost: UInt64
  /// Lines of a log that no rule matches, and events of a trace that are not this vocabulary's.
  public var unrecognizedLines: UInt64
  /// The first few of them, escaped, with their positions.
  public var unrecognizedSamples: [String]
  /// The reasons why the input ended early, such as an incomplete line; one sentence each.
  public var problems: [String]
  /// The data that this kind of input never contains; one sentence each.
  public var remarks: [String] = []
  /// The alterations of the input, as by a web page; one sentence each, which is a remark as well;
  /// nil for none.
  public var changes: [String]?
  /// Processes that do not count their events, so that a gap among them cannot be seen.
  public var uncountedProcesses: [ProcessIdentity] = []

  /// The reasons why the input cannot be shown to be complete; one sentence each, nil for none.
  public var unended: [String]?
  /// Programs that ended with an error, and how; nil for none.
  public var failures: [String]?
  /// The identity with which double counting is detected; nil without events, and in older reports.
  public var identity: SourceIdentity?
  /// The plans that a log has, as text, each from its `EXPLAIN QUERY PLAN` on; nil for none.
  public var plans: [String]?
  /// The labels of `record --label`, such as `version`; nil for none.
  public var labels: [String: String]?

  /// The sentence of a problem without the line of the log that it quotes.
  ///
  ///     line 12 is cut: sql: SELECT …
  ///     line 12 is cut
  public static func withoutSample(_ problem: String) -> String {
    guard problem.hasPrefix("line "), let end = problem.firstRange(of: ": ")?.lowerBound,
      problem[..<end].contains(" is cut")
    else { return problem }
    return String(problem[..<end])
  }

  public init(
    path: String, kind: Kind, eventsRead: UInt64 = 0, eventsLost: UInt64 = 0,
    unrecognizedLines: UInt64 = 0, unrecognizedSamples: [String] = [], problems: [String] = []
  ) {
    self.path = path
    self.kind = kind
    self.eventsRead = eventsRead
    self.eventsLost = eventsLost
    self.unrecognizedLines = unrecognizedLines
    self.unrecognizedSamples = unrecognizedSamples
    self.problems = problems
  }
}
