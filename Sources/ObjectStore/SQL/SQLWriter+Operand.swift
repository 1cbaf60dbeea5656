// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension SQLWriter {
  /// Writes ` t0.ZNAME`, `?`, a computation or a subquery, folded where differences do not count.
  mutating func append(
    _ operand: ResolvedOperand, _ folding: StringFolding = [], space: Bool = true
  ) {
    if case .constant(.string(let string)) = operand {
      return bind(.string(folding.folded(string)))
    }
    if !folding.isEmpty { append("NSCoreDataStringFold(") }
    switch operand {
    case .constant(let value): bind(value)
    case .property(let path, let property):
      if space { append(" ") }
      appendColumn(path, property, needsValue: true)
    case .count(let collection, let slot, let predicate):
      append("(")
      appendSelect(.count, collection, slot: slot, where: predicate)
      append(")")
    case .aggregate(let aggregate):
      append("(")
      appendSelect(
        .aggregate(aggregate.operation.sqlFunction, aggregate.value), aggregate.collection,
        slot: aggregate.slot, where: aggregate.predicate)
      append(")")
    case .function(let function, let arguments, _): append(function, arguments, within: 0)
    case .result(let name, _): append(name)
    case .cast(let operand, let kind): appendCast(operand, to: kind)
    case .unindexed(let operand):
      append("+")
      append(operand, space: space)
    }
    if !folding.isEmpty { append(", \(folding.rawValue))") }
  }

  /// Writes an operand as a separate value, which a row may not have.
  mutating func appendValue(_ operand: ResolvedOperand, space: Bool = true) {
    withoutConjunction { $0.append(operand, space: space) }
  }

  /// - Parameter binding: the precedence of the operator with this as its left side; 0 for none.
  private mutating func append(
    _ function: PredicateFunction, _ arguments: [ResolvedOperand], within binding: Int
  ) {
    switch function.spelling {
    case .infix(let sign, let own):
      // A long sum needs no parentheses, of which SQLite takes less than 100 in each other.
      let isChained = own == binding
      if !isChained { append("(") }
      if case .function(let left, let operands, _) = arguments[0] {
        append(left, operands, within: own)
      } else {
        append(arguments[0])
      }
      append(" ")
      append(sign)
      append(" ")
      append(arguments[1])
      if !isChained { append(")") }
    case .prefix(let sign):
      append(sign)
      append("(")
      append(arguments[0])
      append(")")
    case .call(let name):
      append(name)
      append("(")
      for (index, argument) in arguments.enumerated() {
        if index > 0 { append(", ") }
        append(argument)
      }
      append(function == .canonical ? ", 129)" : ")")
    }
  }

  private mutating func appendCast(_ operand: ResolvedOperand, to kind: ValueKind) {
    let isReal = kind == .date || (kind == .number && operand.kind == .date)
    append(isReal ? "CAST(" : kind == .number ? "NSCoreDataNumber(" : "NSCoreDataString(")
    append(operand)
    append(isReal ? " AS REAL)" : ")")
  }
}

extension FetchPredicate.CollectionOperator {
  /// Core Data sums with `total`, which returns 0 for no rows and cannot overflow.
  fileprivate var sqlFunction: String {
    switch self {
    case .count: "COUNT"
    case .sum: "total"
    case .min: "MIN"
    case .max: "MAX"
    case .avg: "AVG"
    }
  }
}
