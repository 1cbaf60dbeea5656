// SPDX-License-Identifier: Apache-2.0

/// A report in parts, of which the last ones can be left out.
public protocol BriefReport: Encodable {
  /// The number of parts that can be left out.
  var items: Int { get }
  /// The report with this many of its parts, which counts the others.
  func prefix(_ items: Int) -> Self
}

/// The size of a text that a language model reads.
public struct TokenBudget: Sendable {
  private let maxBytes: Int

  // JSON with names and SQL has three to four bytes a token.
  public init(tokens: Int) { maxBytes = tokens > .max / 3 ? .max : tokens * 3 }

  /// The JSON of a report in one line, with as many of its parts as fit; the verdict is always there.
  public func text(_ report: some BriefReport) throws -> String {
    var (low, high) = (0, report.items)
    while low < high {
      let middle = (low + high + 1) / 2
      if try JSONText.line(report.prefix(middle)).utf8.count <= maxBytes {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return try JSONText.line(report.prefix(low))
  }
}
