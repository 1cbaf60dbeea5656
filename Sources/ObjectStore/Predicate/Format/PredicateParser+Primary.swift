// SPDX-License-Identifier: Apache-2.0

extension PredicateParser {
  /// Parses a value or condition with its prefixes (`NOT`, `ANY`, `-`) and suffixes (`.name`,
  /// `[0]`).
  mutating func prefix() throws(PredicateFormatError) -> Node {
    switch token.kind {
    case .word(.not), .sign(.not):
      try advance()
      return .predicate(.not(try condition(.not)))
    case .word(.any), .word(.some): return .predicate(.comparison(try quantified(.any)))
    case .word(.all): return .predicate(.comparison(try quantified(.all)))
    case .word(.none): return .predicate(.not(.comparison(try quantified(.any))))
    case .word(.truePredicate):
      try advance()
      return .predicate(.always(true))
    case .word(.falsePredicate):
      try advance()
      return .predicate(.always(false))
    case .sign(.minus):
      try advance()
      return .expression(try negated())
    case .sign(.openParenthesis):
      try advance()
      let inner = try node(.or)
      try expect(.closeParenthesis)
      guard case .expression(let expression) = inner else { return inner }
      return .expression(try suffixes(of: expression))
    default: return .expression(try suffixes(of: try primary()))
    }
  }

  private mutating func quantified(
    _ quantifier: FetchPredicate.Quantifier
  ) throws(PredicateFormatError) -> FetchPredicate.Comparison {
    try advance()
    let start = token
    guard case .comparison(var comparison) = try condition(.comparison),
      comparison.quantifier == .direct
    else { throw unexpected(start, "one comparison, such as ANY stops.name == \"x\"") }
    comparison.quantifier = quantifier
    return comparison
  }

  private mutating func negated() throws(PredicateFormatError) -> FetchPredicate.Expression {
    switch token.kind {
    case .integer(let magnitude) where magnitude <= Int64.min.magnitude:
      try advance()
      return .constant(.integer(Int64(truncatingIfNeeded: 0 &- magnitude)))
    case .double(let number):
      try advance()
      return .constant(.double(-number))
    default: return .arithmetic(.subtract, .constant(.integer(0)), try value(.sign))
    }
  }

  private mutating func primary() throws(PredicateFormatError) -> FetchPredicate.Expression {
    let current = token
    switch current.kind {
    case .identifier(let name):
      try advance()
      let isEscaped = tokenizer.name(current).hasPrefix("#")
      return try isFunctionCall && !isEscaped ? function(name) : .path(.init([name]))
    case .variable(let name):
      try advance()
      return .path(.init(variable: name))
    case .integer(let magnitude):
      guard let number = Int64(exactly: magnitude) else {
        throw unexpected("an integer up to \(Int64.max)")
      }
      try advance()
      return .constant(.integer(number))
    case .double(let number):
      try advance()
      return .constant(.double(number))
    case .string(let string):
      try advance()
      return .constant(.string(string))
    case .argument(let conversion): return try argument(conversion)
    case .sign(.openBrace):
      try advance()
      return .list(try values(until: .closeBrace))
    case .word(let word): return try keyword(word)
    default: throw unexpected("a value")
    }
  }

  private mutating func keyword(
    _ word: PredicateWord
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    let start = token
    switch word {
    case .null, .nil: try advance()
    case .true, .yes, .false, .no:
      try advance()
      return .constant(.bool(word == .true || word == .yes))
    case .self:
      try advance()
      return .path(.init())
    case .subquery: return try subquery()
    case .cast:
      try advance()
      try expect(.openParenthesis)
      return try cast(try values(until: .closeParenthesis), at: start)
    case .function:
      try advance()
      try expect(.openParenthesis)
      return .function("FUNCTION", try values(until: .closeParenthesis))
    case .fetch: throw unexpected("a value; fetch first and pass the result: SELF IN %@")
    case .anyKey: throw unexpected("a value; name the property that is meant")
    default:
      throw unexpected("a value; write #\(tokenizer.name(token)) for a property of that name")
    }
    return .constant(.null)
  }

  // MARK: - Functions and lists

  private var isFunctionCall: Bool {
    token.kind == .sign(.openParenthesis) || token.kind == .sign(.colon)
  }

  /// Reads the rest of `add:to:(1, 2)`.
  private mutating func function(
    _ start: String
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    var name = start
    while try accept(.sign(.colon)) {
      name += ":"
      switch token.kind {
      case .identifier(let part): name += part
      case .word: name += tokenizer.name(token)
      default: continue
      }
      try advance()
    }
    try expect(.openParenthesis)
    return .function(name, try values(until: .closeParenthesis))
  }

  private mutating func values(
    until end: PredicateToken.Sign
  ) throws(PredicateFormatError) -> [FetchPredicate.Expression] {
    guard try !accept(.sign(end)) else { return [] }
    var values = [try value()]
    while try accept(.sign(.comma)) { values.append(try value()) }
    guard try accept(.sign(end)) else { throw unexpected("\",\" or \"\(end.rawValue)\"") }
    return values
  }

  private mutating func subquery() throws(PredicateFormatError) -> FetchPredicate.Expression {
    try advance()
    try expect(.openParenthesis)
    let start = token
    guard case .path(let collection) = try value(), !collection.names.isEmpty else {
      throw unexpected(start, "the name of a to-many relationship")
    }
    try expect(.comma)
    guard case .variable(let variable) = token.kind else {
      throw unexpected("a variable such as $x")
    }
    try advance()
    try expect(.comma)
    let predicate = try condition()
    try expect(.closeParenthesis)
    return .subquery(.init(collection, variable: variable, where: predicate))
  }

  // MARK: - Key paths

  private mutating func suffixes(
    of base: FetchPredicate.Expression
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    var expression = base
    while true {
      if try accept(.sign(.dot)) {
        expression = try member(of: expression)
      } else if try accept(.sign(.openBracket)) {
        try countOperation()
        expression = .function("objectFrom:withIndex:", [expression, try index()])
        try expect(.closeBracket)
      } else {
        return expression
      }
    }
  }

  private mutating func index() throws(PredicateFormatError) -> FetchPredicate.Expression {
    switch token.kind {
    case .word(let word) where [.first, .last, .size].contains(word):
      try advance()
      return .path(.init([word.rawValue]))
    default: return try value()
    }
  }

  /// Parses the name after a dot, and the following names.
  private mutating func member(
    of base: FetchPredicate.Expression
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    if try accept(.sign(.at)) {
      try countOperation()
      return .collection(try collectionOperator(), of: base, property: [])
    }
    let start = token
    var names = try memberNames()
    while token.kind == .sign(.dot) {
      try advance()
      guard token.kind == .sign(.at) else {
        names += try memberNames()
        continue
      }
      try advance()
      try countOperation()
      let collection = try self.base(base, names, at: start)
      return .collection(try collectionOperator(), of: collection, property: [])
    }
    return try self.base(base, names, at: start)
  }

  private func base(
    _ base: FetchPredicate.Expression, _ names: [String], at start: PredicateToken
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    switch base {
    case .path(let path): return .path(.init(path.names + names, variable: path.variable))
    case .collection(let operation, let collection, let property) where operation != .count:
      return .collection(operation, of: collection, property: property + names)
    default:
      throw unexpected(start, "an operator such as @count, or no key path after this value")
    }
  }

  private mutating func memberNames() throws(PredicateFormatError) -> [String] {
    switch token.kind {
    case .identifier(let name):
      try advance()
      return [name]
    case .word:
      let name = tokenizer.name(token)
      try advance()
      return [name]
    case .argument(UInt8(ascii: "K")):
      let start = token
      guard case .path(let path) = try argument(UInt8(ascii: "K")) else {
        throw unexpected(start, "a key path without @")
      }
      return path.names
    default: throw unexpected("the name of a property")
    }
  }

  private mutating func collectionOperator() throws(PredicateFormatError)
    -> FetchPredicate.CollectionOperator
  {
    guard case .identifier(let name) = token.kind,
      let operation = FetchPredicate.CollectionOperator(rawValue: name)
    else { throw unexpected("count, sum, min, max or avg") }
    try advance()
    return operation
  }
}
