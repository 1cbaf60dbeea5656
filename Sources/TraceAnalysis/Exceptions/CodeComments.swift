// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The exceptions that comments in a file of source code declare, in any language.
///
///     rows = fetch(author)  # storescope: ignore[AvoidQueryInLoop] three authors at most
///
/// A comment is about its own line, or, if the line is only a comment, about the next line of code.
public struct CodeComments: Hashable, Sendable {
  /// The exceptions, in the order of the file.
  public private(set) var exceptions: [FindingException] = []
  /// Comments that suppress nothing because they are not understood; one sentence each.
  public private(set) var problems: [String] = []

  static let marker = "storescope: ignore["

  /// Reads the text of a file.
  ///
  /// - Parameters:
  ///   - text: the source code.
  ///   - path: the file, for messages.
  ///   - caller: the file as a recording names it.
  public init(in text: String, path: String, caller: String) {
    guard text.contains(Self.marker) else { return }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let start = line.firstRange(of: Self.marker) else { continue }
      let parts = line[start.upperBound...].split(
        separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
      let reason = Self.withoutEnd(parts.count > 1 ? parts[1] : "")
      let code = lines[(index + 1)...].firstIndex { !Self.isComment($0) } ?? index
      for rule in parts[0].split(separator: ",").map({ String($0.trimmed) }) {
        if let problem = Self.problem(rule, reason) {
          problems.append("\(LogText.escaped(path)):\(index + 1): \(problem)")
          continue
        }
        var exception = FindingException(
          rule: rule, caller: caller, reason: reason, path: path, line: index + 1)
        let last = Self.isComment(line) ? code + 1 : index + 1
        exception.callerLines = UInt64(index + 1)...UInt64(last)
        exceptions.append(exception)
      }
    }
  }

  private static func problem(_ rule: String, _ reason: String) -> String? {
    if rule != "Gate", Rules.named(rule) == nil {
      return "no rule \(LogText.quoted(rule)); 'trace-report explain' lists them"
    }
    return reason.isEmpty
      ? "the exception from \(rule) has no reason; write why the finding is accepted" : nil
  }

  private static func isComment(_ line: Substring) -> Bool {
    let line = line.trimmed
    return line.isEmpty
      || ["#", "//", "--", "/*", "*", "<!--", ";", "%"].contains { line.hasPrefix($0) }
  }

  /// The reason without the end of a block comment.
  private static func withoutEnd(_ reason: Substring) -> String {
    for end in ["*/", "-->"] where reason.trimmed.hasSuffix(end) {
      return String(reason.trimmed.dropLast(end.count).trimmed)
    }
    return String(reason.trimmed)
  }
}
