// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

/// The cost of a term per row, the cheapest first; the debug log shows the raw value.
enum TermCost: String, CaseIterable, Comparable {
  case number
  case string
  case partOfString = "part of a string"
  case foldedString = "string without case or diacritics, or LIKE"
  case computed = "function or MATCHES"
  case subquery

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  static func < (a: TermCost, b: TermCost) -> Bool { a.rank < b.rank }
}

extension ResolvedPredicate {
  var cost: TermCost {
    switch self {
    case .always: .number
    case .and(let terms), .or(let terms): terms.map(\.cost).max() ?? .number
    case .not(let term), .isNotTrue(let term): term.cost
    case .isNull(let operand), .isNotNull(let operand):
      max(.number, operand.cost == .string ? .number : operand.cost)
    case .compare(let left, _, let right, let folding):
      max(left.cost, right.cost, folding.cost)
    case .collate(let left, _, let right, _): max(left.cost, right.cost, .foldedString)
    case .between(let operand, let low, let high, let folding):
      max(max(operand.cost, low.cost), high.cost, folding.cost)
    case .isIn(let operand, _, let folding): max(operand.cost, folding.cost)
    case .search(let text, let kind, let pattern, let folding):
      max(
        max(text.cost, pattern.cost), folding.cost,
        kind == .like ? .foldedString : kind == .beginsWith ? .string : .partOfString)
    case .matches(let text, let pattern, _, _): max(text.cost, pattern.cost, .computed)
    // A look-up in the list of search results, which is made once.
    case .matchesIndex(let operand, _): operand.cost
    case .exists: .subquery
    }
  }
}

extension StringFolding {
  fileprivate var cost: TermCost { isEmpty ? .number : .foldedString }
}

extension ResolvedOperand {
  fileprivate var cost: TermCost {
    switch self {
    case .constant: .number
    case .property, .result:
      kind == .string || kind == .data || kind == .uuid ? .string : .number
    case .count, .aggregate: .subquery
    case .function(let function, let operands, _):
      max(
        function.resultKind == .number && function.parameterKind == .number ? .number : .computed,
        operands.map(\.cost).max() ?? .number,
        { if case .call = function.spelling { .computed } else { .number } }())
    case .cast(let operand, _): max(operand.cost, .computed)
    case .unindexed(let operand): operand.cost
    }
  }
}
