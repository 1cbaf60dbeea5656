// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// What a reader saw of its inputs.
public struct ReadingReport: Hashable, Sendable, Codable {
  /// In the order in which the inputs were given.
  public var sources: [SourceReport]

  public init(sources: [SourceReport]) { self.sources = sources }
}

/// What a reader saw of one input.
public struct SourceReport: Hashable, Sendable, Codable {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case ctf, log
    /// Core Data's own log, as `-com.apple.CoreData.SQLDebug` writes it.
    case coreDataLog = "core-data-log"
  }

  public var path: String
  public var kind: Kind
  public var eventsRead: UInt64
  /// Events that the tracer or the source reports as discarded.
  public var eventsLost: UInt64
  /// Lines of a log that no rule matches, and events of a trace that are not this vocabulary's.
  public var unrecognizedLines: UInt64
  /// The first few of them, escaped, with their places.
  public var unrecognizedSamples: [String]
  /// What cut the input short, such as a line without its end; one sentence each.
  public var problems: [String]
  /// What this kind of input never contains; one sentence each.
  public var remarks: [String] = []
  /// Processes that do not count their events, so that a gap among them cannot be seen.
  public var uncountedProcesses: [ProcessIdentity] = []

  /// Why the input cannot show that it has all that was written; one sentence each, nil for none.
  public var unended: [String]?
  /// Programs that ended with an error, and how; nil for none.
  public var failures: [String]?
  /// By which it is found if it is counted twice; nil without events, and in older reports.
  public var identity: SourceIdentity?
  /// What `record --label` noted, such as `version`; nil for none.
  public var labels: [String: String]?

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
