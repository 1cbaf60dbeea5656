// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Why a file of exceptions cannot be used.
public enum ExceptionFileError: Error, Hashable, Sendable {
  public struct Place: Hashable, Sendable {
    public var path: String
    public var line: Int
  }

  case notUnderstood(Place, String)
  case unknownRule(Place, String)
  case unknownKey(Place, String)
  case noValue(Place, String)
  case noReason(Place, String)
  case notAStatement(Place, String)
  case notADay(Place, String)
}

extension ExceptionFileError: CustomStringConvertible {
  /// One sentence: where, what is wrong, and what to do.
  public var description: String {
    switch self {
    case .notUnderstood(let place, let line):
      "\(place.text): \(LogText.quoted(line)) is neither [RULE] nor key = value"
    case .unknownRule(let place, let rule):
      "\(place.text): no rule \(LogText.quoted(rule)); 'trace-report explain' lists them, and "
        + "Gate is for regressions"
    case .unknownKey(let place, let key):
      "\(place.text): \(LogText.quoted(key)) is no key; write caller, statement, sql, object, "
        + "reason or expires"
    case .noValue(let place, let key):
      "\(place.text): \(LogText.quoted(key)) has no value"
    case .noReason(let place, let rule):
      "\(place.text): the exception from \(rule) has no reason; write why it is let be"
    case .notAStatement(let place, let text):
      "\(place.text): \(LogText.quoted(text)) is no statement's id, sixteen hexadecimal digits"
    case .notADay(let place, let text):
      "\(place.text): \(LogText.quoted(text)) is no day; write it as 2027-03-01"
    }
  }
}

extension ExceptionFileError.Place {
  fileprivate var text: String { "\(LogText.escaped(path)):\(line)" }
}
