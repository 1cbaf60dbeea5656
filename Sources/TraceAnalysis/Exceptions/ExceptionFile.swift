// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The exceptions of a project, in a file under version control.
///
///     # .storescope-exceptions
///     [AvoidFullTableScan]
///     caller = transit/Import.swift
///     sql = FROM ZSTOP t0
///     reason = The import reads all stops, once a night.
///     expires = 2027-03-01
public struct ExceptionFile: Hashable, Sendable {
  /// The name under which a project's file is found in the current folder.
  public static let usualName = ".storescope-exceptions"

  /// The exceptions, in the order of the file.
  public var exceptions: [FindingException] = []
  /// Comments in the code that are not understood; one sentence each.
  public var problems: [String] = []

  /// No exceptions.
  public init() {}

  /// Reads the text of a file.
  ///
  /// - Throws: ``ExceptionFileError``: an exception that is not understood suppresses nothing.
  public init(path: String, text: String) throws(ExceptionFileError) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let location = ExceptionFileError.Location(path: path, line: index + 1)
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        exceptions.append(try Self.exception(for: line.dropFirst().dropLast().trimmed, location))
      } else {
        guard let sign = line.firstIndex(of: "=") else {
          throw .notUnderstood(location, String(line))
        }
        let value = String(line[line.index(after: sign)...].trimmed)
        guard !exceptions.isEmpty else { throw .notUnderstood(location, String(line)) }
        guard !value.isEmpty else { throw .noValue(location, String(line[..<sign].trimmed)) }
        try Self.set(line[..<sign].trimmed, value, in: &exceptions[exceptions.count - 1], location)
      }
    }
    for exception in exceptions where exception.reason.isEmpty {
      throw .noReason(.init(path: path, line: exception.line), exception.rule)
    }
  }

  /// Adds the exceptions that comments in the code declare.
  public mutating func add(_ comments: CodeComments) {
    exceptions += comments.exceptions
    problems += comments.problems
  }

  private static func exception(
    for rule: Substring, _ location: ExceptionFileError.Location
  ) throws(ExceptionFileError) -> FindingException {
    guard rule == "Gate" || Rules.named(String(rule)) != nil else {
      throw .unknownRule(location, String(rule))
    }
    return FindingException(
      rule: String(rule), reason: "", path: location.path, line: location.line)
  }

  private static func set(
    _ key: Substring, _ value: String, in exception: inout FindingException,
    _ location: ExceptionFileError.Location
  ) throws(ExceptionFileError) {
    switch key {
    case "caller": exception.caller = value
    case "sql": exception.sql = value
    case "object": exception.object = value
    case "reason": exception.reason = value
    case "statement":
      guard value.utf8.count == 16, let id = UInt64(value, radix: 16) else {
        throw .notAStatement(location, value)
      }
      exception.statement = StatementID(rawValue: id)
    case "expires":
      guard isDay(value) else { throw .notADay(location, value) }
      exception.expires = value
    default: throw .unknownKey(location, String(key))
    }
  }

  /// Whether a text has the form `2027-03-01`, and a month and a day that may exist.
  private static func isDay(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy(\.isNumber) }),
      let month = Int(parts[1]), let day = Int(parts[2])
    else { return false }
    return (1...12).contains(month) && (1...31).contains(day)
  }
}

extension Substring {
  var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
