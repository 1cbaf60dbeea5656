// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A problem that a rule found: what happens, where, the evidence, and the fix.
public struct Finding: Hashable, Sendable {
  /// The rule's name, such as `AvoidFullTableScan`.
  public var rule: String
  /// How serious it is.
  public var severity: Severity
  /// How far the data support it.
  public var confidence: Confidence
  /// The statement's id, or nil for findings on a schema.
  public var statement: StatementID?
  /// The line of code to look at.
  public var caller: SourceLocation
  /// The index, table or column of a finding that has no statement; "" otherwise.
  public var object: String
  /// A description of the problem, with its counts, in one sentence.
  public var message: String
  /// The numbers again, by name.
  public var evidence: [Evidence]
  /// The change to make, in code or in SQL.
  public var fix: String
  /// Nil where the data do not show it.
  public var saving: Saving?
  /// The time of its statement, or of the runs that its rule counts, if no saving is known; 0 if
  /// neither is.
  public var timeOfCause: Nanoseconds = 0

  /// The VM steps of a run before and after the fix, where it was tried on a copy of the database.
  public var trial: Trial?
  /// Whether an index of the fix was made on a copy: the pages that it saves `count(*)` are no VM steps.
  public var isTried = false

  /// A fix that was tried.
  public struct Trial: Hashable, Sendable {
    /// The VM steps of a run without the fix.
    public var before: UInt64
    /// The VM steps of a run with the fix.
    public var after: UInt64
  }

  /// The time by which findings are ranked: the saving, otherwise the time of the cause.
  public var cost: Nanoseconds { savesAtMost ?? timeOfCause }

  /// The maximum saving.
  public var savesAtMost: Nanoseconds? { saving?.atMost }

  /// How serious a finding is.
  public enum Severity: String, Hashable, Sendable, Comparable {
    /// A hint, or a finding that fails `--fail-on warning`.
    case note, warning

    public static func < (a: Self, b: Self) -> Bool { a == .note && b == .warning }
  }

  /// How far the data support the finding.
  public enum Confidence: String, Hashable, Sendable {
    /// The counts prove it.
    case high
    /// The counts support it, and rarely have another cause.
    case medium
    /// It depends on something that the data does not show.
    case low
  }

  /// The maximum time that the change can save, and how it was computed.
  public struct Saving: Hashable, Sendable {
    /// The upper bound of the saving.
    public var atMost: Nanoseconds
    /// Words such as `the time of the cache misses`.
    public var basis: String

    /// Makes a saving with its basis.
    public init(atMost: Nanoseconds, basis: String) {
      self.atMost = atMost
      self.basis = basis
    }
  }

  /// One number behind a finding.
  public struct Evidence: Hashable, Sendable {
    /// The name of the count.
    public var name: String
    /// The count.
    public var value: Int64

    /// Makes a piece of evidence.
    public init(_ name: String, _ value: some BinaryInteger) {
      self.name = name
      self.value = Int64(clamping: value)
    }
  }

  /// Makes a finding.
  public init(
    rule: String, severity: Severity = .warning, confidence: Confidence,
    statement: StatementID? = nil, caller: SourceLocation = .unknown, object: String = "",
    message: String, evidence: [Evidence], fix: String, saving: Saving? = nil
  ) {
    self.rule = rule
    self.severity = severity
    self.confidence = confidence
    self.statement = statement
    self.caller = caller
    self.object = object
    self.message = message
    self.evidence = evidence
    self.fix = fix
    // A time of the log below its resolution is not a saving of 0.
    self.saving = saving.flatMap { $0.atMost > 0 ? $0 : nil }
  }
}
