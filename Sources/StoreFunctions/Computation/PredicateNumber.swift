// SPDX-License-Identifier: Apache-2.0

/// An integer or a double, as SQLite distinguishes them.
package enum PredicateNumber: Comparable {
  case integer(Int64)
  case double(Double)

  /// Nil for what is no number.
  package init?(_ value: FunctionValue) {
    switch value {
    case .integer(let integer): self = .integer(integer)
    case .double(let double) where !double.isNaN: self = .double(double)
    default: return nil
    }
  }

  var functionValue: FunctionValue {
    switch self {
    case .integer(let integer): .integer(integer)
    case .double(let double): double.isNaN ? .null : .double(double)
    }
  }

  package var double: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    }
  }

  /// As SQLite casts to an integer: cut off towards zero, and clamped.
  var bits: Int64 {
    switch self {
    case .integer(let integer): integer
    case .double(let double):
      double >= 0x1p63 ? .max : double < -0x1p63 ? .min : Int64(double)
    }
  }

  func combined(
    _ other: PredicateNumber,
    _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    _ doubles: (Double, Double) -> Double
  ) -> PredicateNumber {
    if case (.integer(let a), .integer(let b)) = (self, other) {
      let (result, overflow) = integers(a, b)
      if !overflow { return .integer(result) }
    }
    return .double(doubles(double, other.double))
  }

  package static func < (a: PredicateNumber, b: PredicateNumber) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.integer(let a), .double(let b)): order(a, b) < 0
    case (.double(let a), .integer(let b)): order(b, a) > 0
    }
  }

  /// Exact, where a conversion of the integer would round.
  package static func order(_ a: Int64, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = Int64(b)
    if a != whole { return a < whole ? -1 : 1 }
    let fraction = b - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }
}
