// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PredicateFunction {
  /// Computes as SQLite does: nil of nil; integers stay integers, `7 / 2` is 3, until the result
  /// leaves 64 bits and becomes a double; a division by zero and what is no number is nil.
  package func value(of arguments: [FunctionValue]) -> FunctionValue {
    if let count = parameterCount {
      guard arguments.count == count else { return .null }
    }
    if takesText {
      guard case .string(let string)? = arguments.first else { return .null }
      return value(of: string)
    }
    let numbers = arguments.compactMap(PredicateNumber.init)
    guard numbers.count == arguments.count, let first = numbers.first else { return .null }
    switch parameterCount {
    case 1: return value(of: first).functionValue
    case 2: return value(of: first, numbers[1]).functionValue
    default: return statistic(of: numbers).functionValue
    }
  }

  private func value(of string: String) -> FunctionValue {
    switch self {
    case .uppercase: .string(string.uppercased())
    case .lowercase: .string(string.lowercased())
    case .canonical: .string(StringFolding([.case, .diacritics]).folded(string))
    case .length: .integer(Int64(string.utf16.count))
    default: .null
    }
  }

  private func value(of number: PredicateNumber) -> PredicateNumber {
    switch (self, number) {
    case (.absolute, .integer(.min)): .double(0x1p63)
    case (.absolute, .integer(let integer)): .integer(abs(integer))
    case (.floor, .integer), (.ceiling, .integer), (.truncate, .integer): number
    case (.absolute, _): .double(abs(number.double))
    case (.floor, _): .double(number.double.rounded(.down))
    case (.ceiling, _): .double(number.double.rounded(.up))
    case (.truncate, _): .double(number.double.rounded(.towardZero))
    case (.squareRoot, _): .double(number.double.squareRoot())
    case (.log, _): .double(Foundation.log10(number.double))
    case (.naturalLog, _): .double(Foundation.log(number.double))
    case (.exp, _): .double(Foundation.exp(number.double))
    case (.onesComplement, _): .integer(~number.bits)
    default: .double(.nan)
    }
  }

  private func value(of a: PredicateNumber, _ b: PredicateNumber) -> PredicateNumber {
    switch self {
    case .add: a.combined(b, { $0.addingReportingOverflow($1) }, +)
    case .subtract: a.combined(b, { $0.subtractingReportingOverflow($1) }, -)
    case .multiply: a.combined(b, { $0.multipliedReportingOverflow(by: $1) }, *)
    case .divide:
      b.double == 0 ? .double(.nan) : a.combined(b, { $0.dividedReportingOverflow(by: $1) }, /)
    case .modulus:
      b.double == 0 ? .double(.nan) : a.combined(b, Self.remainder, { fmod($0, $1) })
    case .power: .double(pow(a.double, b.double))
    case .bitwiseAnd: .integer(a.bits & b.bits)
    case .bitwiseOr: .integer(a.bits | b.bits)
    case .bitwiseXor: .integer(a.bits ^ b.bits)
    case .leftShift: .integer(a.bits << b.bits)
    case .rightShift: .integer(a.bits >> b.bits)
    default: .double(.nan)
    }
  }

  /// The remainder of the smallest integer by -1 is 0, though the quotient overflows.
  private static func remainder(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) {
    (b == -1 ? 0 : a % b, false)
  }

  private func statistic(of numbers: [PredicateNumber]) -> PredicateNumber {
    let doubles = numbers.map(\.double)
    let average = doubles.reduce(0, +) / Double(doubles.count)
    switch self {
    case .sum: return .double(doubles.reduce(0, +))
    case .average: return .double(average)
    case .minimum: return numbers.dropFirst().reduce(numbers[0]) { $1 < $0 ? $1 : $0 }
    case .maximum: return numbers.dropFirst().reduce(numbers[0]) { $0 < $1 ? $1 : $0 }
    case .median:
      let sorted = doubles.sorted()
      return .double((sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2)
    case .mode: return Self.mode(of: numbers)
    case .standardDeviation:
      let squares = doubles.map { ($0 - average) * ($0 - average) }
      return .double((squares.reduce(0, +) / Double(squares.count)).squareRoot())
    default: return .double(.nan)
    }
  }

  /// The most frequent number, the smallest of several.
  private static func mode(of numbers: [PredicateNumber]) -> PredicateNumber {
    let sorted = numbers.sorted()
    var (best, bestCount, count) = (sorted[0], 0, 0)
    for (index, number) in sorted.enumerated() {
      count = index > 0 && !(sorted[index - 1] < number) ? count + 1 : 1
      if count > bestCount { (best, bestCount) = (number, count) }
    }
    return best
  }
}
