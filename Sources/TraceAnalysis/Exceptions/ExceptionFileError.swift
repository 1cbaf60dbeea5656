// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The reason why a file of exceptions cannot be used.
public enum ExceptionFileError: Error, Hashable, Sendable {
  /// A line of a file.
  public struct Place: Hashable, Sendable {
    /// The file's path.
    public var path: String
    /// The line, from 1.
    public var line: Int
  }

  /// A line that does not declare an exception.
  case notUnderstood(Place, String)
  /// A rule that does not exist.
  case unknownRule(Place, String)
  /// A key that does not exist.
  case unknownKey(Place, String)
  /// A key without a value.
  case noValue(Place, String)
  /// An exception without a reason.
  case noReason(Place, String)
  /// A statement id that cannot be parsed.
  case notAStatement(Place, String)
  /// A day that is not of the form `2026-11-21`.
  case notADay(Place, String)
}

extension ExceptionFileError: CustomStringConvertible {
  /// One sentence: the location, the problem, and the advice.
  public var description: String {
    switch self {
    case .notUnderstood(let place, let line):
      "\(place.text): \(LogText.quoted(line)) is neither [RULE] nor key = value"
    case .unknownRule(let place, let rule):
      "\(place.text): no rule \(LogText.quoted(rule)); 'trace-report explain' lists them, and "
        + "Gate is for regressions"
    case .unknownKey(let place, let key):
      "\(place.text): \(LogText.quoted(key)) is not a key; write caller, statement, sql, object, "
        + "reason or expires"
    case .noValue(let place, let key):
      "\(place.text): \(LogText.quoted(key)) has no value"
    case .noReason(let place, let rule):
      "\(place.text): the exception from \(rule) has no reason; write why the finding is accepted"
    case .notAStatement(let place, let text):
      "\(place.text): \(LogText.quoted(text)) is not the id of a statement, sixteen hexadecimal digits"
    case .notADay(let place, let text):
      "\(place.text): \(LogText.quoted(text)) is not a date; write it as 2027-03-01"
    }
  }
}

extension ExceptionFileError.Place {
  fileprivate var text: String { "\(LogText.escaped(path)):\(line)" }
}
