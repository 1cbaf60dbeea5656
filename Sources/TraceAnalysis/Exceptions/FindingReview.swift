// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// Findings, except suppressed ones.
public struct FindingReview: Hashable, Sendable {
  /// A finding with its exception.
  public struct Suppressed: Hashable, Sendable {
    /// The finding.
    public var finding: Finding
    /// The exception that suppresses it.
    public var exception: FindingException
  }

  /// The findings without an exception.
  public var findings: [Finding] = []
  /// The findings with an exception.
  public var suppressed: [Suppressed] = []
  /// Exceptions that are expired, or that match nothing; one sentence each.
  public var complaints: [String] = []
  /// Whether the rules that need the program's database were checked.
  public var hasDatabase = false
  /// The databases that were opened without being named, and the checks that were skipped on them;
  /// one sentence each.
  public var remarks: [String] = []

  /// Findings without exceptions.
  public init(_ findings: [Finding]) { self.findings = findings }

  /// Removes the findings that a file suppresses, and returns the exceptions that suppress nothing.
  ///
  /// An expired exception suppresses nothing: its finding is reported again.
  ///
  /// - Parameters:
  ///   - findings: the findings of a run.
  ///   - profile: the run.
  ///   - file: the exceptions.
  ///   - today: such as `2026-11-21`.
  public init(_ findings: [Finding], in profile: Profile, file: ExceptionFile, today: String) {
    var book = ExceptionBook(file, today: today)
    for finding in findings {
      let sql = finding.statement.flatMap { profile.statement($0)?.sql }
      let exception = book.exception(
        rule: finding.rule, caller: finding.caller, statement: finding.statement, sql: sql,
        object: finding.object)
      if let exception {
        suppressed.append(Suppressed(finding: finding, exception: exception))
      } else {
        self.findings.append(finding)
      }
    }
    complaints = book.complaints { $0.rule != "Gate" }
  }
}

/// A file's exceptions, and which of them matched something.
public struct ExceptionBook {
  /// The file of exceptions.
  public let file: ExceptionFile
  private let today: String
  private var used: Set<Int> = []
  private var compared: [String: [String]] = [:]

  /// Opens the book of a file on a day such as `2026-11-21`.
  public init(_ file: ExceptionFile, today: String) {
    self.file = file
    self.today = today
  }

  /// Finds the exception that suppresses something, and remembers that it did.
  public mutating func exception(
    rule: String, caller: SourceLocation = .unknown, statement: StatementID?, sql: String?,
    object: String = ""
  ) -> FindingException? {
    var found: FindingException?
    if let caller = caller.text { compared[rule, default: []].append(LogText.escaped(caller)) }
    for (index, exception) in file.exceptions.enumerated()
    where exception.matches(
      rule: rule, caller: caller, statement: statement, sql: sql, object: object)
    {
      used.insert(index)
      if !exception.isExpired(on: today) { found = found ?? exception }
    }
    return found
  }

  /// Messages about the exceptions that a command could have used.
  public func complaints(_ isMeant: (FindingException) -> Bool) -> [String] {
    file.problems
      + file.exceptions.enumerated().compactMap { index, exception -> String? in
        guard isMeant(exception) else { return nil }
        let subject =
          "\(LogText.escaped(exception.path)):\(exception.line): the exception from \(exception.rule)"
        if let day = exception.expires, exception.isExpired(on: today) {
          return "\(subject) expired on \(day); what it excused counts again"
        }
        if used.contains(index) { return nil }
        let others = (compared[exception.rule] ?? []).prefix(3)
        let found =
          others.isEmpty ? "" : " (it was compared with \(others.joined(separator: ", ")))"
        return "\(subject) matches nothing; take it out\(found)"
      }
  }
}
