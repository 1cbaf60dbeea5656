// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Reads a predicate format, in the grammar of `NSPredicate`.
  ///
  ///     try FetchPredicate("%@ <= longitude AND longitude <= %@", west, east)
  ///     try FetchPredicate("name BEGINSWITH[cd] %@ AND %K > 5", "u ", "stopTimes.@count")
  ///
  /// - Parameters:
  ///   - format: the format string.
  ///   - arguments: one for each `%@`, `%K` (a key path, as a string), `%d`, `%f` and so on; nil
  ///     stands for `nil`.
  /// - Throws: ``PredicateFormatError`` with the position, if the format cannot be read or the
  ///   arguments do not fit its placeholders. Names are looked up later, when it is used.
  public init(
    _ format: String, _ arguments: (any PredicateArgument)?...
  ) throws(PredicateFormatError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Reads a predicate format, its arguments in an array.
  ///
  /// - Throws: ``PredicateFormatError`` with the position, if the format cannot be read or the
  ///   arguments do not fit its placeholders.
  public init(
    format: String, arguments: [(any PredicateArgument)?] = []
  ) throws(PredicateFormatError) {
    var parser = try PredicateParser(format, arguments)
    self = try parser.parse()
  }
}

/// Reads a predicate format by operator precedence: one pass, no going back.
///
///     OR < AND < NOT < comparison < + - < * / < **
///
/// A parenthesis may contain a predicate or a value, which is known only after it. Each step
/// therefore returns either of them, and operators check their operands.
struct PredicateParser {
  /// Deeper formats are refused before they overflow a stack.
  static let depthLimit = 100

  enum Node {
    case predicate(FetchPredicate)
    case expression(FetchPredicate.Expression)
  }

  /// How tightly an operator binds.
  enum Precedence: Int {
    case or = 1
    case and, not, comparison, sum, product, power, sign
  }

  var tokenizer: PredicateTokenizer
  var token: PredicateToken
  let arguments: [(any PredicateArgument)?]
  var argumentCount = 0
  private var depth = 0
  private var operationCount = 0

  init(
    _ format: String, _ arguments: [(any PredicateArgument)?]
  ) throws(PredicateFormatError) {
    tokenizer = PredicateTokenizer(format)
    token = try tokenizer.next()
    self.arguments = arguments
  }

  mutating func parse() throws(PredicateFormatError) -> FetchPredicate {
    let predicate = try condition()
    guard token.kind == .end else { throw unexpected("AND, OR or the end") }
    guard argumentCount == arguments.count else {
      throw tokenizer.error(
        at: token.start, found: "\(arguments.count) arguments",
        expected: "one for each of the \(argumentCount) placeholders")
    }
    return predicate
  }

  // MARK: - Tokens

  func unexpected(_ expected: String) -> PredicateFormatError { unexpected(token, expected) }

  func unexpected(_ token: PredicateToken, _ expected: String) -> PredicateFormatError {
    tokenizer.error(at: token.start, found: tokenizer.text(token), expected: expected)
  }

  @discardableResult
  mutating func advance() throws(PredicateFormatError) -> PredicateToken {
    let current = token
    token = try tokenizer.next()
    return current
  }

  mutating func accept(_ kind: PredicateToken.Kind) throws(PredicateFormatError) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  mutating func expect(_ sign: PredicateToken.Sign) throws(PredicateFormatError) {
    guard try accept(.sign(sign)) else { throw unexpected("\"\(sign.rawValue)\"") }
  }

  /// Counts an operation that deepens the tree but does not nest in the format: `a + a + a + …`.
  mutating func countOperation() throws(PredicateFormatError) {
    operationCount += 1
    guard operationCount <= 500 else { throw unexpected("at most 500 arithmetic operators") }
  }

  private func predicate(
    _ node: Node
  ) throws(PredicateFormatError) -> FetchPredicate {
    if case .predicate(let predicate) = node { return predicate }
    switch token.kind {
    case .sign(.assign):
      throw unexpected("a comparison; set the value of a variable by withSubstitutionVariables")
    case .word(.utiConformsTo), .word(.utiEquals):
      throw unexpected("a comparison that SQLite can answer, such as == or BEGINSWITH")
    default: break
    }
    // The missing part is after the value, not at its start.
    throw unexpected("a comparison such as == or CONTAINS")
  }

  func expression(
    _ node: Node, at start: PredicateToken
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    if case .expression(let expression) = node { return expression }
    throw unexpected(start, "a value, not a condition")
  }

  // MARK: - Operators

  mutating func value(_ precedence: Precedence = .sum) throws(PredicateFormatError)
    -> FetchPredicate.Expression
  {
    let start = token
    let node = try node(precedence)
    return try expression(node, at: start)
  }

  mutating func condition(_ precedence: Precedence = .or) throws(PredicateFormatError)
    -> FetchPredicate
  {
    // Not in one expression: the call would see the token from before.
    let node = try node(precedence)
    return try predicate(node)
  }

  /// Parses a predicate or value with operators that bind at least as tightly as `precedence`.
  mutating func node(_ precedence: Precedence) throws(PredicateFormatError) -> Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw unexpected("at most \(Self.depthLimit) levels of nesting")
    }
    let start = token
    var left = try prefix()
    while let (binding, operation) = infix(), binding.rawValue >= precedence.rawValue {
      switch operation {
      case .and: left = .predicate(.and(try terms(left, .and)))
      case .or: left = .predicate(.or(try terms(left, .or)))
      case .comparison(let comparator):
        guard case .expression(let value) = left else { throw unexpected("AND, OR or the end") }
        try advance()
        left = .predicate(.comparison(try comparison(value, comparator)))
      case .arithmetic(let sign):
        let value = try expression(left, at: start)
        try countOperation()
        try advance()
        // ** alone is right-associative.
        let next = binding == .power ? .power : Precedence(rawValue: binding.rawValue + 1) ?? .sign
        left = .expression(.arithmetic(sign, value, try self.value(next)))
      }
    }
    return left
  }

  private enum Infix: Equatable {
    case and, or
    case comparison(FetchPredicate.Comparator)
    case arithmetic(FetchPredicate.ArithmeticOperator)
  }

  private func infix() -> (Precedence, Infix)? {
    switch token.kind {
    case .sign(.and), .word(.and): (.and, .and)
    case .sign(.or), .word(.or): (.or, .or)
    case .sign(.plus): (.sum, .arithmetic(.add))
    case .sign(.minus): (.sum, .arithmetic(.subtract))
    case .sign(.times): (.product, .arithmetic(.multiply))
    case .sign(.divide): (.product, .arithmetic(.divide))
    case .sign(.power): (.power, .arithmetic(.power))
    // The signs and words of comparators are their raw values.
    case .sign(let sign):
      FetchPredicate.Comparator(rawValue: sign.rawValue).map { (.comparison, .comparison($0)) }
    case .word(let word):
      FetchPredicate.Comparator(rawValue: word.rawValue).map { (.comparison, .comparison($0)) }
    default: nil
    }
  }

  private mutating func terms(
    _ first: Node, _ operation: Infix
  ) throws(PredicateFormatError) -> [FetchPredicate] {
    var terms = [try predicate(first)]
    while let (_, next) = infix(), next == operation {
      try advance()
      terms.append(try condition(operation == .or ? .and : .not))
    }
    return terms
  }

  private mutating func comparison(
    _ left: FetchPredicate.Expression, _ comparator: FetchPredicate.Comparator
  ) throws(PredicateFormatError) -> FetchPredicate.Comparison {
    let options = try options()
    let start = token
    let right = try value()
    if comparator == .between {
      let isVariable =
        if case .path(let path) = right { path.variable != nil && path.names.isEmpty } else {
          false
        }
      guard isVariable || right.listCount == 2 else {
        throw unexpected(start, "two bounds in braces, such as {1, 5}")
      }
    }
    return .init(left, comparator, right, options: options)
  }

  /// Parses `[cd]`, if it is next.
  private mutating func options() throws(PredicateFormatError) -> FetchPredicate.StringOptions {
    guard try accept(.sign(.openBracket)) else { return [] }
    var options: FetchPredicate.StringOptions = []
    guard case .identifier(let letters) = token.kind else { throw unexpected("c, d, n or l") }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localeSensitive)
      default: throw unexpected("c, d, n or l")
      }
    }
    try advance()
    try expect(.closeBracket)
    return options
  }
}

extension FetchPredicate.Expression {
  fileprivate var listCount: Int? {
    if case .list(let elements) = self { return elements.count }
    return nil
  }
}
