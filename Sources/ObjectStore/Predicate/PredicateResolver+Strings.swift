// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension PredicateResolver {
  /// A part of a string, or a pattern with wildcards.
  mutating func search(
    _ comparison: FetchPredicate.Comparison, _ kind: StringSearch.Kind
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    let (text, pattern) = try strings(comparison)
    if case .constant(.null) = pattern { return .compare(text, .equal, pattern, []) }
    let folding = folding(comparison, of: text, pattern)
    // LIKE compares characters, whatever their spelling.
    guard folding.isEmpty, kind != .like, !comparison.options.contains(.normalized) else {
      return .search(text, kind, pattern, folding)
    }
    let terms = spellings(of: text).flatMap { text in
      spellings(of: pattern).map { ResolvedPredicate.search(text, kind, $0, []) }
    }
    return terms.count == 1 ? terms[0] : .or(terms)
  }

  private func spellings(of operand: ResolvedOperand) -> [ResolvedOperand] {
    guard case .constant(.string(let text)) = operand else { return [operand] }
    return text.spellings.map { .constant(.string($0)) }
  }

  mutating func matches(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    guard !comparison.options.contains(.localeSensitive) else {
      throw .unsupported("MATCHES[l]", instead: "use [cd]; a regular expression has no locale")
    }
    let (text, pattern) = try strings(comparison)
    if case .constant(.null) = pattern { return .compare(text, .equal, pattern, []) }
    let folding = folding(comparison, of: text, pattern)
    var compiled: RegularExpression?
    if case .constant(.string(let pattern)) = pattern {
      do { compiled = try RegularExpression(pattern, folding) } catch {
        throw .regularExpression(error.description)
      }
    }
    return .matches(text, pattern, folding, compiled: compiled)
  }

  /// Both sides, which have to be strings or nil.
  private mutating func strings(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> (ResolvedOperand, ResolvedOperand) {
    let (text, pattern) = try operands(comparison)
    for case (let operand, let expression) in [
      (text, comparison.left), (pattern, comparison.right),
    ] {
      if let value = operand.constant, value == .null || value.kind == .string { continue }
      guard operand.kind == .string else {
        throw mismatch(.constant(.string("")), expression, operand.kind ?? .string)
      }
    }
    return (text, pattern)
  }
}
