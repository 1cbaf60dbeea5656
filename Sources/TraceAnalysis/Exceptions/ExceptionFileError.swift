// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The reason why a file of exceptions cannot be used.
public enum ExceptionFileError: Error, Hashable, Sendable {
  /// A line of a file.
  public struct Location: Hashable, Sendable {
    /// The file's path.
    public var path: String
    /// The line, from 1.
    public var line: Int
  }

  /// A line that does not declare an exception.
  case notUnderstood(Location, String)
  /// A rule that does not exist.
  case unknownRule(Location, String)
  /// A key that does not exist.
  case unknownKey(Location, String)
  /// A key without a value.
  case noValue(Location, String)
  /// An exception without a reason.
  case noReason(Location, String)
  /// A statement id that cannot be parsed.
  case notAStatement(Location, String)
  /// A day that is not of the form `2026-11-21`.
  case notADay(Location, String)
}

extension ExceptionFileError: CustomStringConvertible {
  /// One sentence: the location, the problem, and the advice.
  public var description: String {
    switch self {
    case .notUnderstood(let location, let line):
      "\(location.text): \(LogText.quoted(line)) is neither [RULE] nor key = value"
    case .unknownRule(let location, let rule):
      "\(location.text): no rule \(LogText.quoted(rule)); 'trace-report explain' lists them, and "
        + "Gate is for regressions"
    case .unknownKey(let location, let key):
      "\(location.text): \(LogText.quoted(key)) is not a key; write caller, statement, sql, object, "
        + "reason or expires"
    case .noValue(let location, let key):
      "\(location.text): \(LogText.quoted(key)) has no value"
    case .noReason(let location, let rule):
      "\(location.text): the exception from \(rule) has no reason; write why the finding is accepted"
    case .notAStatement(let location, let text):
      "\(location.text): \(LogText.quoted(text)) is not the id of a statement, sixteen hexadecimal digits"
    case .notADay(let location, let text):
      "\(location.text): \(LogText.quoted(text)) is not a date; write it as 2027-03-01"
    }
  }
}

extension ExceptionFileError.Location {
  fileprivate var text: String { "\(LogText.escaped(path)):\(line)" }
}
