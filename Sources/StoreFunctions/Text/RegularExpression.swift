// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The pattern of MATCHES, an ICU regular expression, compiled once for many strings.
///
/// Both sides are compared in NFC; `[d]` takes the diacritics from both first. Used by one thread
/// at a time.
package final class RegularExpression {
  /// Why a pattern cannot be used, or why a match was stopped.
  package enum Failure: Error {
    case invalidPattern(String)
    case tooManySteps(Int)
    case tooMuchMemory
  }

  /// ICU reports after every 10,000 steps; 1000 reports are half a second of an exploding pattern.
  package static let maxReports = 1_000

  private let expression: NSRegularExpression
  private let folding: StringFolding
  private var reportCount = 0

  package init(_ pattern: String, _ folding: StringFolding) throws(Failure) {
    self.folding = folding
    let pattern = Self.normalized(pattern, folding)
    let options: NSRegularExpression.Options =
      folding.contains(.case) ? [.caseInsensitive] : []
    do {
      // Alone first: `a)|(b` is valid only inside of what is put around it. Foundation takes no
      // empty pattern, which matches the empty text.
      if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
    } catch { throw .invalidPattern(pattern) }
    // The newline ends a comment of (?x), and \E a quotation.
    for whole in ["\\A(?:\(pattern))\\z", "\\A(?:\(pattern)\n)\\z", "\\A(?:\(pattern)\\E)\\z"] {
      if let expression = try? NSRegularExpression(pattern: whole, options: options) {
        self.expression = expression
        return
      }
    }
    throw .invalidPattern(pattern)
  }

  /// Whether the pattern matches the whole text.
  package func matches(_ text: String) throws(Failure) -> Bool {
    let text = Self.normalized(text, folding)
    var isMatch = false
    var isTooLarge = false
    expression.enumerateMatches(
      in: text, options: [.reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: text.utf16.count)
    ) { result, flags, stop in
      if result != nil { isMatch = true }
      if flags.contains(.internalError) { isTooLarge = true }
      if flags.contains(.progress) {
        self.reportCount += 1
        if self.reportCount > Self.maxReports { stop.pointee = true }
      }
    }
    if reportCount > Self.maxReports { throw .tooManySteps(Self.maxReports * 10_000) }
    if isTooLarge { throw .tooMuchMemory }
    return isMatch
  }

  private static func normalized(_ text: String, _ folding: StringFolding) -> String {
    (folding.contains(.diacritics) ? StringFolding.diacritics.folded(text) : text).precomposed
  }
}

extension RegularExpression.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidPattern(let pattern):
      "\"\(pattern)\" is not a regular expression of ICU; escape literal characters with \\"
    case .tooManySteps(let steps):
      "MATCHES was stopped after \(steps) steps; write a pattern without nested repetition such as "
        + "(a+)+, or use LIKE, BEGINSWITH or CONTAINS"
    case .tooMuchMemory:
      "MATCHES needs more memory for one text than ICU allows; write a pattern without repeated "
        + "groups such as (a|b)*, or use LIKE, BEGINSWITH or CONTAINS"
    }
  }
}
