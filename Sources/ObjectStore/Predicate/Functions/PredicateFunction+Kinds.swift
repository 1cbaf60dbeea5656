// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreFunctions

extension PredicateFunction {
  init(_ operation: FetchPredicate.ArithmeticOperator) {
    self =
      switch operation {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      case .divide: .divide
      case .power: .power
      }
  }

  var parameterKind: ValueKind { takesText ? .string : .number }

  var resultKind: ValueKind { takesText && self != .length ? .string : .number }

  /// The function over the objects of a to-many relationship, if there is one.
  var collectionOperator: FetchPredicate.CollectionOperator? {
    switch self {
    case .average: .avg
    case .sum: .sum
    case .minimum: .min
    case .maximum: .max
    default: nil
    }
  }

  /// Computes as SQLite does, of values as a column holds them.
  func value(of arguments: [StoreValue]) -> StoreValue {
    StoreValue(value(of: arguments.map(\.functionValue)))
  }
}

extension PredicateNumber {
  /// Nil for a value that is not a number; a Date is its seconds since 2001.
  init?(_ value: StoreValue) { self.init(value.functionValue) }
}

extension StoreValue {
  /// The column value; an object, and data in a file, have none.
  var functionValue: FunctionValue {
    switch self {
    case .null, .object, .external: .null
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .decimal(let decimal):
      if case .integer(let number) = decimal.columnValue {
        .integer(number)
      } else {
        .double(decimal.storedNumber)
      }
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .string(let string): .string(string)
    case .url(let url): .string(url.absoluteString)
    case .data(let data): .blob(Array(data))
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { .blob(Array($0)) }
    }
  }

  init(_ value: FunctionValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      case .string(let string): .string(string)
      case .blob(let bytes): .data(Data(bytes))
      }
  }
}
