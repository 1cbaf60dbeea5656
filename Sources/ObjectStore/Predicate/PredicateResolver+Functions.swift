// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension PredicateResolver {
  mutating func function(
    _ name: String, _ arguments: [FetchPredicate.Expression],
    in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    if let reason = Self.refused[name.hasSuffix(":") ? String(name.dropLast()) : name] {
      throw .unsupported(expression.predicateFormat, instead: reason)
    }
    switch name {
    case "CAST": return try cast(arguments, in: expression)
    case "now", "now:":
      guard arguments.isEmpty else { throw Self.wrongCount("now", "no argument") }
      return .constant(.date(now))
    case "noindex", "noindex:":
      guard arguments.count == 1 else { throw Self.wrongCount("noindex:", "one argument") }
      let operand = try operand(arguments[0])
      return operand.constant == nil ? .unindexed(operand) : operand
    case "count", "count:":
      guard arguments.count == 1 else { throw Self.wrongCount("count:", "one argument") }
      if case .list(let elements) = arguments[0] {
        return .constant(.integer(Int64(elements.count)))
      }
      return try operand(.collection(.count, of: arguments[0], property: []))
    case "objectFrom:withIndex:": return try element(arguments, in: expression)
    default: break
    }
    guard let function = PredicateFunction(formatName: name) else {
      throw .unknownFunction(name, nearest: PredicateFunction.nearestName(to: name))
    }
    if let operation = function.collectionOperator, arguments.count == 1,
      case .path(let path) = arguments[0], try resolveCollection(path) != nil
    {
      return try operand(.collection(operation, of: arguments[0], property: []))
    }
    return try compute(function, arguments, in: expression)
  }

  private static var refused: [String: String] {
    let draw = "it returns another number for each row; draw the number first and pass it by %@"
    return [
      "random": draw, "randomn": draw,
      "FUNCTION": "the store cannot call Swift or Objective-C for each row; "
        + "use a predefined function such as uppercase:(name), or filter after the fetch",
      "FETCH": "fetch first and pass the result: SELF IN %@",
      "location:withinRadius": "write latitude BETWEEN {…} AND longitude BETWEEN {…}",
      "distanceToLocation:fromLocation": "write latitude BETWEEN {…} AND longitude BETWEEN {…}",
    ]
  }

  static func wrongCount(_ function: String, _ expected: String) -> FetchPredicateError {
    .wrongArguments(function: function, expected: expected)
  }

  // MARK: - Computing

  /// A function of operands, computed at once where all of them are constants.
  mutating func compute(
    _ function: PredicateFunction, _ arguments: [FetchPredicate.Expression],
    in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    var expressions = arguments
    if function.parameterCount == nil, arguments.count == 1, case .list(let list) = arguments[0] {
      expressions = list
    }
    guard !expressions.isEmpty, expressions.count == function.parameterCount ?? expressions.count
    else {
      let count = function.parameterCount
      throw Self.wrongCount(
        function.rawValue,
        count.map { $0 == 1 ? "one argument" : "two arguments" } ?? "a list such as {1, 2}")
    }
    var operands: [ResolvedOperand] = []
    for argument in expressions { operands.append(try operand(argument)) }
    let kind = try self.kind(of: function, operands, in: expression)
    let constants = operands.compactMap(\.constant)
    guard constants.count == operands.count else { return .function(function, operands, kind) }
    return .constant(function.value(of: constants.map(\.asStored)).cast(as: kind))
  }

  private func kind(
    of function: PredicateFunction, _ operands: [ResolvedOperand],
    in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ValueKind {
    let kinds = operands.map { operand in
      operand.kind ?? (operand.constant == .null ? function.parameterKind : operand.constant?.kind)
    }
    // A Date and a number of seconds.
    switch (function, kinds) {
    case (.add, [.date, .number]), (.add, [.number, .date]), (.subtract, [.date, .number]):
      return .date
    case (.subtract, [.date, .date]): return .number
    default: break
    }
    guard kinds.allSatisfy({ $0 == function.parameterKind }) else {
      throw .wrongArguments(
        function: expression.predicateFormat,
        expected: function.parameterKind == .number ? "numbers only" : "a string")
    }
    return function.resultKind
  }

  // MARK: - CAST and lists

  private mutating func cast(
    _ arguments: [FetchPredicate.Expression], in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
      throw Self.wrongCount("CAST", "a value and a type, such as CAST(opened, \"NSNumber\")")
    }
    let operand = try operand(arguments[0])
    let kind: ValueKind
    switch (type, operand.kind ?? operand.constant?.kind) {
    case ("NSNumber", .number), ("NSNumber", .date), ("NSNumber", .string): kind = .number
    case ("NSDate", .number), ("NSDate", .date): kind = .date
    case ("NSString", .string), ("NSString", .number): kind = .string
    default:
      throw .unsupported(
        expression.predicateFormat,
        instead: "CAST makes NSNumber of a number, Date or string, NSDate of a number, "
          + "and NSString of a number")
    }
    if let constant = operand.constant { return .constant(constant.asStored.cast(as: kind)) }
    return operand.kind == kind ? operand : .cast(operand, kind)
  }

  /// `{1, 2}[0]`, `{1, 2}[LAST]`, `stopTimes[SIZE]`.
  private mutating func element(
    _ arguments: [FetchPredicate.Expression], in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    guard arguments.count == 2 else { throw Self.wrongCount("an index", "a list and a number") }
    let index = arguments[1]
    if index == .path(.init(["SIZE"])) { return try function("count:", [arguments[0]], in: index) }
    guard case .list(let elements) = arguments[0], !elements.isEmpty else {
      throw .unsupported(
        expression.predicateFormat,
        instead: "write SUBQUERY(…) with a condition on the object that is meant, or @min or @max")
    }
    switch index {
    case .path(.init(["FIRST"])): return try operand(elements[0])
    case .path(.init(["LAST"])): return try operand(elements[elements.count - 1])
    case .constant(.integer(let position)) where elements.indices.contains(Int(position)):
      return try operand(elements[Int(position)])
    default:
      throw Self.wrongCount(
        expression.predicateFormat, "an index from 0 to \(elements.count - 1), FIRST or LAST")
    }
  }
}

extension ResolvedOperand {
  var constant: StoreValue? {
    if case .constant(let value) = self { return value }
    return nil
  }
}

extension PredicateFunction {
  static func nearestName(to name: String) -> String? {
    ObjectStore.nearestName(
      to: name, among: allCases.map(\.rawValue) + ["now", "noindex:", "count:"], minEdits: 2)
  }
}
