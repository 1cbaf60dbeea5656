// SPDX-License-Identifier: Apache-2.0

/// One token of a predicate format, and its position.
struct PredicateToken {
  enum Kind: Equatable {
    /// A name; also the part of a name after `@`.
    case identifier(String)
    case word(PredicateWord)
    /// `$x`, without the `$`.
    case variable(String)
    /// Digits too large for an Int64 remain a magnitude: -9223372036854775808 is valid.
    case integer(UInt64)
    case double(Double)
    case string(String)
    /// `%@`, `%K`, `%d`: the conversion's letter.
    case argument(UInt8)
    case sign(Sign)
    case end
  }

  enum Sign: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case dot = "."
    case at = "@"
    case colon = ":"
    case assign = ":="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case power = "**"
  }

  var kind: Kind
  /// In UTF-8 bytes.
  var start: Int
  var end: Int
}
