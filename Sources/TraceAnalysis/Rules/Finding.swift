// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Something worth changing: what it is, where, how it shows, and what to write instead.
public struct Finding: Hashable, Sendable {
  /// The rule's name, such as `AvoidFullTableScan`.
  public var rule: String
  public var severity: Severity
  public var statement: StatementID?
  /// The line of code to look at.
  public var caller: SourceLocation
  /// What happens, with its numbers, in one sentence.
  public var message: String
  /// The numbers again, by name.
  public var evidence: [Evidence]
  /// What to change, in code or in SQL.
  public var fix: String
  /// What the change can save at most, or nil where the data cannot say.
  public var savesAtMost: Nanoseconds?

  public enum Severity: String, Hashable, Sendable, Comparable {
    case note, warning

    public static func < (a: Self, b: Self) -> Bool { a == .note && b == .warning }
  }

  /// One number behind a finding.
  public struct Evidence: Hashable, Sendable {
    public var name: String
    public var value: Int64

    public init(_ name: String, _ value: some BinaryInteger) {
      self.name = name
      self.value = Int64(clamping: value)
    }
  }

  public init(
    rule: String, severity: Severity, statement: StatementID?, caller: SourceLocation,
    message: String, evidence: [Evidence], fix: String, savesAtMost: Nanoseconds? = nil
  ) {
    self.rule = rule
    self.severity = severity
    self.statement = statement
    self.caller = caller
    self.message = message
    self.evidence = evidence
    self.fix = fix
    self.savesAtMost = savesAtMost
  }
}
