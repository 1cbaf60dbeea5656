// SPDX-License-Identifier: Apache-2.0

/// What a predicate can compute of a row's values; the raw value is the format's name.
///
/// One meaning for SQL and memory: what SQLite computes by other rules, or not in every build, is
/// an SQL function made of ``value(of:)``. The signs of the format, such as `+`, are the same.
package enum PredicateFunction: String, CaseIterable, Sendable {
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case power = "raise:toPower:"
  case squareRoot = "sqrt:"
  case log = "log:"
  case naturalLog = "ln:"
  case exp = "exp:"
  case absolute = "abs:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case truncate = "trunc:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  /// Without case and diacritics.
  case canonical = "canonical:"
  /// In UTF-16 code units, as NSString counts.
  case length = "length:"
  case average = "average:"
  case sum = "sum:"
  case minimum = "min:"
  case maximum = "max:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"

  /// Takes `sqrt:` and `sqrt`; `from:subtract:` and `from:subtract`.
  package init?(formatName name: String) {
    self.init(rawValue: name.hasSuffix(":") ? name : name + ":")
  }

  /// Whether it is of a text, and not of numbers.
  package var takesText: Bool {
    switch self {
    case .uppercase, .lowercase, .canonical, .length: true
    default: false
    }
  }

  /// Nil for a list of any length.
  package var parameterCount: Int? {
    switch self {
    case .average, .sum, .minimum, .maximum, .median, .mode, .standardDeviation: nil
    default: rawValue.utf8.count { $0 == UInt8(ascii: ":") }
    }
  }
}

extension PredicateFunction {
  package enum Spelling {
    /// Between its two operands; `binding` is higher for what binds tighter.
    case infix(String, binding: Int)
    case prefix(String)
    case call(String)
  }

  /// An operator of SQLite where it means the same, or a function of ours.
  package var spelling: Spelling {
    switch self {
    case .add: .infix("+", binding: 2)
    case .subtract: .infix("-", binding: 2)
    case .multiply: .infix("*", binding: 3)
    case .divide: .infix("/", binding: 3)
    case .bitwiseAnd: .infix("&", binding: 1)
    case .bitwiseOr: .infix("|", binding: 1)
    case .leftShift: .infix("<<", binding: 1)
    case .rightShift: .infix(">>", binding: 1)
    case .onesComplement: .prefix("~")
    case .canonical: .call("NSCoreDataStringFold")
    default: .call(sqlName)
    }
  }

  /// `NSCoreDataSqrt` of `sqrt:`, `NSCoreDataModulusBy` of `modulus:by:`.
  package var sqlName: String { Self.sqlNames[self] ?? "" }

  /// Made once: each connection that is opened registers all of them.
  private static let sqlNames = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, $0.makeSQLName()) })

  private func makeSQLName() -> String {
    "NSCoreData"
      + rawValue.split(separator: ":").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
